// Small pictures of leaves on pages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>

#include "classify/page/html_page.h"
#include "classify/rows/small_picture.h"
#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// Pictures of a data set's leaves in their shape before squeezing (DataSpec::source_aspect). Each
/// is made only once.
class LeafPictures {
 public:
  /// `side`: length of the longer side in pixels. Keeps a reference to the data set.
  LeafPictures(const LeafDataset& dataset, double aspect, int side);

  /// None when the file is no longer a readable image.
  const std::optional<Picture>& of(std::size_t sample);

 private:
  const LeafDataset& dataset_;
  double aspect_;
  int side_;
  std::map<std::size_t, std::optional<Picture>> made_;
};

/// The picture for a page; none if `picture` is empty.
std::optional<Picture> page_picture(const SmallPicture& picture);

/// The picture of an image file, from small_picture.
std::optional<Picture> file_picture(const std::filesystem::path& file, double aspect, int side);

}  // namespace leafglyph
