// Small pictures of leaves, for models and pages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "datasets/leaf/leaf_dataset.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// A picture as the bytes of a JPEG file, with its size in pixels; no bytes if there is none.
struct SmallPicture {
  std::string jpeg;
  int width = 0;
  int height = 0;
  friend bool operator==(const SmallPicture&, const SmallPicture&) = default;
};

/// The picture of an image file, `side` pixels on the longer side, in colour if it has any. A
/// square one is drawn in the shape `aspect` (width / height) from which it was squeezed; 0: not
/// squeezed. None when the file is not a readable image.
SmallPicture small_picture(const std::filesystem::path& file, double aspect, int side);
/// The same for a sample of a data set; a generated leaf is drawn.
SmallPicture small_picture(const LeafDataset& dataset, std::size_t sample, double aspect, int side);

/// A part of a photograph with a margin, the longer side at most `side` pixels. None if the box is
/// outside the photograph, as when its file has been replaced since the box was found.
SmallPicture small_picture(const Photograph& photograph, const PictureBox& box, int side);
/// A box, and the number that is drawn in it.
struct NumberedBox {
  int number = 0;
  PictureBox box;
};
/// The photograph, its longer side at most `side` pixels, with the boxes and their numbers.
SmallPicture numbered_picture(const Photograph& photograph, std::span<const NumberedBox> boxes,
                              int side);

/// Pictures of many samples, on thread_count() threads: picture i is of samples[i]. Throws
/// Interrupted.
std::vector<SmallPicture> small_pictures(const LeafDataset& dataset,
                                         std::span<const std::size_t> samples, double aspect,
                                         int side);

}  // namespace leafglyph
