// Grey images, and the coordinate convention that everything in LeafGlyph uses.
//
// An N x N image is stored row by row, row 0 at the top: pixel (row j, column i) is data[j * N +
// i]. The circle inscribed in the image square is the unit circle. Pixel (j, i) has its centre at
//     x = (2 i + 1 - N) / N   (to the right),     y = (N - 1 - 2 j) / N   (up),
// is a square of side 2 / N, and has rho = hypot(x, y), theta = atan2(y, x).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace leafglyph {

/// An owning grey image of `width` x `height` pixels, rows from the top, without padding.
template <class T>
class Image {
 public:
  Image() = default;
  Image(int width, int height, T value = T{})
      : width_(width),
        height_(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), value) {}
  Image(int width, int height, std::vector<T> pixels)
      : width_(width), height_(height), pixels_(std::move(pixels)) {}

  int width() const { return width_; }
  int height() const { return height_; }
  std::size_t size() const { return pixels_.size(); }
  bool empty() const { return pixels_.empty(); }

  T& at(int row, int column) { return pixels_[index(row, column)]; }
  const T& at(int row, int column) const { return pixels_[index(row, column)]; }
  std::span<T> pixels() { return pixels_; }
  std::span<const T> pixels() const { return pixels_; }
  T* data() { return pixels_.data(); }
  const T* data() const { return pixels_.data(); }

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(column);
  }

  int width_ = 0;
  int height_ = 0;
  std::vector<T> pixels_;
};

/// The dimensions of an image or a volume. A single number stands for a square image.
struct ArraySize {
  int width = 0;
  int height = 0;
  int depth = 0;  ///< number of slices; 0: an image

  ArraySize() = default;
  ArraySize(int side) : width(side), height(side) {}
  ArraySize(int array_width, int array_height, int slices = 0)
      : width(array_width), height(array_height), depth(slices) {}

  bool is_volume() const { return depth > 0; }
  int slices() const { return is_volume() ? depth : 1; }
  std::size_t elements() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(slices());
  }
  friend bool operator==(const ArraySize&, const ArraySize&) = default;
};

std::string describe(const ArraySize& size);  ///< "512 x 512", "512 x 512 x 40"

enum class PixelType { kUint8, kUint16, kFloat, kDouble };
inline constexpr PixelType kPixelTypes[] = {PixelType::kUint8, PixelType::kUint16,
                                            PixelType::kFloat, PixelType::kDouble};

/// Calls use(typed) with `pixels` as a pointer to the type that `type` names. Returns its result.
template <class Use>
auto with_pixels(PixelType type, const void* pixels, const Use& use) {
  switch (type) {
    case PixelType::kUint8:
      return use(static_cast<const std::uint8_t*>(pixels));
    case PixelType::kUint16:
      return use(static_cast<const std::uint16_t*>(pixels));
    case PixelType::kFloat:
      return use(static_cast<const float*>(pixels));
    case PixelType::kDouble:
      break;
  }
  return use(static_cast<const double*>(pixels));
}

inline std::size_t bytes_of(PixelType type) {
  return with_pixels(type, nullptr, [](const auto* pixel) { return sizeof(*pixel); });
}

/// Whether pixels of a type may be infinite or NaN.
inline bool is_floating(PixelType type) {
  return type == PixelType::kFloat || type == PixelType::kDouble;
}

enum class MemoryKind { kHost, kDevice };

/// A non-owning batch of grey images or volumes of one size. Pixel (row j, column i) of image b is
/// at b * image_step() + j * row_step() + i. Volumes are adjacent: element (slice k, row j, column
/// i) of volume b is at (b * slices + k) * height * width + j * width + i. Values are used as they
/// are, without scaling.
struct ImageBatch {
  const void* pixels = nullptr;
  PixelType type = PixelType::kFloat;
  std::size_t count = 0;  ///< number of images or volumes
  ArraySize size;         ///< of each
  MemoryKind memory = MemoryKind::kHost;
  /// Pixels from one row, or image, to the next; 0: they are adjacent. May be negative. Not every
  /// plan reads rows or images that are apart (MomentPlan::reads).
  std::ptrdiff_t row_stride = 0, image_stride = 0;

  ImageBatch() = default;
  ImageBatch(std::span<const unsigned char> data, std::size_t image_count,
             const ArraySize& image_size)
      : pixels(data.data()), type(PixelType::kUint8), count(image_count), size(image_size) {}
  ImageBatch(std::span<const std::uint16_t> data, std::size_t image_count,
             const ArraySize& image_size)
      : pixels(data.data()), type(PixelType::kUint16), count(image_count), size(image_size) {}
  ImageBatch(std::span<const float> data, std::size_t image_count, const ArraySize& image_size)
      : pixels(data.data()), type(PixelType::kFloat), count(image_count), size(image_size) {}
  ImageBatch(std::span<const double> data, std::size_t image_count, const ArraySize& image_size)
      : pixels(data.data()), type(PixelType::kDouble), count(image_count), size(image_size) {}

  std::size_t pixels_per_image() const { return size.elements(); }
  std::size_t bytes_per_pixel() const { return bytes_of(type); }
  std::ptrdiff_t row_step() const { return row_stride != 0 ? row_stride : size.width; }
  std::ptrdiff_t image_step() const {
    return image_stride != 0 ? image_stride : static_cast<std::ptrdiff_t>(pixels_per_image());
  }
  bool is_adjacent() const {
    return row_step() == size.width &&
           (count < 2 || image_step() == static_cast<std::ptrdiff_t>(pixels_per_image()));
  }
  /// The images [first, first + n) of the batch.
  ImageBatch slice(std::size_t first, std::size_t n) const {
    ImageBatch part = *this;
    part.pixels =
        static_cast<const char*>(pixels) + static_cast<std::ptrdiff_t>(first) * image_step() *
                                               static_cast<std::ptrdiff_t>(bytes_per_pixel());
    part.count = n;
    return part;
  }
};

/// The smallest rectangle that contains every pixel of a mask: columns [left, right], rows [top,
/// bottom]. width() and height() are 0 for an empty mask.
struct MaskBox {
  int left = 0, top = 0, right = -1, bottom = -1;
  int width() const { return right - left + 1; }
  int height() const { return bottom - top + 1; }
};

MaskBox box_of(const Image<std::uint8_t>& mask);

/// The columns of a row that contain mask pixels: first to last; first > last if there are none.
struct RowSpan {
  int first = 0;
  int last = -1;
};

/// The span of a row of `width` pixels of a mask with values 0 and 1.
RowSpan span_of(const std::uint8_t* row, int width);

/// The weights of red, green and blue in ITU-R BT.601, in thousandths.
inline constexpr unsigned kRedWeight = 299, kGreenWeight = 587, kBlueWeight = 114;

/// The weighted sum of the colours. Integers are rounded.
template <class T>
T grey_of(T red, T green, T blue) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>((kRedWeight * red + kGreenWeight * green + kBlueWeight * blue + 500U) /
                          1000U);
  } else {
    return static_cast<T>(kRedWeight / 1000.0 * static_cast<double>(red) +
                          kGreenWeight / 1000.0 * static_cast<double>(green) +
                          kBlueWeight / 1000.0 * static_cast<double>(blue));
  }
}

}  // namespace leafglyph
