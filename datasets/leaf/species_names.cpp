#include "datasets/leaf/species_names.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "features/base/csv.h"
#include "features/base/input_file.h"

namespace leafglyph {
namespace {

/// Where the columns stand.
struct NameColumns {
  std::size_t count = 0;
  std::size_t folder = 0;
  std::optional<std::size_t> common, scientific;
};

NameColumns read_columns(CsvReader& reader) {
  std::vector<std::string> names;
  if (!reader.next(names)) reader.refuse("the file is empty; its first line must name columns");
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return static_cast<std::size_t>(at - names.begin());
  };
  const auto folder = find("folder");
  const NameColumns columns{names.size(), folder.value_or(0), find("common_name"),
                            find("scientific_name")};
  if (!folder || (!columns.common && !columns.scientific)) {
    reader.refuse("the first line must name the column folder, and common_name or scientific_name");
  }
  return columns;
}

}  // namespace

void read_species_names(const std::filesystem::path& csv, const std::vector<std::string>& folders,
                        LeafDataset& dataset) {
  std::istringstream stream(read_text_file(csv));
  CsvReader reader(stream, csv);
  const NameColumns columns = read_columns(reader);
  std::map<std::string, std::size_t> class_of;
  for (std::size_t c = 0; c < folders.size(); ++c) class_of[folders[c]] = c;
  std::set<std::size_t> named;
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    if (fields.size() != columns.count) {
      reader.refuse("has " + std::to_string(fields.size()) + " fields instead of " +
                    std::to_string(columns.count));
    }
    const std::string& folder = fields[columns.folder];
    const auto at = class_of.find(folder);
    if (at == class_of.end()) reader.refuse("there is no folder '" + folder + "' of a class");
    if (!named.insert(at->second).second) reader.refuse("the folder '" + folder + "' comes twice");
    if (columns.common && !fields[*columns.common].empty()) {
      dataset.class_names[at->second] = fields[*columns.common];
    }
    if (columns.scientific) dataset.scientific_names[at->second] = fields[*columns.scientific];
    const auto same = std::ranges::count(dataset.class_names, dataset.class_names[at->second]);
    if (same > 1) {
      reader.refuse("two classes are called '" + dataset.class_names[at->second] + "'");
    }
  }
  if (named.size() == folders.size()) return;
  const auto first = std::ranges::find_if(
      class_of, [&](const auto& entry) { return !named.contains(entry.second); });
  dataset.warnings.push_back(csv.string() + ": " + std::to_string(folders.size() - named.size()) +
                             " of " + std::to_string(folders.size()) +
                             " folders have no line; first: " + first->first);
}

}  // namespace leafglyph
