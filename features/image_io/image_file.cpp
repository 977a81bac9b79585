#include "features/image_io/image_file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/npy.h"
#include "features/image/image.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"

namespace leafglyph {
namespace {

bool is_array(const std::filesystem::path& path) { return path.extension() == ".npy"; }

// First row or column of the image inside its square.
int margin(int size, int length) { return (size - length) / 2; }

// Samples as read, with the channels interleaved.
struct LooseImage {
  int width = 0;
  int height = 0;
  int channels = 1;
  SampleDepth depth = SampleDepth::k8Bit;
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<float>,
               std::vector<double>>
      samples;
};

LooseImage image_of_array(NpyArray<double> array, const std::filesystem::path& path) {
  const std::vector<std::size_t>& shape = array.shape;
  const bool is_image =
      shape.size() == 2 || (shape.size() == 3 && (shape[2] == 1 || shape[2] == 3));
  if (!is_image || shape[0] > kMaxDecodedPixels || shape[1] > kMaxDecodedPixels) {
    std::string text;
    for (const std::size_t length : shape) {
      text += (text.empty() ? "" : " x ") + std::to_string(length);
    }
    throw FormatError(
        path.string() + ": an array of " + text +
        " is not an image; its axes are rows, columns and, where there are three, 1 or "
        "3 channels");
  }
  LooseImage image;
  image.height = static_cast<int>(shape[0]);
  image.width = static_cast<int>(shape[1]);
  image.channels = shape.size() == 3 ? static_cast<int>(shape[2]) : 1;
  image.depth = depth_of_array(array.type);
  image.samples = std::move(array.values);
  return image;
}

void make_grey(LooseImage& image, GreyRule rule) {
  std::visit(
      [&](auto& samples) {
        using Sample = typename std::remove_reference_t<decltype(samples)>::value_type;
        for (std::size_t i = 0; i < samples.size() / 3; ++i) {
          const auto* colour = samples.data() + 3 * i;
          const double grey =
              grey_value(rule,
                         {static_cast<double>(colour[0]), static_cast<double>(colour[1]),
                          static_cast<double>(colour[2])},
                         image.depth);
          samples[i] = static_cast<Sample>(
              image.depth == SampleDepth::kFloat ? grey : std::floor(grey + 0.5));
        }
        samples.resize(samples.size() / 3);
      },
      image.samples);
  image.channels = 1;
}

LooseImage loose(SampleImage decoded) {
  const SampleDepth depth = decoded.depth();
  return {decoded.width, decoded.height, decoded.channels, depth, std::move(decoded.samples)};
}

// Memory is needed for the square: one around 30000 x 2 pixels has 900 million.
void check_square(const std::filesystem::path& path, const LooseImage& image) {
  const std::string size =
      path.string() + " of " + size_text(image.width, image.height) + " pixels";
  if (image.width < 2 || image.height < 2) {
    throw InputError(path.string() + " has " + size_text(image.width, image.height) +
                     " pixels; use 2 x 2 or more");
  }
  const int side = std::max(image.width, image.height);
  if (side > kMaxSquareSide) {
    throw InputError(size + " becomes a square of " + size_text(side, side) + "; use images of " +
                     size_text(kMaxSquareSide, kMaxSquareSide) + " or less");
  }
  const double pixels = static_cast<double>(side) * side;
  check_memory(sizeof(double) * pixels * image.channels, size + ", padded to a square,",
               "make the image smaller");
}

SquareImage squared(const std::filesystem::path& path, LooseImage image,
                    std::optional<GreyRule> grey, std::optional<double> peak) {
  if (grey && image.channels == 3) make_grey(image, *grey);
  check_square(path, image);
  SquareImage square;
  square.width = image.width;
  square.height = image.height;
  square.size = std::max(image.width, image.height);
  const auto size = static_cast<std::size_t>(square.size);
  const std::vector<std::string> names = image.channels == 1
                                             ? std::vector<std::string>{"grey"}
                                             : std::vector<std::string>{"red", "green", "blue"};
  const auto top = static_cast<std::size_t>(margin(square.size, image.height));
  const auto left = static_cast<std::size_t>(margin(square.size, image.width));
  square.range = full_range(image.depth);
  double largest = 0.0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    SquareChannel channel{names[c], std::vector<double>(size * size)};
    std::visit(
        [&](const auto& samples) {
          std::size_t from = c;
          for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
            double* to = channel.pixels.data() + (top + row) * size + left;
            for (int column = 0; column < image.width; ++column, from += names.size()) {
              *to++ = static_cast<double>(samples[from]);
            }
          }
        },
        image.samples);
    const SampleRange range = range_of(image.depth, channel.pixels);
    largest = std::max(largest, range.peak);
    square.channels.push_back(std::move(channel));
  }
  square.range.peak = peak.value_or(largest);
  validate(square.range);
  return square;
}

using Channels = std::vector<std::vector<double>>;

// The samples with the channels interleaved, clipped to the range.
template <class T>
std::vector<T> samples_in(const SampleRange& range, const Channels& channels) {
  std::vector<T> samples;
  samples.reserve(channels.front().size() * channels.size());
  for (std::size_t pixel = 0; pixel < channels.front().size(); ++pixel) {
    for (const std::vector<double>& channel : channels) {
      const double value = range.clipped(channel[pixel]);
      if constexpr (std::is_integral_v<T>) {
        samples.push_back(static_cast<T>(std::lround(value)));
      } else {
        samples.push_back(static_cast<T>(value));
      }
    }
  }
  return samples;
}

// The bytes of an array with elements of type `Element`, or of an image with samples of type
// `Sample` in the format of the path's extension.
template <class Element, class Sample>
std::string file_bytes(const std::filesystem::path& path, int width, int height,
                       const SampleRange& range, const Channels& channels) {
  if (!is_array(path)) {
    return encode_image(
        {width, height, static_cast<int>(channels.size()), samples_in<Sample>(range, channels)},
        image_format_of(path).value());
  }
  std::vector<std::size_t> shape = {static_cast<std::size_t>(height),
                                    static_cast<std::size_t>(width)};
  if (channels.size() > 1) shape.push_back(channels.size());
  const auto elements = samples_in<Element>(range, channels);
  return npy_bytes<Element>(elements, shape);
}

}  // namespace

std::string size_text(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

// Decoders convert by kRec601 themselves: most JPEG files store that grey.
SquareImage read_square_image(const std::filesystem::path& path, std::optional<GreyRule> grey,
                              std::optional<double> peak) {
  return squared(path,
                 is_array(path) ? image_of_array(read_npy<double>(path), path)
                                : loose(decode_samples(path, grey == GreyRule::kRec601)),
                 grey, peak);
}

SquareImage read_square_image(std::string_view bytes, const std::filesystem::path& path,
                              std::optional<GreyRule> grey) {
  return squared(path,
                 is_array(path) ? image_of_array(parse_npy<double>(bytes, path), path)
                                : loose(decode_samples(bytes, path, grey == GreyRule::kRec601)),
                 grey, {});
}

SampleDepth depth_of_array(std::string_view type) {
  return type == "|u1"   ? SampleDepth::k8Bit
         : type == "<u2" ? SampleDepth::k16Bit
                         : SampleDepth::kFloat;
}

SampleRange range_of(SampleDepth depth, std::span<const double> values) {
  SampleRange range = full_range(depth);
  if (depth != SampleDepth::kFloat) return range;
  double largest = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, value);
  }
  if (largest > 0.0) range.peak = largest;
  return range;
}

void check_image_format(const std::filesystem::path& path, SampleDepth depth) {
  if (is_array(path)) return;
  const std::string extension = path.extension().string();
  const std::optional<ImageFormat> format = image_format_of(path);
  if (!format) {
    throw UsageError("images are not written as '" + extension +
                     "'; use .png, .jpg, .tiff, .webp, .bmp or .npy");
  }
  if (!holds(*format, depth)) {
    throw UsageError(path.string() + ": '" + extension + "' does not hold " +
                     std::string(name_of(depth)) + " samples; use " +
                     (depth == SampleDepth::k16Bit ? ".png, .tiff" : ".tiff") + " or .npy");
  }
}

std::vector<double> without_padding(std::span<const double> pixels, int width, int height,
                                    int size) {
  const auto top = static_cast<std::ptrdiff_t>(margin(size, height));
  const auto left = static_cast<std::ptrdiff_t>(margin(size, width));
  std::vector<double> cropped;
  cropped.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::ptrdiff_t row = 0; row < height; ++row) {
    const auto start = pixels.begin() + (top + row) * size + left;
    cropped.insert(cropped.end(), start, start + width);
  }
  return cropped;
}

void write_square_image(const std::filesystem::path& path, int width, int height, int size,
                        const SampleRange& range,
                        const std::vector<std::vector<double>>& channels) {
  Channels cropped;
  for (const std::vector<double>& channel : channels) {
    cropped.push_back(without_padding(channel, width, height, size));
  }
  write_image(path, width, height, range, cropped);
}

void write_image(const std::filesystem::path& path, int width, int height, const SampleRange& range,
                 const std::vector<std::vector<double>>& channels) {
  if (channels.size() != 1 && channels.size() != 3) {
    throw UsageError("an image has 1 or 3 channels, not " + std::to_string(channels.size()));
  }
  check_image_format(path, range.depth);
  for (const std::vector<double>& channel : channels) {
    if (std::any_of(channel.begin(), channel.end(), [](double v) { return std::isnan(v); })) {
      throw InputError(path.string() + " is not written: the image has values that are not " +
                       "numbers; the moments are too large");
    }
  }
  std::string bytes;
  switch (range.depth) {
    case SampleDepth::k8Bit:
      bytes = file_bytes<std::uint8_t, std::uint8_t>(path, width, height, range, channels);
      break;
    case SampleDepth::k16Bit:
      bytes = file_bytes<std::uint16_t, std::uint16_t>(path, width, height, range, channels);
      break;
    case SampleDepth::kFloat:
      bytes = file_bytes<double, float>(path, width, height, range, channels);
      break;
  }
  write_file(path, bytes);
}

}  // namespace leafglyph
