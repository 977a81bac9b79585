#include "datasets/leaf/class_folders.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// The endings that is_image_name accepts, in words.
constexpr std::string_view kImageEndings = ".jpg, .png, .bmp, .tif, .webp, .heic or .avif";

struct CsvRow {
  std::filesystem::path file;
  std::string label;
};

// The names of a class in other columns than that of its label, by the column.
struct OtherName {
  const char* column;
  const char* words;  // what it is called in a message
  std::vector<std::string> LeafDataset::*names;
};
constexpr std::array<OtherName, 2> kOtherNames = {
    {{"scientific_name", "scientific name", &LeafDataset::scientific_names},
     {"chinese_name", "Chinese name", &LeafDataset::chinese_names}}};

using OtherColumns = std::array<std::optional<std::size_t>, kOtherNames.size()>;
OtherColumns other_columns(const CsvReader& reader) {
  OtherColumns columns;
  for (std::size_t i = 0; i < columns.size(); ++i)
    columns[i] = reader.column(kOtherNames[i].column);
  return columns;
}

// A line about files listed in several rows; none if each is listed once.
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

/// A folder with images: a class.
struct ClassFolder {
  std::string name;        // its path from the data set's folder: "Quercus/robur"
  std::string class_name;  // "Quercus robur"
  std::vector<std::filesystem::path> images;
};

// The folder as a class or, if it has folders but no image, the folders in it. Anything that is
// neither an image nor a folder of images goes to `skipped`.
void collect_classes(const std::filesystem::path& root, const std::filesystem::path& folder,
                     std::vector<ClassFolder>& classes, PassedOverFiles& skipped) {
  ClassFolder leaves;
  leaves.name = folder.lexically_relative(root).generic_string();
  leaves.class_name = leaves.name;
  std::ranges::replace(leaves.class_name, '/', ' ');
  std::vector<std::filesystem::path> folders;
  for (const std::string& name : names_in_folder(folder)) {
    const std::filesystem::path entry = folder / name;
    if (is_folder(entry)) {
      folders.push_back(entry);
    } else if (is_regular(entry) && is_image_name(entry)) {
      leaves.images.push_back(entry);
    } else {
      skipped.add(entry);
    }
  }
  // A link could lead back into the folder.
  std::erase_if(folders, [](const auto& inner) { return is_link(inner); });
  if (!leaves.images.empty()) {
    for (const auto& inner : folders) skipped.add(inner);
    classes.push_back(std::move(leaves));
    return;
  }
  if (folders.empty()) {
    throw InputError(folder.string() + ": the class has no image (" + std::string(kImageEndings) +
                     "); remove the folder or fill it");
  }
  for (const auto& inner : folders) collect_classes(root, inner, classes, skipped);
}

}  // namespace

void PassedOverFiles::add(const std::filesystem::path& path) {
  if (counts_.empty()) first_ = path.string();
  ++counts_[is_folder(path)        ? "folders beside images"
            : is_image_name(path)  ? "images in no class"
            : path.has_extension() ? path.extension().string()
                                   : "without an ending"];
}

std::vector<std::string> PassedOverFiles::lines(const std::filesystem::path& folder) const {
  if (counts_.empty()) return {};
  std::string kinds;
  for (const auto& [kind, count] : counts_) {
    kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  return {folder.string() + ": skipped " + kinds + "; first: " + first_};
}

namespace {

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool is_image_name(const std::filesystem::path& file) {
  const std::string extension = in_lower_case(file.extension().string());
  static constexpr std::array<std::string_view, 14> kExtensions = {
      ".jpg", ".jpeg", ".jpe",  ".jfif", ".mpo",  ".png", ".bmp",
      ".tif", ".tiff", ".webp", ".heic", ".heif", ".hif", ".avif"};
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

bool is_array_name(const std::filesystem::path& file) {
  const std::string name = in_lower_case(file.filename().string());
  static constexpr std::array<std::string_view, 8> kEndings = {".npy", ".nii",  ".nii.gz", ".mrc",
                                                               ".map", ".ccp4", ".fits",   ".fit"};
  return std::ranges::any_of(kEndings, [&](std::string_view e) { return name.ends_with(e); });
}

void for_each_image(const std::string& folder, const std::function<void(const std::string&)>& use,
                    PassedOverFiles* skipped, bool (*is_wanted)(const std::filesystem::path&)) {
  const std::string start = folder.ends_with('/') ? folder : folder + "/";
  for (const std::string& name : names_in_folder(folder)) {
    const std::string path = start + name;
    if (is_folder(path)) {
      // a link could lead back into the folder
      if (!is_link(path)) for_each_image(path, use, skipped, is_wanted);
    } else if (is_wanted(name)) {
      use(path);
    } else if (skipped != nullptr) {
      skipped->add(path);
    }
  }
}

std::vector<std::string> images_in(const std::string& folder, std::vector<std::string>* warnings,
                                   bool arrays) {
  std::vector<std::string> images;
  PassedOverFiles skipped;
  for_each_image(
      folder, [&](const std::string& image) { images.push_back(image); }, &skipped,
      arrays ? is_array_name : is_image_name);
  if (warnings != nullptr) std::ranges::move(skipped.lines(folder), std::back_inserter(*warnings));
  if (images.empty()) {
    if (arrays) throw InputError(folder + ": holds no array, such as a .npy or NIfTI file");
    throw InputError(folder + ": holds no image (" + std::string(kImageEndings) + ")");
  }
  return images;
}

std::vector<std::string> named_images(const std::vector<std::string>& names,
                                      std::vector<std::string>& errors,
                                      std::vector<std::string>& warnings, bool arrays) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!is_folder(name)) {
      files.emplace_back(name);
      continue;
    }
    try {
      std::ranges::move(images_in(name, &warnings, arrays), std::back_inserter(files));
    } catch (const InputError& error) {
      if (names.size() == 1) throw;
      errors.emplace_back(error.what());
    }
  }
  return files;
}

LeafDataset load_class_folders(const std::filesystem::path& folder,
                               const std::filesystem::path& names_file) {
  std::vector<ClassFolder> classes;
  PassedOverFiles skipped;
  for (const std::string& name : names_in_folder(folder)) {
    const std::filesystem::path entry = folder / name;
    if (is_folder(entry)) {
      collect_classes(folder, entry, classes, skipped);
    } else if (entry.filename() != kSpeciesNames) {
      skipped.add(entry);
    }
  }
  if (classes.empty()) {
    throw InputError(folder.string() +
                     ": has no subfolders; put the images of each class into a folder of its own");
  }
  LeafDataset dataset;
  dataset.root = folder;
  dataset.warnings = skipped.lines(folder);
  std::vector<std::string> names;
  for (ClassFolder& leaves : classes) {
    const int label = static_cast<int>(dataset.class_names.size());
    dataset.class_names.push_back(leaves.class_name);
    names.push_back(std::move(leaves.name));
    for (auto& file : leaves.images) {
      dataset.samples.push_back({.file = std::move(file), .label = label});
    }
  }
  std::set<std::string> seen;
  for (const std::string& name : dataset.class_names) {
    if (!seen.insert(name).second) {
      throw InputError(folder.string() + ": two folders are both classes called '" + name +
                       "'; rename one");
    }
  }
  for (const OtherName& other : kOtherNames) {
    (dataset.*other.names).resize(dataset.class_names.size());
  }
  const std::filesystem::path names_of_species =
      names_file.empty() ? folder / kSpeciesNames : names_file;
  if (is_there(names_of_species) && !is_folder(names_of_species)) {
    read_species_names(names_of_species, names, dataset);
  }
  dataset.description = counted(dataset.samples.size(), "leaf", "leaves") + " of " +
                        counted(classes.size(), "class", "classes") + ", from " + last_name(folder);
  return dataset;
}

LeafDataset load_csv(const std::filesystem::path& csv) {
  ForeignTable table(read_text_file(csv), csv, "be path,label");
  CsvReader& reader = table.reader();
  const auto path_column = reader.column("path"), label_column = reader.column("label");
  const OtherColumns others = other_columns(reader);
  if (!path_column || !label_column) {
    reader.refuse("the first line must name the columns path and label");
  }
  std::vector<CsvRow> rows;
  std::map<std::string, std::array<std::string, kOtherNames.size()>> other_names;  // by label
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    const std::string& path = fields[*path_column];
    const std::string& label = fields[*label_column];
    if (path.empty() || label.empty()) reader.refuse("the path or the label is empty");
    rows.push_back({path_of_field(csv.parent_path(), path), label});
    std::array<std::string, kOtherNames.size()>& known = other_names[label];
    for (std::size_t i = 0; i < kOtherNames.size(); ++i) {
      std::string& before = known[i];
      if (!others[i] || fields[*others[i]].empty()) continue;
      const std::string& name = fields[*others[i]];
      if (!before.empty() && before != name) {
        reader.refuse("gives '" + label + "' the " + kOtherNames[i].words + " '" + name +
                      "', but it was '" + before + "' before");
      }
      before = name;
    }
  }
  if (rows.empty()) throw InputError(csv.string() + ": lists no images");

  LeafDataset dataset;
  dataset.root = std::filesystem::absolute(csv).parent_path();
  dataset.warnings = repeated_files(rows, csv);
  if (!table.note().empty()) dataset.warnings.push_back(table.note());
  std::map<std::string, int> labels;
  for (const auto& [label, known] : other_names) {
    labels[label] = static_cast<int>(dataset.class_names.size());
    dataset.class_names.push_back(label);
    for (std::size_t i = 0; i < kOtherNames.size(); ++i) {
      (dataset.*kOtherNames[i].names).push_back(known[i]);
    }
  }
  for (CsvRow& row : rows) {
    dataset.samples.push_back({.file = std::move(row.file), .label = labels[row.label]});
  }
  dataset.description = counted(rows.size(), "leaf", "leaves") + " of " +
                        counted(labels.size(), "class", "classes") + ", from " + last_name(csv);
  return dataset;
}

void read_species_names(const std::filesystem::path& csv, const std::vector<std::string>& folders,
                        LeafDataset& dataset) {
  ForeignTable table(read_text_file(csv), csv, "name columns");
  CsvReader& reader = table.reader();
  if (!table.note().empty()) dataset.warnings.push_back(table.note());
  const auto folder_column = reader.column("folder");
  const auto common_name = reader.column("common_name");
  const OtherColumns others = other_columns(reader);
  const bool has_other =
      std::ranges::any_of(others, [](const auto& column) { return column.has_value(); });
  if (!folder_column || (!common_name && !has_other)) {
    reader.refuse(
        "the first line must name the column folder, and common_name, scientific_name or "
        "chinese_name");
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
    for (std::size_t i = 0; i < kOtherNames.size(); ++i) {
      if (others[i]) (dataset.*kOtherNames[i].names)[at->second] = fields[*others[i]];
    }
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
