#include "tools/python/strided_images.h"

#include <opencv2/core/cvdef.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

#include "features/base/threads.h"

namespace leafglyph::python {
namespace {

// Rows that a thread copies together, and columns if those of a row lie far apart: the values of a
// cache line are then used before it is displaced.
constexpr int kTileRows = 64;
constexpr int kTileColumns = 16;
// Values that a thread takes at a time; fewer would cost more to hand out than to copy.
constexpr std::size_t kValuesAtATime = std::size_t{1} << 14;

// Calls use(number) with a value of the type that `type` names.
template <class Use>
void with_number(NumberType type, const Use& use) {
  switch (type) {
    case NumberType::kInt8:
      return use(std::int8_t{});
    case NumberType::kInt16:
      return use(std::int16_t{});
    case NumberType::kInt32:
      return use(std::int32_t{});
    case NumberType::kInt64:
      return use(std::int64_t{});
    case NumberType::kUint8:
      return use(std::uint8_t{});
    case NumberType::kUint16:
      return use(std::uint16_t{});
    case NumberType::kUint32:
      return use(std::uint32_t{});
    case NumberType::kUint64:
      return use(std::uint64_t{});
    case NumberType::kHalf:
      return use(cv::float16_t{});
    case NumberType::kFloat:
      return use(float{});
    case NumberType::kDouble:
      return use(double{});
    case NumberType::kLongDouble:
      return use(static_cast<long double>(0));
  }
}

template <class Number, bool kSwapped>
Number load(const std::byte* from) {
  std::array<std::byte, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Number));
  if constexpr (kSwapped) std::reverse(bytes.begin(), bytes.end());
  Number number;
  std::memcpy(static_cast<void*>(&number), bytes.data(), sizeof(Number));
  return number;
}

template <class From, bool kSwapped, class To>
void copy_row(const std::byte* from, std::ptrdiff_t stride, int count, To* to) {
  constexpr auto kAdjacent = static_cast<std::ptrdiff_t>(sizeof(From));
  if (stride == kAdjacent) {
    if constexpr (std::is_same_v<From, To> && !kSwapped) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(To));
    } else {
      for (int i = 0; i < count; ++i) {
        to[i] = static_cast<To>(load<From, kSwapped>(from + i * kAdjacent));
      }
    }
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<To>(load<From, kSwapped>(from + i * stride));
}

// Up to kTileRows rows of a slice.
struct Tile {
  const std::byte* from = nullptr;
  int rows = 0;
  int columns = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;
};

template <class From, bool kSwapped, class To>
void copy_tile(const Tile& tile, To* to) {
  const bool far_apart = std::abs(tile.column_stride) > std::abs(tile.row_stride);
  const int step = far_apart ? kTileColumns : tile.columns;
  for (int left = 0; left < tile.columns; left += step) {
    const int columns = std::min(step, tile.columns - left);
    for (int row = 0; row < tile.rows; ++row) {
      copy_row<From, kSwapped>(tile.from + row * tile.row_stride + left * tile.column_stride,
                               tile.column_stride, columns, to + row * tile.columns + left);
    }
  }
}

// The first value of an image of the batch.
const std::byte* image_at(const StridedImages& images, std::size_t number) {
  const std::byte* at = images.values;
  for (std::size_t axis = images.axes.size() - (images.size.is_volume() ? 3 : 2); axis-- > 0;) {
    const auto length = static_cast<std::size_t>(images.axes[axis].length);
    at += static_cast<std::ptrdiff_t>(number % length) * images.axes[axis].stride;
    number /= length;
  }
  return at;
}

// Copies the images [first, first + count).
template <class From, bool kSwapped, class To>
void copy_images(const StridedImages& images, std::size_t first, std::size_t count, To* to) {
  const std::size_t last = images.axes.size();
  const int height = images.size.height;
  const int width = images.size.width;
  const auto tiles = static_cast<std::size_t>((height + kTileRows - 1) / kTileRows);
  const auto slices = static_cast<std::size_t>(images.size.slices());
  const std::size_t values =
      static_cast<std::size_t>(std::min(height, kTileRows)) * static_cast<std::size_t>(width);
  const Rounds rounds{count * slices * tiles, std::max<std::size_t>(1, kValuesAtATime / values)};
  parallel_for(rounds, [&](std::size_t round) {
    const auto top = static_cast<int>(round % tiles) * kTileRows;
    const std::size_t slice = round / tiles % slices;
    const std::size_t image = round / tiles / slices;
    Tile tile{image_at(images, first + image), std::min(kTileRows, height - top), width,
              images.axes[last - 2].stride, images.axes[last - 1].stride};
    if (images.size.is_volume()) {
      tile.from += static_cast<std::ptrdiff_t>(slice) * images.axes[last - 3].stride;
    }
    tile.from += top * tile.row_stride;
    const std::size_t row =
        (image * slices + slice) * static_cast<std::size_t>(height) + static_cast<std::size_t>(top);
    copy_tile<From, kSwapped>(tile, to + row * static_cast<std::size_t>(width));
  });
}

// Copies images as pixels of `type`, which is their own pixel type or double.
void copy_images(const StridedImages& images, std::size_t first, std::size_t count, PixelType type,
                 void* to) {
  with_number(images.type, [&](auto number) {
    using From = decltype(number);
    const auto copy = [&](auto* pixels) {
      if (images.swapped) {
        copy_images<From, true>(images, first, count, pixels);
      } else {
        copy_images<From, false>(images, first, count, pixels);
      }
    };
    if constexpr (std::is_same_v<From, std::uint8_t> || std::is_same_v<From, std::uint16_t> ||
                  std::is_same_v<From, float>) {
      if (type != PixelType::kDouble) return copy(static_cast<From*>(to));
    }
    copy(static_cast<double*>(to));
  });
}

// Several axes as one; nothing if their elements are not all equally far apart.
std::optional<Axis> merged(std::span<const Axis> axes) {
  Axis all{1, 0};
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    if (axes[axis].length == 1) continue;
    if (all.length == 1) {
      all.stride = axes[axis].stride;
    } else if (axes[axis].stride != all.length * all.stride) {
      return std::nullopt;
    }
    all.length *= axes[axis].length;
  }
  return all;
}

// The type in which images of all arrays are passed on.
PixelType common_type(const std::vector<StridedImages>& arrays) {
  const PixelType type = arrays.front().pixel_type();
  const bool same = std::all_of(arrays.begin(), arrays.end(), [&](const StridedImages& images) {
    return images.pixel_type() == type;
  });
  return same ? type : PixelType::kDouble;
}

}  // namespace

PixelType StridedImages::pixel_type() const {
  switch (type) {
    case NumberType::kUint8:
      return PixelType::kUint8;
    case NumberType::kUint16:
      return PixelType::kUint16;
    case NumberType::kFloat:
      return PixelType::kFloat;
    default:
      return PixelType::kDouble;
  }
}

std::optional<ImageBatch> StridedImages::in_place() const {
  ImageBatch batch;
  batch.pixels = values;
  batch.type = pixel_type();
  batch.count = count;
  batch.size = size;
  const auto bytes = static_cast<std::ptrdiff_t>(batch.bytes_per_pixel());
  const bool converted = batch.type == PixelType::kDouble && type != NumberType::kDouble;
  const bool aligned = reinterpret_cast<std::uintptr_t>(values) % batch.bytes_per_pixel() == 0;
  if (converted || swapped || !aligned) return std::nullopt;
  if (size.is_volume()) {
    const auto all = merged(axes);
    if (!all || (all->length != 1 && all->stride != bytes)) return std::nullopt;
    return batch;
  }
  const std::size_t last = axes.size() - 1;
  const auto images = merged(std::span(axes).first(last - 1));
  if (!images || (axes[last].length != 1 && axes[last].stride != bytes)) return std::nullopt;
  for (const Axis& axis : {axes[last - 1], *images}) {
    if (axis.length != 1 && (axis.stride == 0 || axis.stride % bytes != 0)) return std::nullopt;
  }
  if (axes[last - 1].length != 1) batch.row_stride = axes[last - 1].stride / bytes;
  if (images->length != 1) batch.image_stride = images->stride / bytes;
  return batch;
}

void for_each_band(const std::vector<StridedImages>& arrays, const UseOfBand& use,
                   const Reads& reads) {
  if (arrays.size() == 1) {
    const auto batch = arrays.front().in_place();
    if (batch && reads(*batch)) return use(*batch, 0);
  }
  ImageBatch band;
  band.size = arrays.front().size;
  band.type = common_type(arrays);
  const std::size_t bytes = band.pixels_per_image() * band.bytes_per_pixel();
  std::size_t total = 0;
  for (const StridedImages& images : arrays) total += images.count;
  const std::size_t most = std::min(total, std::max<std::size_t>(1, kBandBytes / bytes));
  const auto copies = std::make_unique_for_overwrite<std::byte[]>(most * bytes);
  band.pixels = copies.get();
  std::size_t first = 0;
  const auto pass_on = [&] {
    if (band.count > 0) use(band, first);
    first += band.count;
    band.count = 0;
  };
  for (const StridedImages& images : arrays) {
    for (std::size_t done = 0; done < images.count;) {
      const std::size_t count = std::min(most - band.count, images.count - done);
      copy_images(images, done, count, band.type, copies.get() + band.count * bytes);
      band.count += count;
      done += count;
      if (band.count == most) pass_on();
    }
  }
  pass_on();
}

}  // namespace leafglyph::python
