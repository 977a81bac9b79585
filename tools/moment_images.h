// Images as the moments commands take and give them: any shape, grey or colour.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "features/image.h"

namespace leafglyph {

/// One channel of an image, padded with 0 to a square, the image in the middle.
struct SquareChannel {
  std::string name;            ///< grey, red, green or blue
  std::vector<double> pixels;  ///< size x size, rows from the top, 0 to 255
};

struct SquareImage {
  int width = 0;  ///< before padding
  int height = 0;
  int size = 0;  ///< after: the larger of the two
  std::vector<SquareChannel> channels;
};

/// Reads an image file; one channel for a grey image or with `grey`, else three. 16-bit values
/// count by their upper byte, transparency is dropped. Throws InputError when the file is missing,
/// no image, or smaller than 2 x 2.
SquareImage read_square_image(const std::filesystem::path& path, bool grey);

/// Throws UsageError unless images can be written in the format of the file's extension.
void check_image_format(const std::filesystem::path& path);

/// Writes channels (1: grey, 3: red, green, blue) without their padding, clipped to 0..255 and
/// rounded. Throws UsageError as check_image_format, Error as write_file.
void write_square_image(const std::filesystem::path& path, int width, int height, int size,
                        const std::vector<std::vector<double>>& channels);

}  // namespace leafglyph
