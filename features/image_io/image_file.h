// Images as the moments commands take and give them: any shape and depth, grey or colour.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/sample_range.h"

namespace leafglyph {

/// One channel of an image, padded with 0 to a square, the image in the middle.
struct SquareChannel {
  std::string name;            ///< grey, red, green or blue
  std::vector<double> pixels;  ///< size x size, rows from the top
};

struct SquareImage {
  int width = 0;  ///< before padding
  int height = 0;
  int size = 0;  ///< after: the larger of the two
  SampleRange range;
  std::vector<SquareChannel> channels;
};

/// Reads an image file as decode_samples does, or a .npy array (rows, columns) or (rows, columns,
/// channels) of 1 or 3 channels, unsigned bytes being 8-bit, unsigned 16-bit integers 16-bit and
/// all other numbers float samples. One channel for a grey image or with `grey`, else three. `peak`
/// is white; without it white is that of the depth, and of float samples the largest one. Throws
/// InputError when the file cannot be read, has fewer than 2 x 2 pixels, or more than 64 million in
/// its square; FormatError for an array of another shape; UsageError for a peak that is not valid.
SquareImage read_square_image(const std::filesystem::path& path, bool grey,
                              std::optional<double> peak = {});

/// "640 x 480", for messages.
std::string size_text(int width, int height);

/// The pixels of a channel without its padding: width x height values out of size x size.
std::vector<double> without_padding(std::span<const double> pixels, int width, int height,
                                    int size);

/// The depth of a .npy array's elements, by their type's name in the format.
SampleDepth depth_of_array(std::string_view type);

/// The range of samples of a depth: its white, that of float samples the largest of `values`.
SampleRange range_of(SampleDepth depth, std::span<const double> values);

/// Throws UsageError unless images are written in the format of the file's extension and it holds
/// samples of the depth: .npy and what ImageFormat has.
void check_image_format(const std::filesystem::path& path, SampleDepth depth);

/// Writes channels (1: grey, 3: red, green, blue) of width x height values, clipped to what samples
/// of the range can hold, and rounded unless they are float. Throws UsageError as
/// check_image_format, InputError for a value that is not a number, Error as write_file.
void write_image(const std::filesystem::path& path, int width, int height, const SampleRange& range,
                 const std::vector<std::vector<double>>& channels);

/// The same for channels padded to squares, without their padding.
void write_square_image(const std::filesystem::path& path, int width, int height, int size,
                        const SampleRange& range, const std::vector<std::vector<double>>& channels);

}  // namespace leafglyph
