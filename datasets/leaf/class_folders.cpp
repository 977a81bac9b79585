#include "datasets/leaf/class_folders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"

namespace leafglyph {
namespace {

bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

// The entries of a folder for which `wanted` holds, sorted by name, hidden ones aside.
template <class Predicate>
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder,
                                                  Predicate wanted) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    throw InputError(folder.string() + ": the folder cannot be read: " + error.message());
  }
  std::vector<std::filesystem::path> found;
  for (const auto& entry : entries) {
    if (!is_hidden(entry.path()) && wanted(entry)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Where the columns that are used stand.
struct CsvColumns {
  std::size_t count = 0;
  std::size_t path = 0;
  std::size_t label = 0;
  std::optional<std::size_t> scientific_name;
};

CsvColumns read_columns(CsvReader& reader) {
  std::vector<std::string> names;
  if (!reader.next(names)) reader.refuse("the file is empty; its first line must be path,label");
  const auto find = [&](std::string_view name) -> std::optional<std::size_t> {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return static_cast<std::size_t>(at - names.begin());
  };
  const auto path = find("path"), label = find("label");
  if (!path || !label) reader.refuse("the first line must name the columns path and label");
  return {names.size(), *path, *label, find("scientific_name")};
}

struct CsvRow {
  std::filesystem::path file;
  std::string label;
};

// A line about the files that several rows list; none where each is listed once.
std::vector<std::string> repeated_files(const std::vector<CsvRow>& rows,
                                        const std::filesystem::path& csv) {
  std::map<std::filesystem::path, std::vector<std::string>> labels;
  for (const CsvRow& row : rows) labels[row.file.lexically_normal()].push_back(row.label);
  std::size_t repeated = 0;
  std::size_t in_two_classes = 0;
  std::string first;
  for (const auto& [file, of_file] : labels) {
    if (of_file.size() < 2) continue;
    if (repeated++ == 0) first = file.string();
    in_two_classes += std::set(of_file.begin(), of_file.end()).size() > 1;
  }
  if (repeated == 0) return {};
  return {csv.string() + ": " + std::to_string(repeated) +
          (repeated == 1 ? " file is" : " files are") + " listed more than once, " +
          std::to_string(in_two_classes) + " of them in different classes; first: " + first};
}

}  // namespace

bool is_image_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr std::array<std::string_view, 9> kExtensions = {
      ".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".heic", ".heif"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

void for_each_image(const std::string& folder, const std::function<void(const std::string&)>& use) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) throw InputError(folder + ": the folder cannot be read: " + error.message());
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (!is_hidden(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  const std::string start = folder.ends_with('/') ? folder : folder + "/";
  for (const std::string& name : names) {
    const std::string path = start + name;
    if (std::filesystem::is_directory(path)) {
      // a link could lead back into the folder
      if (!std::filesystem::is_symlink(path)) for_each_image(path, use);
    } else if (is_image_name(name)) {
      use(path);
    }
  }
}

std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> images;
  for_each_image(folder.string(), [&](const std::string& image) { images.emplace_back(image); });
  if (images.empty()) {
    throw InputError(folder.string() + ": holds no image (.jpg, .png, .bmp, .tif, .webp or .heic)");
  }
  return images;
}

LeafDataset load_class_folders(const std::filesystem::path& folder) {
  const auto classes =
      sorted_entries(folder, [](const auto& entry) { return entry.is_directory(); });
  if (classes.empty()) {
    throw InputError(folder.string() +
                     ": holds no folders; put the images of each class into a folder of its own");
  }
  LeafDataset dataset;
  dataset.root = folder;
  for (const std::filesystem::path& path : classes) {
    const int label = static_cast<int>(dataset.class_names.size());
    const auto files = sorted_entries(path, [](const auto& entry) {
      return entry.is_regular_file() && is_image_name(entry.path());
    });
    if (files.empty()) {
      throw InputError(path.string() +
                       ": the class has no image (.jpg, .png, .bmp, .tif, .webp or .heic); "
                       "remove the folder or fill it");
    }
    dataset.class_names.push_back(path.filename().string());
    for (const auto& file : files) dataset.samples.push_back({.file = file, .label = label});
  }
  dataset.scientific_names.resize(dataset.class_names.size());
  dataset.description = std::to_string(dataset.samples.size()) + " leaves of " +
                        std::to_string(classes.size()) + " classes, from " + folder.string();
  return dataset;
}

LeafDataset load_csv(const std::filesystem::path& csv) {
  std::istringstream stream(read_text_file(csv));
  CsvReader reader(stream, csv);
  const CsvColumns columns = read_columns(reader);
  std::vector<CsvRow> rows;
  std::map<std::string, std::string> scientific_names;  // by label
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    if (fields.size() != columns.count) {
      reader.refuse("has " + std::to_string(fields.size()) + " fields instead of " +
                    std::to_string(columns.count));
    }
    const std::string& path = fields[columns.path];
    const std::string& label = fields[columns.label];
    if (path.empty() || label.empty()) reader.refuse("the path or the label is empty");
    rows.push_back({csv.parent_path() / path, label});
    std::string& scientific = scientific_names[label];
    if (columns.scientific_name && !fields[*columns.scientific_name].empty()) {
      const std::string& name = fields[*columns.scientific_name];
      if (!scientific.empty() && scientific != name) {
        reader.refuse("gives '" + label + "' the scientific name '" + name + "', but it was '" +
                      scientific + "' before");
      }
      scientific = name;
    }
  }
  if (rows.empty()) throw InputError(csv.string() + ": lists no images");

  LeafDataset dataset;
  dataset.root = std::filesystem::absolute(csv).parent_path();
  dataset.warnings = repeated_files(rows, csv);
  std::map<std::string, int> labels;
  for (const auto& [label, scientific] : scientific_names) {
    labels[label] = static_cast<int>(dataset.class_names.size());
    dataset.class_names.push_back(label);
    dataset.scientific_names.push_back(scientific);
  }
  for (CsvRow& row : rows) {
    dataset.samples.push_back({.file = std::move(row.file), .label = labels[row.label]});
  }
  dataset.description = std::to_string(rows.size()) + " leaves of " +
                        std::to_string(labels.size()) + " classes, from " + csv.string();
  return dataset;
}

}  // namespace leafglyph
