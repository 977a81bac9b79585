// Pictures of labels: regions of a photograph that others have found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/leaf_image.h"

namespace leafglyph {

/// The pixels with one label.
struct LabelRegion {
  int label = 0;  ///< 1 or more
  PictureBox box;
  std::size_t area = 0;  ///< in pixels
};

struct LabelImage {
  Image<std::uint16_t> numbers;      ///< i + 1 in regions[i]; 0: background
  std::vector<LabelRegion> regions;  ///< by label
};

/// Reads a picture whose values are labels, from the bytes of a file called `file`: grey values,
/// the numbers of a palette, or an array, of integers or of floats that are whole; 0 and below is
/// background. Throws InputError as decode_labels, for colours and other values, for more than
/// 65535 regions, and for regions that are scattered over the picture (kMaxRegionBoxes).
LabelImage read_label_image(std::string_view bytes, const std::filesystem::path& file);

/// The numbers in the middle of each pixel of a smaller picture.
Image<std::uint16_t> numbers_at(const LabelImage& labels, int width, int height);

/// Throws InputError, naming both files, unless the photograph has the size of the labels.
void check_size(const LabelImage& labels, const std::filesystem::path& file, int width, int height,
                std::string_view photograph);

}  // namespace leafglyph
