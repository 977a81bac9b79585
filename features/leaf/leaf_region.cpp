#include "features/leaf/leaf_region.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <optional>

#include "features/base/errors.h"
#include "features/leaf/leaf_candidates.h"
#include "features/leaf/outline_score.h"
#include "features/leaf/paper_light.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

template <class T>
Image<T> cropped(const Image<T>& image, const cv::Rect& box) {
  Image<T> crop(box.width, box.height);
  for (int row = 0; row < box.height; ++row) {
    std::copy_n(&image.at(box.y + row, box.x), box.width, &crop.at(row, 0));
  }
  return crop;
}

// The pixels of a photograph that can show the region, and one more around it where there is one,
// so that only a region at the border of the photograph touches that of the box.
cv::Rect box_around(const LabelRegion& region, const Image<std::uint16_t>& labels,
                    const cv::Rect& photograph) {
  const double across = static_cast<double>(photograph.width) / labels.width();
  const double down = static_cast<double>(photograph.height) / labels.height();
  const PictureBox& box = region.box;
  const auto left = static_cast<int>(across * box.left) - 1;
  const auto top = static_cast<int>(down * box.top) - 1;
  const auto right = static_cast<int>(std::ceil(across * (box.left + box.width))) + 1;
  const auto bottom = static_cast<int>(std::ceil(down * (box.top + box.height))) + 1;
  return cv::Rect(left, top, right - left, bottom - top) & photograph;
}

}  // namespace

void measure_region(LeafRegion& region) {
  const PixelKernels& kernels = pixel_kernels();
  const Image<std::uint8_t>& mask = region.mask;
  double m00 = 0, m10 = 0, m01 = 0;
  for (int row = 0; row < mask.height(); ++row) {
    const auto width = static_cast<std::size_t>(mask.width());
    const MaskSums sums = kernels.mask_sums(mask.data() + row * width, width);
    m00 += static_cast<double>(sums.inside);
    m10 += static_cast<double>(sums.columns);
    m01 += static_cast<double>(sums.inside) * row;
  }
  region.area = m00;
  if (m00 > 0) {
    region.centroid_x = m10 / m00;
    region.centroid_y = m01 / m00;
  }
}

double lightness_of(const LeafRegion& region) {
  const PixelKernels& kernels = pixel_kernels();
  std::uint64_t leaf = 0, all = 0, pixels = 0;
  for (int row = 0; row < region.mask.height(); ++row) {
    const auto width = static_cast<std::size_t>(region.mask.width());
    const GreySums sums = kernels.grey_sums(region.mask.data() + row * width,
                                            region.grey.data() + row * width, width);
    leaf += sums.of_inside;
    all += sums.of_all;
    pixels += sums.inside;
  }
  const auto mean = [](std::uint64_t sum, std::uint64_t count) {
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
  };
  return mean(leaf, pixels) - mean(all - leaf, region.mask.size() - pixels);
}

void check_colours(const Photograph& photograph, std::string_view name, const PrepareSpec& spec) {
  if (spec.colours != LeafColour::kRequired || photograph.has_colour()) return;
  throw InputError(std::string(name) +
                   ": is grey, but the model, or features.colour: lab, needs colours");
}

void find_colours(const Photograph& photograph, const PrepareSpec& spec, LeafRegion& region) {
  if (spec.colours == LeafColour::kNone || !photograph.has_colour()) return;
  const bool is_paper = region.is_on_paper && lightness_of(region) <= 0;
  region.colours =
      std::make_shared<const ChromaticPlanes>(chromatic_planes(photograph, region.mask, is_paper));
  if (!is_paper) {
    region.notes.push_back(
        region.is_on_paper
            ? "the background is dark, so that colours are taken as the camera saw them"
            : "the background is not plain, so that colours are taken as the camera saw them");
  }
}

void level_light(LeafRegion& region, bool is_ruled) {
  if (!region.is_on_paper || region.light_is_even || lightness_of(region) > 0) return;
  const std::optional<Image<float>> light =
      uneven_light(is_ruled ? without_lines(region.grey) : region.grey, region.mask);
  if (!light) return;
  region.grey = levelled(region.grey, *light);
  region.notes.push_back("the light on the background is uneven and was levelled");
}

void remark_border(LeafRegion& region) {
  if (border_share(region.mask) == 0) return;
  region.state = PartState::kCut;
  region.warnings.push_back(
      "the leaf touches the border of the photograph, so part of it may be missing");
}

void for_each_labelled(const Photograph& photograph, std::string_view name,
                       const LabelImage& labels, const PrepareSpec& spec,
                       const std::function<void(const LabelRegion&, LeafRegion)>& use) {
  check_colours(photograph, name, spec);
  const cv::Rect whole(0, 0, photograph.grey.width(), photograph.grey.height());
  LeafRegion all;
  all.grey = photograph.grey;
  all.mask = Image<std::uint8_t>(whole.width, whole.height);
  const Image<std::uint16_t> own = numbers_at(labels, whole.width, whole.height);
  std::ranges::transform(own.pixels(), all.mask.data(), [](std::uint16_t number) {
    return static_cast<std::uint8_t>(number != 0);
  });
  find_colours(photograph, spec, all);
  if (spec.finder != Finder::kThreshold) level_light(all, /*is_ruled=*/false);
  for (std::size_t i = 0; i < labels.regions.size(); ++i) {
    const LabelRegion& labelled = labels.regions[i];
    const cv::Rect box = box_around(labelled, labels.numbers, whole);
    LeafRegion region;
    region.mask = Image<std::uint8_t>(box.width, box.height);
    const Image<std::uint16_t> here = cropped(own, box);
    std::ranges::transform(here.pixels(), region.mask.data(), [&](std::uint16_t number) {
      return static_cast<std::uint8_t>(number == i + 1);
    });
    measure_region(region);
    if (region.area < kLeastArea) {
      region.state = PartState::kNotALeaf;
      region.reason = "has " + std::to_string(static_cast<int>(region.area)) +
                      " pixels as it is prepared, too few for a leaf";
    } else {
      region.grey = cropped(all.grey, box);
      region.notes = all.notes;
      if (all.colours) {
        region.colours = std::make_shared<const ChromaticPlanes>(
            ChromaticPlanes{cropped(all.colours->a, box), cropped(all.colours->b, box)});
      }
      remark_border(region);
    }
    use(labelled, std::move(region));
  }
}

}  // namespace leafglyph
