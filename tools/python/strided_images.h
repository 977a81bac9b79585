// Images whose values lie anywhere in memory, in any number type: copied, a band of images at a
// time, to where plans can read them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "features/image/image.h"

namespace leafglyph::python {

enum class NumberType {
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kHalf,
  kFloat,
  kDouble,
  kLongDouble,
};

/// An axis of an array: its length, and the bytes from one element to the next, which may be
/// negative or 0.
struct Axis {
  std::ptrdiff_t length = 0;
  std::ptrdiff_t stride = 0;
};

/// Images or volumes of one size. The last two axes (volumes: three) are those of an image, the
/// axes before them a batch.
struct StridedImages {
  const std::byte* values = nullptr;  ///< the first value of the first image; need not be aligned
  NumberType type = NumberType::kDouble;
  bool swapped = false;  ///< not in the machine's byte order
  std::vector<Axis> axes;
  ArraySize size;
  std::size_t count = 0;  ///< number of images

  /// The type in which its values are passed on: their own if plans read it, double otherwise.
  PixelType pixel_type() const;
  /// The images as a batch, if no value must be converted or moved for that. Rows and images may be
  /// apart, unless they are volumes.
  std::optional<ImageBatch> in_place() const;
};

/// Bytes of the copies that exist at a time, or one image, if that is larger. From 1 to 16 MiB, no
/// size is the fastest for all types and precisions (measured): with few images at a time the
/// matrix products are thin, with many the copies leave the cache.
inline constexpr std::size_t kBandBytes = std::size_t{4} << 20;

using UseOfBand = std::function<void(const ImageBatch& images, std::size_t first)>;
/// Whether a batch can be read as it is.
using Reads = std::function<bool(const ImageBatch&)>;
/// What reads only images that are one after another.
inline bool reads_adjacent(const ImageBatch& images) { return images.is_adjacent(); }

/// Calls use(images, first) for consecutive parts of the images of all arrays, which have one size;
/// `first` is the number of the part's first image. The images of a single array are passed on in
/// place, all together, if reads() is true for them. Others are copied to bands of kBandBytes, by
/// all threads, in the pixel type that all arrays share, or in double.
void for_each_band(const std::vector<StridedImages>& arrays, const UseOfBand& use,
                   const Reads& reads);

}  // namespace leafglyph::python
