#include "datasets/leaf/species_names.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>

#include "features/base/csv.h"
#include "features/base/input_file.h"

namespace leafglyph {

void read_species_names(const std::filesystem::path& csv, const std::vector<std::string>& folders,
                        LeafDataset& dataset) {
  std::istringstream stream(read_text_file(csv));
  CsvReader reader(stream, csv);
  reader.read_names("name columns");
  const auto folder_column = reader.column("folder");
  const auto common_name = reader.column("common_name");
  const auto scientific_name = reader.column("scientific_name");
  if (!folder_column || (!common_name && !scientific_name)) {
    reader.refuse("the first line must name the column folder, and common_name or scientific_name");
  }
  std::map<std::string, std::size_t> class_of;
  for (std::size_t c = 0; c < folders.size(); ++c) class_of[folders[c]] = c;
  std::set<std::size_t> named;
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    const std::string& folder = fields[*folder_column];
    const auto at = class_of.find(folder);
    if (at == class_of.end()) reader.refuse("there is no folder '" + folder + "' of a class");
    if (!named.insert(at->second).second) reader.refuse("the folder '" + folder + "' comes twice");
    if (common_name && !fields[*common_name].empty()) {
      dataset.class_names[at->second] = fields[*common_name];
    }
    if (scientific_name) dataset.scientific_names[at->second] = fields[*scientific_name];
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
