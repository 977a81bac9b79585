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

void make_grey(SampleImage& image, const Grey& rule) {
  const SampleDepth depth = image.depth();
  std::visit(
      [&](auto& samples) {
        using Sample = typename std::remove_reference_t<decltype(samples)>::value_type;
        for (std::size_t i = 0; i < samples.size() / 3; ++i) {
          const auto* colour = samples.data() + 3 * i;
          const double grey =
              grey_value(rule,
                         {static_cast<double>(colour[0]), static_cast<double>(colour[1]),
                          static_cast<double>(colour[2])},
                         depth);
          samples[i] =
              static_cast<Sample>(depth == SampleDepth::kFloat ? grey : std::floor(grey + 0.5));
        }
        samples.resize(samples.size() / 3);
      },
      image.samples);
  image.channels = 1;
}

// Memory is needed for the square: one around 30000 x 2 pixels has 900 million.
void check_square(const std::filesystem::path& path, const SampleImage& image) {
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

// Puts a channel of the image into rows that are `stride` apart.
template <class T>
void put(const std::vector<T>& samples, const SampleImage& image, std::size_t channel, double* to,
         std::size_t stride) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto step = static_cast<std::size_t>(image.channels);
  const T* from = samples.data() + channel;
  for (int row = 0; row < image.height; ++row, from += width * step, to += stride) {
    if (step == 1) {
      std::copy_n(from, width, to);
    } else {
      for (std::size_t i = 0; i < width; ++i) to[i] = static_cast<double>(from[i * step]);
    }
  }
}

SquareImage squared(const std::filesystem::path& path, SampleImage image,
                    const std::optional<Grey>& grey, std::optional<double> peak) {
  if (grey && image.channels == 3) make_grey(image, *grey);
  check_square(path, image);
  SquareImage square;
  square.width = image.width;
  square.height = image.height;
  square.notes = std::move(image.notes);
  square.size = std::max(image.width, image.height);
  const auto size = static_cast<std::size_t>(square.size);
  const std::vector<std::string> names = image.channels == 1
                                             ? std::vector<std::string>{"grey"}
                                             : std::vector<std::string>{"red", "green", "blue"};
  const auto top = static_cast<std::size_t>(margin(square.size, image.height));
  const auto left = static_cast<std::size_t>(margin(square.size, image.width));
  square.range = full_range(image.depth());
  double largest = 0.0;
  for (std::size_t c = 0; c < names.size(); ++c) {
    SquareChannel channel{names[c], std::vector<double>(size * size)};
    double* const first = channel.pixels.data() + top * size + left;
    std::visit([&](const auto& samples) { put(samples, image, c, first, size); }, image.samples);
    const SampleRange range = range_of(image.depth(), channel.pixels);
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
SquareImage read_square_image(const std::filesystem::path& path, const std::optional<Grey>& grey,
                              std::optional<double> peak) {
  return squared(path, decode_samples(path, grey == Grey(GreyRule::kRec601)), grey, peak);
}

SquareImage read_square_image(std::string_view bytes, const std::filesystem::path& path,
                              const std::optional<Grey>& grey) {
  return squared(path, decode_samples(bytes, path, grey == Grey(GreyRule::kRec601)), grey, {});
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
