#include "features/leaf/label_image.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <variant>

#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/image_file.h"

namespace leafglyph {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}

constexpr std::size_t kLabels = std::size_t{1} << 16;

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

std::vector<LabelRegion> regions_of(const Image<std::uint16_t>& labels) {
  std::vector<Extent> extents(kLabels);
  for (int row = 0; row < labels.height(); ++row) {
    for (int column = 0; column < labels.width(); ++column) {
      extents[labels.at(row, column)].add(row, column);
    }
  }
  std::vector<LabelRegion> regions;
  for (std::size_t label = 1; label < kLabels; ++label) {
    const Extent& extent = extents[label];
    if (extent.area == 0) continue;
    const PictureBox box{extent.left, extent.top, extent.right - extent.left + 1,
                         extent.bottom - extent.top + 1};
    regions.push_back({static_cast<int>(label), box, extent.area});
  }
  return regions;
}

}  // namespace

LabelImage read_label_image(std::string_view bytes, const std::filesystem::path& file) {
  const SampleImage image = decode_samples(bytes, file);
  if (image.channels != 1) refuse(file, "is in colour; labels are grey values");
  if (image.depth() == SampleDepth::kFloat) {
    refuse(file,
           "does not have labels of 8 or 16 bits; renumber them to at most 65535 per picture");
  }
  LabelImage result{Image<std::uint16_t>(image.width, image.height), {}};
  std::visit(
      [&](const auto& samples) {
        std::transform(samples.begin(), samples.end(), result.labels.data(),
                       [](auto value) { return static_cast<std::uint16_t>(value); });
      },
      image.samples);
  result.regions = regions_of(result.labels);
  double boxes = 0;
  for (const LabelRegion& region : result.regions) {
    boxes += static_cast<double>(region.box.width) * region.box.height;
  }
  if (boxes > kMaxRegionBoxes * static_cast<double>(result.labels.size())) {
    refuse(file, "has regions that are scattered over the picture; is it a picture of labels?");
  }
  return result;
}

Image<std::uint16_t> labels_at(const LabelImage& labels, int width, int height) {
  const auto middle = [](int i, int count, int of) {
    return static_cast<int>((2 * static_cast<std::int64_t>(i) + 1) * of / (2 * count));
  };
  Image<std::uint16_t> result(width, height);
  for (int row = 0; row < height; ++row) {
    const int from = middle(row, height, labels.labels.height());
    for (int column = 0; column < width; ++column) {
      result.at(row, column) = labels.labels.at(from, middle(column, width, labels.labels.width()));
    }
  }
  return result;
}

void check_size(const LabelImage& labels, const std::filesystem::path& file, int width, int height,
                std::string_view photograph) {
  if (labels.labels.width() == width && labels.labels.height() == height) return;
  throw InputError(std::string(photograph) + ": has " + size_text(width, height) +
                   " pixels, but its mask " + file.string() + " has " +
                   size_text(labels.labels.width(), labels.labels.height()));
}

}  // namespace leafglyph
