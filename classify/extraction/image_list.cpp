#include "classify/extraction/image_list.h"

#include <unistd.h>

#include <algorithm>
#include <istream>
#include <utility>

#include "classify/store/store_row.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/lines.h"
#include "features/base/memory.h"
#include "features/base/sha256.h"
#include "features/base/text.h"
#include "features/base/waiting.h"
#include "features/image_io/decode_image.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

// The same file under whatever name it is given.
std::string whole_name(const fs::path& path) {
  return fs::absolute(path).lexically_normal().string();
}

// Labels by the file, under whatever name it is given; without any, an image's own.
class GivenLabels {
 public:
  GivenLabels(const std::string& csv, ListedImages& found) {
    if (csv.empty()) return;
    const LeafDataset labelled = load_csv(csv);
    found.warnings.insert(found.warnings.end(), labelled.warnings.begin(), labelled.warnings.end());
    found.list.name_classes(labelled);
    for (const LeafSample& sample : labelled.samples) {
      label_of_[whole_name(sample.file)] =
          labelled.class_names[static_cast<std::size_t>(sample.label)];
    }
  }

  bool are_given() const { return !label_of_.empty(); }
  bool label_none() const { return !label_of_.empty() && used_ == 0; }
  std::string label(const std::string& path, const std::string& own) {
    if (label_of_.empty()) return own;
    const auto label = label_of_.find(whole_name(path));
    if (label == label_of_.end()) return "";
    ++used_;
    return label->second;
  }

 private:
  std::unordered_map<std::string, std::string> label_of_;
  std::size_t used_ = 0;
};

// A list grows by at most 16 MiB between two.
constexpr std::size_t kLinesBetweenChecks = std::size_t{1} << 12;

std::string with_slash(const std::string& folder) {
  return folder.ends_with('/') ? folder : folder + "/";
}

// Where relative paths of a table start.
std::string root_of(const fs::path& csv) {
  const std::string folder = csv.parent_path().string();
  return folder.empty() ? "" : with_slash(folder);
}

// The files of a data set, whose names begin at `root`.
ImageList files_of(const LeafDataset& dataset, const std::string& root) {
  ImageList list;
  list.name_classes(dataset);
  for (const LeafSample& sample : dataset.samples) {
    if (sample.file.empty()) {
      throw UsageError(
          "generated leaves are not files; write them with leaf generate and name their "
          "folder");
    }
    const std::string file = sample.file.string();
    list.set_root(file.starts_with(root) ? std::optional(root.size()) : std::nullopt);
    list.add(file, dataset.class_names[static_cast<std::size_t>(sample.label)]);
  }
  return list;
}

class Lister {
 public:
  Lister(const std::string& labels, bool arrays)
      : is_wanted_(arrays ? is_array_name : is_image_name),
        labels_(std::make_shared<GivenLabels>(labels, found_)) {}

  // `root`: the beginning of the path that was given.
  void add(const std::string& path, const std::string& own_label,
           const std::optional<std::string>& root = {}, std::span<const std::string> fields = {}) {
    const bool is_inside = root && path.starts_with(*root);
    found_.list.set_root(is_inside ? std::optional(root->size()) : std::nullopt);
    found_.list.add(path, labels_->label(path, own_label), fields);
  }

  void add_folder(const std::string& folder) {
    PassedOverFiles skipped;
    const auto take = [&](const std::string& image) {
      const std::size_t end = image.rfind('/');
      // The folder that contains the image, unless that is the folder the user named.
      const std::string inside = end > folder.size() ? image.substr(0, end) : "";
      add(image, inside.substr(inside.rfind('/') + 1), with_slash(folder));
    };
    for_each_image(folder, take, &skipped, is_wanted_);
    std::ranges::move(skipped.lines(folder), std::back_inserter(found_.warnings));
  }

  void add_archive(const std::string& path) {
    ArchiveReader reader(path);
    if (!reader.is_plain_tar() && !reader.is_zip()) return add_stream(path);
    auto archive = std::make_shared<ListedArchive>(path, reader);
    while (reader.next()) {
      archive->add(reader);
      add(reader.image_path(), folder_of_member(reader.name()), path + "/");
    }
    found_.list.add_archive(std::move(archive));
    found_.note(reader);
  }
  void add_stream(const std::string& path) { found_.streams.push_back({found_.list.size(), path}); }

  // A path that is not a folder.
  void add_file(const std::string& path, const std::optional<std::string>& root = {}) {
    if (is_archive_name(path) && !is_address(path)) {
      add_archive(path);
    } else {
      add(path, "", root);
    }
  }

  void add_lines(int descriptor, const std::string& name) {
    const std::size_t first = found_.list.size();
    WaitingInput bytes(descriptor, name);
    std::istream lines(&bytes);
    for (std::string line; next_line(lines, line, name, kMaxPathBytes);) {
      if (found_.list.size() % kLinesBetweenChecks == 0) {
        check_memory(static_cast<double>(found_.list.bytes()), name,
                     "give the images in several lists");
      }
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) add_file(line, line[0] == '/' ? std::nullopt : std::optional(""));
    }
    if (labels_->are_given()) return;
    const std::string folder = found_.list.label_by_folders(first);
    const std::size_t classes = found_.list.classes().size();
    if (classes == 0) return;
    found_.labelled = "labels: the name of each image's folder" +
                      (folder.empty() ? "" : " below " + folder) + "; " +
                      counted(classes, "class", "classes");
  }

  void add_table(const fs::path& csv) {
    ForeignTable table(read_text_file(csv), csv, "name columns, one of them path");
    CsvReader& reader = table.reader();
    if (!table.note().empty()) found_.warnings.push_back(table.note());
    const auto path = reader.column("path"), label = reader.column("label");
    if (!path) reader.refuse("the first line must name the column path");
    std::vector<std::string> further;
    for (std::size_t c = 0; c < reader.names().size(); ++c) {
      const std::string& name = reader.names()[c];
      if (c == path || c == label) continue;
      if (is_store_column(name) || name.empty()) {
        reader.refuse("'" + name + "' cannot be the name of a further column" +
                      (name.empty() ? "" : ": feature stores have one with that name"));
      }
      further.push_back(name);
    }
    found_.list.name_fields(further);
    std::vector<std::string> record, fields;
    while (reader.next(record)) {
      if (record[*path].empty()) reader.refuse("the path is empty");
      fields.clear();
      for (std::size_t c = 0; c < record.size(); ++c) {
        if (c != *path && c != label) fields.push_back(record[c]);
      }
      add(path_of_field(csv.parent_path(), record[*path]), label ? record[*label] : "",
          root_of(csv), fields);
    }
  }

  ListedImages finish(const ImageInputs& inputs) {
    if (found_.streams.empty()) {
      if (found_.list.size() == 0) throw InputError(kNoImage);
      if (labels_->label_none()) {
        throw InputError(inputs.labels +
                         ": labels none of the images; first image: " + found_.list.path(0));
      }
    }
    found_.label = [labels = labels_](const std::string& path, const std::string& own) {
      return labels->label(path, own);
    };
    return std::move(found_);
  }

 private:
  bool (*is_wanted_)(const fs::path&);
  ListedImages found_;
  std::shared_ptr<GivenLabels> labels_;
};

}  // namespace

bool is_address(std::string_view path) { return path.find("://") != path.npos; }

void ImageList::add(std::string_view path, std::string_view label,
                    std::span<const std::string> fields) {
  labels_.push_back(number_of(label));
  paths_ += path;
  ends_.push_back(paths_.size());
  for (const std::string& field : fields) {
    fields_ += field;
    field_ends_.push_back(fields_.size());
  }
  field_ends_.resize(labels_.size() * field_names_.size(), fields_.size());
}

std::size_t ImageList::bytes() const {
  return paths_.capacity() + fields_.capacity() + labels_.capacity() * sizeof(labels_[0]) +
         (ends_.capacity() + field_ends_.capacity()) * sizeof(ends_[0]);
}

void ImageList::add_archive(std::shared_ptr<const ListedArchive> archive) {
  if (archive->size() > 0) stretches_.push_back({size() - archive->size(), std::move(archive)});
}

std::string ImageList::label_by_folders(std::size_t first) {
  std::optional<std::string> common;
  for (std::size_t i = first; i < size(); ++i) {
    if (stretch_of(i) != nullptr) continue;
    const std::string image = path(i);
    if (!common) common = image.substr(0, image.rfind('/') + 1);
    while (!image.starts_with(*common)) {
      common->pop_back();
      common->resize(common->rfind('/') + 1);
    }
  }
  for (std::size_t i = first; i < size(); ++i) {
    if (stretch_of(i) != nullptr) continue;
    const std::string image = path(i);
    const std::size_t end = image.rfind('/');
    if (end != image.npos && end >= common->size()) {
      labels_[i] = number_of(folder_of_member(image));
    }
  }
  return common.value_or("");
}

void ImageList::set_root(std::optional<std::size_t> bytes) {
  if (roots_.empty() || roots_.back().bytes != bytes) roots_.push_back({size(), bytes});
}

std::optional<std::size_t> ImageList::root(std::size_t i) const {
  const auto after = std::ranges::upper_bound(roots_, i, {}, &Root::first);
  return after == roots_.begin() ? std::nullopt : (after - 1)->bytes;
}

std::string ImageList::mask(std::size_t i) const {
  const std::string image = path(i);
  fs::path mask = fs::path(masks_) / image.substr(root(i).value_or(image.rfind('/') + 1));
  for (const char* ending : {".png", ".tif", ".tiff", ".npy"}) {
    if (is_there(mask.replace_extension(ending))) return mask.string();
  }
  throw InputError(image + ": has no mask: there is no " + mask.replace_extension(".png").string() +
                   ", .tif, .tiff or .npy");
}

const ImageList::Stretch* ImageList::stretch_of(std::size_t i) const {
  const auto after = std::ranges::upper_bound(stretches_, i, {}, &Stretch::first);
  if (after == stretches_.begin()) return nullptr;
  const Stretch& last = *(after - 1);
  return i - last.first < last.archive->size() ? &last : nullptr;
}

bool ImageList::is_in_order(std::size_t i) const {
  const Stretch* stretch = stretch_of(i);
  return stretch != nullptr && stretch->archive->is_in_order();
}

std::string ImageList::read(std::size_t i) const {
  const Stretch* stretch = stretch_of(i);
  if (stretch == nullptr) {
    const std::string image = path(i);
    return read_address_ && is_address(image) ? read_address_(image)
                                              : read_file(page_of_file(image).file);
  }
  return stretch->archive->read(i - stretch->first, path(i));
}

void ImageList::name_fields(std::vector<std::string> names) {
  field_names_ = std::move(names);
  field_ends_.assign(labels_.size() * field_names_.size(), 0);
}

std::vector<std::string> ImageList::fields(std::size_t i) const {
  std::vector<std::string> fields;
  const std::size_t count = field_names_.size();
  for (std::size_t f = i * count; f < (i + 1) * count; ++f) {
    const std::uint64_t first = f == 0 ? 0 : field_ends_[f - 1];
    fields.push_back(fields_.substr(first, field_ends_[f] - first));
  }
  return fields;
}

ImageList ImageList::emptied() const {
  ImageList list;
  list.field_names_ = field_names_;
  list.names_ = names_;
  list.scientific_names_ = scientific_names_;
  list.chinese_names_ = chinese_names_;
  list.numbers_ = numbers_;
  list.masks_ = masks_;
  list.read_address_ = read_address_;
  return list;
}

void ImageList::name_classes(const LeafDataset& dataset) {
  for (std::size_t c = 0; c < dataset.class_names.size(); ++c) {
    const std::uint32_t number = number_of(dataset.class_names[c]);
    if (number == 0) continue;
    scientific_names_[number - 1] = dataset.scientific_names[c];
    chinese_names_[number - 1] = dataset.chinese_names[c];
  }
}

std::uint32_t ImageList::number_of(std::string_view label) {
  const auto [at, is_new] =
      numbers_.emplace(std::string(label), static_cast<std::uint32_t>(names_.size()));
  if (is_new) {
    names_.emplace_back(label);
    scientific_names_.emplace_back();
    chinese_names_.emplace_back();
  }
  return at->second;
}

std::string ImageList::path(std::size_t i) const {
  const std::uint64_t first = i == 0 ? 0 : ends_[i - 1];
  return paths_.substr(first, ends_[i] - first);
}

std::string ImageList::digest() const {
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  std::string parts = sha256(paths_) + sha256(bytes(ends_)) + sha256(bytes(labels_));
  for (const std::string& name : names_) parts += sha256(name);
  for (const std::string& name : field_names_) parts += sha256(name);
  if (!field_names_.empty()) parts += sha256(fields_) + sha256(bytes(field_ends_));
  return sha256(parts);
}

std::string folder_of_member(const std::string& member) {
  const std::size_t end = member.rfind('/');
  const std::string folders = end == member.npos ? "" : member.substr(0, end);
  return folders.substr(folders.rfind('/') + 1);
}

void ListedImages::note(const ArchiveReader& archive) {
  if (!archive.skipped().empty()) warnings.push_back(archive.skipped());
  if (!archive.cut().empty()) cut.push_back(archive.cut());
}

ListedImages list_images(const ImageInputs& inputs) {
  if (inputs.paths.empty() && inputs.list.empty() && !inputs.labels.empty()) {
    ListedImages images;
    images.list = files_of(load_csv(inputs.labels), root_of(inputs.labels));
    return images;
  }
  const auto piped = std::ranges::count(inputs.paths, "-") + (inputs.list == "-");
  if (piped > 1) throw UsageError("standard input can be read once: give one -");
  Lister lister(inputs.labels, inputs.arrays);
  for (const std::string& path : inputs.paths) {
    if (path == "-") {
      lister.add_stream(path);
    } else if (is_folder(path)) {
      lister.add_folder(path);
    } else {
      lister.add_file(path);
    }
  }
  if (inputs.list == "-") {
    lister.add_lines(STDIN_FILENO, "standard input");
  } else if (inputs.list.ends_with(".csv")) {
    lister.add_table(inputs.list);
  } else if (!inputs.list.empty()) {
    const FileHandle lines = open_input(inputs.list);
    lister.add_lines(::fileno(lines.get()), inputs.list);
  }
  return lister.finish(inputs);
}

ImageList list_images(const LeafDataset& dataset) {
  return files_of(dataset, with_slash(dataset.root.string()));
}

}  // namespace leafglyph
