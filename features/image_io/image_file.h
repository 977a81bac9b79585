// Images for the input and output of the moments commands: any shape and depth, grey or colour.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/grey.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// One channel of an image, centred and padded with 0 to a square.
struct SquareChannel {
  std::string name;            ///< grey, red, green or blue
  std::vector<double> pixels;  ///< size x size, rows from the top
};

struct SquareImage {
  int width = 0;  ///< before padding
  int height = 0;
  int size = 0;  ///< after padding: the larger of the two
  SampleRange range;
  std::vector<SquareChannel> channels;
  std::vector<std::string> notes = {};  ///< SampleImage::notes
};

/// Reads an image file as decode_samples does; of an array (.npy, FITS) the axes are (rows,
/// columns) or (rows, columns, channels), 1 or 3 channels. Unsigned bytes are 8-bit samples,
/// unsigned 16-bit integers 16-bit samples, all other numbers float samples. The result has one
/// channel if the image is grey or `grey` gives the rule by which its colours become grey (rounded
/// if they are integers), otherwise three. `peak` is the value of white. By default it is the peak
/// of the depth, or the largest sample for floats. Throws InputError if the file cannot be read,
/// has fewer than 2 x 2 pixels, or has more than 64 million in its square; FormatError for an array
/// of another shape; UsageError for an invalid peak and as grey_value.
SquareImage read_square_image(const std::filesystem::path& path, const std::optional<Grey>& grey,
                              std::optional<double> peak = {});
/// The same from the bytes of a file called `path`.
SquareImage read_square_image(std::string_view bytes, const std::filesystem::path& path,
                              const std::optional<Grey>& grey);

/// "640 x 480", for messages.
std::string size_text(int width, int height);

/// The pixels of a channel without its padding: width x height of the size x size values.
std::vector<double> without_padding(std::span<const double> pixels, int width, int height,
                                    int size);

/// The range of samples of a depth. White is the peak of the depth, or the largest of `values` for
/// floats.
SampleRange range_of(SampleDepth depth, std::span<const double> values);

/// Throws UsageError unless images can be written in the format of the file's extension and it
/// supports samples of the depth: .npy and the formats of ImageFormat.
void check_image_format(const std::filesystem::path& path, SampleDepth depth);

/// Writes channels (1: grey, 3: red, green, blue) of width x height values. They are clipped to the
/// values that samples of the range can have, and rounded unless they are float. Throws UsageError
/// as check_image_format, InputError for a NaN, and Error as write_file.
void write_image(const std::filesystem::path& path, int width, int height, const SampleRange& range,
                 const std::vector<std::vector<double>>& channels);

/// The same for channels padded to squares. Removes their padding.
void write_square_image(const std::filesystem::path& path, int width, int height, int size,
                        const SampleRange& range, const std::vector<std::vector<double>>& channels);

}  // namespace leafglyph
