// The inputs of an extraction, in order, with their labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "classify/extraction/listed_archive.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// Whether a path is an address with a scheme, such as https://host/leaf.jpg.
bool is_address(std::string_view path);

/// Paths and labels of millions of images, stored compactly. The path of an image in an archive is
/// ARCHIVE/MEMBER.
class ImageList {
 public:
  /// From now on, the first `bytes` of a path are the folder or archive that was given, and the
  /// rest is the image's name in it; without a number only its last part is.
  void set_root(std::optional<std::size_t> bytes);
  /// `fields`: of name_fields; empty ones if there are none.
  void add(std::string_view path, std::string_view label, std::span<const std::string> fields = {});
  /// The names of further fields of every image.
  void name_fields(std::vector<std::string> names);
  /// Gives the images from number `first` on that are not in an archive the label of their folder,
  /// below the innermost folder that has all of them; those directly in it none. Returns that
  /// folder.
  std::string label_by_folders(std::size_t first);
  /// The last images that were added, as many as it has, are those of this archive.
  void add_archive(std::shared_ptr<const ListedArchive> archive);
  /// Puts the classes in this order before those that add() finds.
  void name_classes(const LeafDataset& dataset);

  /// Looks for masks in this folder: see mask.
  void use_masks(std::string folder) { masks_ = std::move(folder); }
  bool has_masks() const { return !masks_.empty(); }
  /// Reads images whose path is an address (is_address) by `read`, which is called from many
  /// threads and throws InputError, naming the address.
  void read_addresses_by(std::function<std::string(const std::string& address)> read) {
    read_address_ = std::move(read);
  }
  /// Its names of fields and classes, its folder of masks and reader of addresses, without images.
  ImageList emptied() const;

  std::size_t size() const { return labels_.size(); }
  /// Memory that it takes.
  std::size_t bytes() const;
  std::string path(std::size_t i) const;
  /// The number of set_root when image i was added.
  std::optional<std::size_t> root(std::size_t i) const;
  const std::string& label(std::size_t i) const { return names_[labels_[i]]; }
  const std::vector<std::string>& field_names() const { return field_names_; }
  std::vector<std::string> fields(std::size_t i) const;
  /// All of image i. Safe from many threads. Throws InputError, naming the image.
  std::string read(std::size_t i) const;
  /// The picture of labels that belongs to image i: in the folder of masks, of the name that the
  /// image has in its own, but for its ending .png, .tif, .tiff or .npy. Throws InputError, naming
  /// the image, if there is none.
  std::string mask(std::size_t i) const;
  /// Whether image i is read after those before it (ListedArchive::is_in_order).
  bool is_in_order(std::size_t i) const;
  /// The labels in use, without the empty one, and their scientific and Chinese names.
  std::vector<std::string> classes() const { return {names_.begin() + 1, names_.end()}; }
  const std::vector<std::string>& scientific_names() const { return scientific_names_; }
  const std::vector<std::string>& chinese_names() const { return chinese_names_; }
  /// SHA-256 of paths, labels and fields.
  std::string digest() const;

 private:
  struct Stretch {  // images of an archive
    std::size_t first = 0;
    std::shared_ptr<const ListedArchive> archive;
  };
  struct Root {
    std::size_t first = 0;  // image
    std::optional<std::size_t> bytes;
  };
  const Stretch* stretch_of(std::size_t i) const;
  std::uint32_t number_of(std::string_view label);

  std::string paths_;                // one after another
  std::vector<std::uint64_t> ends_;  // end of each path in paths_
  std::vector<std::uint32_t> labels_;
  std::vector<Stretch> stretches_;
  std::vector<Root> roots_;
  std::string masks_;
  std::function<std::string(const std::string&)> read_address_;
  std::vector<std::string> field_names_;
  std::string fields_;                     // of one image after another
  std::vector<std::uint64_t> field_ends_;  // as many per image as there are names
  std::vector<std::string> names_ = {""};  // number 0: no label
  std::vector<std::string> scientific_names_, chinese_names_;
  std::unordered_map<std::string, std::uint32_t> numbers_ = {{"", 0}};
};

/// The inputs on the command line.
struct ImageInputs {
  std::vector<std::string> paths;  ///< images, folders and archives of them; -: a tar on stdin
  /// A file with one path per line, - for standard input, labelled as by label_by_folders; or, if
  /// its name ends in .csv, a table with the column path, perhaps label, and others, which become
  /// fields.
  std::string list;
  std::string labels;   ///< CSV with the columns path and label
  bool arrays = false;  ///< of folders the arrays (is_array_name), which hold volumes
};

/// The label of the image at a path whose folder has the name `own`.
using LabelOf = std::function<std::string(const std::string& path, const std::string& own)>;
/// The folder in which a member of an archive is: "oak" of "leaves/oak/1.jpg"; perhaps empty.
std::string folder_of_member(const std::string& member);

/// An archive that is read once, from beginning to end: a compressed tar, or standard input.
struct StreamedArchive {
  std::size_t before = 0;  ///< its images come before this one of the list
  std::string path;        ///< -: standard input
};

/// What list_images finds.
struct ListedImages {
  ImageList list;                        ///< without the images of streams
  std::vector<StreamedArchive> streams;  ///< in order
  LabelOf label;                         ///< for their images
  std::vector<std::string> warnings;     ///< one line each, about archives and tables
  std::vector<std::string> cut;          ///< the same, about archives that end early
  std::string labelled;  ///< how the paths of a list got labels, in a line; "" if they got none

  /// Keeps what is to be said of an archive that was read.
  void note(const ArchiveReader& archive);
};
inline constexpr const char* kNoImage = "there is no image to extract features from";

/// Lists the images: first those of `paths`, where a folder stands for all images in it and its
/// subfolders, sorted by name, and an archive (is_archive_name) for those in it, in its order; then
/// those of the list; or those of the CSV if nothing else is given. Paths stay as given; in a table
/// a relative path starts at its folder. The label of an image comes from the CSV; without a CSV it
/// is the name of the subfolder that contains the image. Throws InputError when something cannot be
/// read or there is no image, for a CSV that labels none of the images, and for a table whose
/// columns are invalid or have the name of a column of a store; UsageError if standard input is
/// asked for twice.
ListedImages list_images(const ImageInputs& inputs);

/// The files of a data set with their labels. Throws UsageError for generated leaves, which have no
/// files.
ImageList list_images(const LeafDataset& dataset);

}  // namespace leafglyph
