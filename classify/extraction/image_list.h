// The inputs of an extraction, in their order, with their labels.
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

/// Paths and labels of millions of images, held closely.
class ImageList {
 public:
  void add(std::string_view path, std::string_view label);
  /// Names the classes in this order before those that add() finds.
  void name_classes(const std::vector<std::string>& names,
                    const std::vector<std::string>& scientific_names);

  std::size_t size() const { return labels_.size(); }
  std::string path(std::size_t i) const;
  const std::string& label(std::size_t i) const { return names_[labels_[i]]; }
  /// The labels that occur, without the empty one, and their scientific names.
  std::vector<std::string> classes() const { return {names_.begin() + 1, names_.end()}; }
  const std::vector<std::string>& scientific_names() const { return scientific_names_; }
  /// SHA-256 of paths and labels.
  std::string digest() const;

 private:
  std::uint32_t number_of(std::string_view label);

  std::string paths_;                // one after another
  std::vector<std::uint64_t> ends_;  // of each
  std::vector<std::uint32_t> labels_;
  std::vector<std::string> names_ = {""};  // number 0: no label
  std::vector<std::string> scientific_names_;
  std::unordered_map<std::string, std::uint32_t> numbers_ = {{"", 0}};
};

/// What the command line names.
struct ImageInputs {
  std::vector<std::string> paths;  ///< images, and folders of them
  std::string list;                ///< a file with a path a line, - for standard input
  std::string labels;              ///< CSV with the columns path and label
};

/// Lists the images: those of `paths`, a folder's with all folders inside it, sorted by name; then
/// those of the list; of the CSV alone where nothing else is named. Paths stay as they are given.
/// The label of an image is that of the CSV; without a CSV, of an image in a folder inside a folder
/// that was named, the name of the folder it lies in. Throws InputError when something cannot be
/// read or there is no image, and for a CSV that labels none of the images.
ImageList list_images(const ImageInputs& inputs);

/// The files of a data set, labelled. Throws UsageError for generated leaves, which have none.
ImageList list_images(const LeafDataset& dataset);

}  // namespace leafglyph
