// One reader per file format, used by decode_image. Each calls the format's own library, because
// OpenCV's readers write to stderr, accept truncated JPEG files as whole ones, and pass files on to
// other libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "features/base/input_file.h"
#include "features/base/memory.h"
#include "features/image/image.h"
#include "features/image_io/decode_image.h"

namespace leafglyph::detail {

/// How to decode an image.
struct DecodeRequest {
  bool grey = false;         ///< one channel
  bool eight_bit = false;    ///< samples of 8 bits, whatever the file contains
  bool reduce_huge = false;  ///< a JPEG beyond kMaxDecodedPixels may be reduced
  int enough = 0;            ///< a JPEG may be reduced to this longer side; 0: it may not
  int bits = 0;  ///< with `eight_bit`: of the values (DeepSamples::stated); 0: as the file says
  Ground ground = Ground::kWhite;
  bool labels = false;  ///< numbers of a palette instead of its colours, and grey values unscaled
};

/// An image as stored in the file, before `exif_orientation` (1..8) is undone.
struct StoredImage {
  SampleImage image;
  int file_width = 0;  ///< before any reduction
  int file_height = 0;
  int reduction = 1;
  int exif_orientation = 1;
};

/// An open file and its name. `handle` is at the first byte.
struct OpenFile {
  std::filesystem::path path;
  FileHandle handle;
  MemoryReservation* memory = nullptr;  ///< for the pixels, if images wait for memory
  int page = 0;  ///< of a file of several, from 1; 0: the first that is whole
};

StoredImage decode_jpeg(const OpenFile& file, const DecodeRequest& request);
StoredImage decode_png(const OpenFile& file, const DecodeRequest& request);
StoredImage decode_tiff(const OpenFile& file, const DecodeRequest& request);
StoredImage decode_bmp(const OpenFile& file, const DecodeRequest& request);
StoredImage decode_webp(const OpenFile& file, const DecodeRequest& request);
StoredImage decode_heif(const OpenFile& file, const DecodeRequest& request);

StoredImage decode_array(const OpenFile& file, const DecodeRequest& request);

/// Throws InputError "<file>: <reason>".
[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason);

/// Throws InputError if the image would be decoded in full and is larger than kMaxDecodedPixels.
void check_pixel_count(const std::filesystem::path& file, std::uint64_t width,
                       std::uint64_t height);

/// The same, then waits for the memory that decoding that many pixels needs.
void admit_pixels(const OpenFile& file, std::uint64_t width, std::uint64_t height);
/// Waits for that much memory, or refuses the image if the file waits for none.
void admit_bytes(const OpenFile& file, double bytes);

/// The least power of two, at most 8, by which an image must be reduced to be decoded.
unsigned reduction_of_huge(std::uint64_t width, std::uint64_t height, unsigned least = 1);

/// Width / height of a pixel at these numbers of pixels per unit of length; 1 if they are not those
/// of a picture.
double pixel_aspect_of(double across, double down);

template <class T>
constexpr T white() {
  if constexpr (std::is_integral_v<T>) return std::numeric_limits<T>::max();
  return T{1};
}

/// A value with opacity `alpha` (white<T>() is opaque) on a ground. Integers are rounded.
template <class T>
T on_ground(T value, T alpha, T ground) {
  if constexpr (std::is_integral_v<T>) {
    constexpr std::uint64_t kWhite = white<T>();
    return static_cast<T>((value * std::uint64_t{alpha} + ground * (kWhite - alpha) + kWhite / 2) /
                          kWhite);
  } else {
    return value * alpha + ground * (T{1} - alpha);
  }
}

/// The ground of pixels of 2 or 4 channels, the last of which is alpha.
template <class T>
T ground_of(std::span<const T> pixels, std::size_t step, Ground ground) {
  if (ground == Ground::kWhite || step % 2 != 0) return white<T>();
  double opaque = 0, light = 0;
  for (std::size_t i = 0; i < pixels.size(); i += step) {
    const double alpha = pixels[i + step - 1];
    opaque += alpha;
    light += alpha * (step == 4 ? grey_of(pixels[i], pixels[i + 1], pixels[i + 2]) : pixels[i]);
  }
  return 2 * light > opaque * white<T>() ? T{0} : white<T>();
}

/// Composites pixels of `stored` channels (1: grey, 2: grey and alpha, 3: colour, 4: colour and
/// alpha) onto the ground. Returns 1 or 3 channels.
template <class T>
std::vector<T> laid_on(Ground ground, std::span<const T> pixels, int stored, bool grey) {
  const auto step = static_cast<std::size_t>(stored);
  const T under = ground_of(pixels, step, ground);
  const std::size_t count = pixels.size() / step;
  const bool colour = stored >= 3;
  const std::size_t kept = colour && !grey ? 3 : 1;
  std::vector<T> samples(count * kept);
  for (std::size_t i = 0; i < count; ++i) {
    const T* p = pixels.data() + i * step;
    const T alpha = stored % 2 == 0 ? p[step - 1] : white<T>();
    if (kept == 3) {
      for (std::size_t c = 0; c < 3; ++c) samples[3 * i + c] = on_ground(p[c], alpha, under);
    } else {
      samples[i] = on_ground(colour ? grey_of(p[0], p[1], p[2]) : p[0], alpha, under);
    }
  }
  return samples;
}

/// Stores an image of the file's size, without reduction.
template <class T>
void store(StoredImage& stored, std::uint32_t width, std::uint32_t height, std::vector<T> samples) {
  stored.file_width = stored.image.width = static_cast<int>(width);
  stored.file_height = stored.image.height = static_cast<int>(height);
  stored.image.channels =
      static_cast<int>(samples.size() / (static_cast<std::size_t>(width) * height));
  stored.image.samples = std::move(samples);
}

/// The orientation 1..8 in an EXIF block ("Exif\0\0" and a TIFF header); 1 if there is none.
int exif_orientation(std::span<const unsigned char> block);

}  // namespace leafglyph::detail
