// The inputs of an extraction, in order, with their labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// Paths and labels of millions of images, stored compactly.
class ImageList {
 public:
  void add(std::string_view path, std::string_view label);
  /// Puts the classes in this order before those that add() finds.
  void name_classes(const LeafDataset& dataset);

  std::size_t size() const { return labels_.size(); }
  std::string path(std::size_t i) const;
  const std::string& label(std::size_t i) const { return names_[labels_[i]]; }
  /// The labels in use, without the empty one, and their scientific and Chinese names.
  std::vector<std::string> classes() const { return {names_.begin() + 1, names_.end()}; }
  const std::vector<std::string>& scientific_names() const { return scientific_names_; }
  const std::vector<std::string>& chinese_names() const { return chinese_names_; }
  /// SHA-256 of paths and labels.
  std::string digest() const;

 private:
  std::uint32_t number_of(std::string_view label);

  std::string paths_;                // one after another
  std::vector<std::uint64_t> ends_;  // end of each path in paths_
  std::vector<std::uint32_t> labels_;
  std::vector<std::string> names_ = {""};  // number 0: no label
  std::vector<std::string> scientific_names_, chinese_names_;
  std::unordered_map<std::string, std::uint32_t> numbers_ = {{"", 0}};
};

/// The inputs on the command line.
struct ImageInputs {
  std::vector<std::string> paths;  ///< images, and folders of them
  std::string list;                ///< a file with one path per line, - for standard input
  std::string labels;              ///< CSV with the columns path and label
};

/// Lists the images: first those of `paths`, where a folder stands for all images in it and its
/// subfolders, sorted by name; then those of the list; or those of the CSV if nothing else is
/// given. Paths stay as given. The label of an image comes from the CSV; without a CSV it is the
/// name of the subfolder that contains the image. Throws InputError when something cannot be read
/// or there is no image, and for a CSV that labels none of the images.
ImageList list_images(const ImageInputs& inputs);

/// The files of a data set with their labels. Throws UsageError for generated leaves, which have no
/// files.
ImageList list_images(const LeafDataset& dataset);

}  // namespace leafglyph
