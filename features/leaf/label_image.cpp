#include "features/leaf/label_image.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <variant>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/image_file.h"

namespace leafglyph {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}

constexpr std::size_t kMostRegions = std::numeric_limits<std::uint16_t>::max();

/// The pixels of a label seen so far.
struct Extent {
  int left = std::numeric_limits<int>::max(), right = -1, top = 0, bottom = -1;
  std::size_t area = 0;

  void add(int row, int column) {
    if (area == 0) top = row;
    left = std::min(left, column);
    right = std::max(right, column);
    bottom = row;
    ++area;
  }
};

// The label that a value is; 0: background.
template <class T>
int label_of(T value, const std::filesystem::path& file) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    if (!(static_cast<double>(value) <= std::numeric_limits<int>::max()) ||
        value != std::floor(value)) {
      refuse(file, "has the value " + number_text(value) + "; labels are whole numbers below 2^31");
    }
    return value > 0 ? static_cast<int>(value) : 0;
  }
}

struct NumberedExtent : Extent {
  std::uint16_t number = 0;
};

// Calls use(row, column, extent of its label) for every pixel with a label.
template <class T, class Use>
void for_each_labelled_pixel(const std::vector<T>& values, const SampleImage& image,
                             const std::filesystem::path& file,
                             std::map<int, NumberedExtent>& extents, const Use& use) {
  int last = 0;
  NumberedExtent* extent = nullptr;
  auto value = values.begin();
  for (int row = 0; row < image.height; ++row) {
    for (int column = 0; column < image.width; ++column) {
      const int label = label_of(*value++, file);
      if (label <= 0) continue;
      if (label != last) {
        extent = &extents[label];
        if (extents.size() > kMostRegions) refuse(file, "has more than 65535 regions");
        last = label;
      }
      use(row, column, *extent);
    }
  }
}

template <class T>
LabelImage labels_of(const std::vector<T>& values, const SampleImage& image,
                     const std::filesystem::path& file) {
  std::map<int, NumberedExtent> extents;
  for_each_labelled_pixel(values, image, file, extents,
                          [](int row, int column, Extent& extent) { extent.add(row, column); });
  LabelImage labels{Image<std::uint16_t>(image.width, image.height), {}};
  for (auto& [label, extent] : extents) {
    const PictureBox box{extent.left, extent.top, extent.right - extent.left + 1,
                         extent.bottom - extent.top + 1};
    labels.regions.push_back({label, box, extent.area});
    extent.number = static_cast<std::uint16_t>(labels.regions.size());
  }
  for_each_labelled_pixel(values, image, file, extents,
                          [&](int row, int column, const NumberedExtent& extent) {
                            labels.numbers.at(row, column) = extent.number;
                          });
  return labels;
}

}  // namespace

LabelImage read_label_image(std::string_view bytes, const std::filesystem::path& file) {
  const SampleImage image = decode_labels(bytes, file);
  if (image.channels != 1) {
    refuse(file, "is in colour; labels are grey values or the numbers of a palette");
  }
  LabelImage result = std::visit(
      [&](const auto& samples) { return labels_of(samples, image, file); }, image.samples);
  double boxes = 0;
  for (const LabelRegion& region : result.regions) {
    boxes += static_cast<double>(region.box.width) * region.box.height;
  }
  if (boxes > kMaxRegionBoxes * static_cast<double>(result.numbers.size())) {
    refuse(file, "has regions that are scattered over the picture; is it a picture of labels?");
  }
  return result;
}

Image<std::uint16_t> numbers_at(const LabelImage& labels, int width, int height) {
  const auto middle = [](int i, int count, int of) {
    return static_cast<int>((2 * static_cast<std::int64_t>(i) + 1) * of / (2 * count));
  };
  Image<std::uint16_t> result(width, height);
  for (int row = 0; row < height; ++row) {
    const int from = middle(row, height, labels.numbers.height());
    for (int column = 0; column < width; ++column) {
      result.at(row, column) =
          labels.numbers.at(from, middle(column, width, labels.numbers.width()));
    }
  }
  return result;
}

void check_size(const LabelImage& labels, const std::filesystem::path& file, int width, int height,
                std::string_view photograph) {
  if (labels.numbers.width() == width && labels.numbers.height() == height) return;
  throw InputError(std::string(photograph) + ": has " + size_text(width, height) +
                   " pixels, but its mask " + file.string() + " has " +
                   size_text(labels.numbers.width(), labels.numbers.height()));
}

}  // namespace leafglyph
