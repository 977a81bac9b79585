#include "features/leaf/segment_leaf.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/graph_cut.h"
#include "features/leaf/hanging_leaflets.h"
#include "features/leaf/leaf_candidates.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/outline_score.h"
#include "features/leaf/part_kind.h"
#include "features/leaf/petiole.h"
#include "features/leaf/scene.h"
#include "features/leaf/sheet_foreground.h"
#include "features/leaf/touching_leaves.h"

namespace leafglyph {
namespace {

// If the foreground covers a larger share of the frame than this, it is the background.
constexpr double kMostBorderShare = 0.5;
// Outlines of leaves are sharper than this, including blurred ones in small photographs.
constexpr double kLeastSharpness = 0.5;
// If a smaller share of the foreground than this lies in leaf-sized parts, it is clutter.
constexpr double kLeastInParts = 0.3;
// Of the masks of 140 photographs on plants and of corn, which has no outline in them, all 8 of
// less than kLeastQuality show something else, and so do 21 of 23 below kClearQuality.
constexpr double kLeastQuality = 0.5, kClearQuality = 0.8;
// Photographs with noise of at least this many grey values are smoothed. Scans stay below.
constexpr double kStrongNoise = 10;

std::string message(std::string_view name, std::string_view reason) {
  return std::string(name) + ": " + std::string(reason);
}

// In a photograph with a single grey value, every threshold would satisfy Otsu's criterion.
void check_values(const cv::Mat& photograph, std::string_view name) {
  double darkest = 0, lightest = 0;
  cv::minMaxLoc(photograph, &darkest, &lightest);
  if (darkest == lightest) {
    throw InputError(message(name, "every pixel has the same grey value; there is no leaf in it"));
  }
}

void check_contrast(double contrast, std::string_view name) {
  if (contrast < kLeastContrast) {
    throw InputError(message(name, "no leaf found: dark and light parts differ by only " +
                                       std::to_string(static_cast<int>(std::lround(contrast))) +
                                       " of 255 grey values"));
  }
}

/// The region of the whole foreground, and its parts if they were determined.
struct Found {
  LeafRegion region;
  bool is_ruled = false;  // the paper has lines
  std::optional<LargestPart> largest = {};
  std::optional<Sheet> sheet = {};  // without its mask, which is the region's

  LargestPart take_largest() { return largest ? std::move(*largest) : largest_part(region.mask); }
};

// What else on the photograph could be a leaf, if the leaf is the largest part that is one: a label
// beside it may be larger. Where nothing looks like a leaf, the largest part is taken.
struct LargestLeaf {
  std::size_t first = 0;            // its largest part
  std::vector<std::size_t> others;  // the largest parts of the other leaves
};

LargestLeaf largest_leaf(const ForegroundParts& parts, const Image<std::uint8_t>& mask) {
  LargestLeaf leaf;
  for (const PhotographPart& part : photograph_parts(parts, view(mask), /*with_leaflets=*/false)) {
    if (part.state != PartState::kNotALeaf) leaf.others.push_back(part.outlines.front());
  }
  if (leaf.others.empty()) {
    for (std::size_t i = 0; i < parts.areas.size(); ++i) {
      if (parts.is_leaf(i)) leaf.others.push_back(i);
    }
    std::swap(leaf.others.front(), *std::ranges::find(leaf.others, parts.largest));
  }
  leaf.first = leaf.others.front();
  leaf.others.erase(leaf.others.begin());
  return leaf;
}

// The parts of the leaf, its largest part first.
std::vector<std::size_t> parts_of_leaf(const ForegroundParts& parts, std::size_t first,
                                       const PrepareSpec& spec) {
  if (spec.parts == LeafParts::kLargest) return {first};
  std::vector<std::size_t> all(parts.areas.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return leaflets_of(parts, first, all);
}

void add_leaflets(const ForegroundParts& parts, std::span<const std::size_t> leaf,
                  LeafRegion& region) {
  if (leaf.size() > 1) {
    region.notes.push_back("the leaf includes " + counted(leaf.size() - 1, "part", "parts") +
                           " near its largest");
  }
  for (const std::size_t leaflet : leaf.subspan(1)) {
    const Image<std::uint8_t> filled =
        filled_part(parts, leaflet, region.mask.width(), region.mask.height());
    cv::bitwise_or(view(region.mask), view(filled), view(region.mask));
  }
}

void cut_stalk(LeafRegion& region, const PrepareSpec& spec, double pixel_aspect) {
  if (spec.petiole == Petiole::kKeep) return;
  const double share = cut_petiole(region.mask, pixel_aspect);
  if (share == 0) return;
  const auto tenths = static_cast<int>(std::lround(1000 * share));
  region.notes.push_back("the stalk, " + std::to_string(tenths / 10) + "." +
                         std::to_string(tenths % 10) + " % of the leaf, was cut off");
}

// Keeps the leaf that encloses the most pixels, without its stalk, and its leaflets; fills holes.
void keep_leaf(Found& found, const PrepareSpec& spec, double pixel_aspect) {
  auto [parts, filled] = found.take_largest();
  if (parts.outlines.empty()) return;
  LargestLeaf largest{parts.largest, {}};
  if (parts.outlines.size() > 1) largest = largest_leaf(parts, found.region.mask);
  // On ruled paper, what lies near the leaf are pieces of lines.
  std::vector<std::size_t> leaf = found.is_ruled ? std::vector<std::size_t>{largest.first}
                                                 : parts_of_leaf(parts, largest.first, spec);
  const bool with_stalks =
      spec.finder == Finder::kScene && spec.parts == LeafParts::kLeaf && !found.is_ruled;
  if (with_stalks) {
    std::vector<std::size_t> apart = largest.others;
    std::erase_if(apart,
                  [&](std::size_t other) { return std::ranges::find(leaf, other) != leaf.end(); });
    leaf = with_hanging_leaflets(parts, std::move(leaf), apart, found.region.grey,
                                 -lightness_of(found.region));
  }
  const auto leave_out = [&] {
    std::erase_if(largest.others,
                  [&](std::size_t other) { return std::ranges::find(leaf, other) != leaf.end(); });
  };
  leave_out();
  if (with_stalks && !largest.others.empty()) {
    const std::size_t before = leaf.size();
    leaf = with_near_leaflets(parts, std::move(leaf), largest.others);
    if (leaf.size() > before) {
      found.region.near_leaflets = static_cast<int>(largest.others.size()) + 1;
      found.region.warnings.push_back(
          std::to_string(found.region.near_leaflets) +
          " parts near each other were taken as leaflets of one leaf; if they are leaves, "
          "identify every leaf");
    }
    leave_out();
  }
  if (spec.parts == LeafParts::kTogether) {
    leaf.insert(leaf.end(), largest.others.begin(), largest.others.end());
    leave_out();
  }
  if (const std::size_t others = largest.others.size(); others > 0) {
    found.region.warnings.push_back("several leaves: used the largest part and left out " +
                                    std::to_string(others) + (others == 1 ? " other" : " others"));
  }
  found.region.mask = largest.first == parts.largest
                          ? std::move(filled)
                          : filled_part(parts, largest.first, found.region.mask.width(),
                                        found.region.mask.height());
  cut_stalk(found.region, spec, pixel_aspect);
  add_leaflets(parts, leaf, found.region);
}

Image<std::uint8_t> black_and_white(const Image<std::uint8_t>& mask) {
  Image<std::uint8_t> picture(mask.width(), mask.height());
  std::transform(mask.pixels().begin(), mask.pixels().end(), picture.pixels().begin(),
                 [](std::uint8_t inside) { return inside ? std::uint8_t{255} : std::uint8_t{0}; });
  return picture;
}

void check_border(double covered, std::string_view name, Background background) {
  if (covered <= kMostBorderShare) return;
  switch (background) {
    case Background::kLight:
      throw InputError(message(name,
                               "the border of the photograph is dark, so the background is not "
                               "light; for leaves on a dark background set background: dark"));
    case Background::kDark:
      throw InputError(message(name,
                               "the border of the photograph is light, so the background is not "
                               "dark; for leaves on a light background set background: light"));
    case Background::kAuto:
      throw InputError(message(name,
                               "no leaf: the foreground covers the border of the photograph; lay "
                               "the leaf on plain paper and keep all of it in the picture"));
  }
}

LeafRegion found_by_threshold(const Photograph& photograph, std::string_view name,
                              const PrepareSpec& spec) {
  LeafRegion region;
  region.grey = photograph.grey;
  const cv::Mat grey = view(region.grey);
  const bool leaf_is_dark = spec.background == Background::kLight;
  region.mask = Image<std::uint8_t>(region.grey.width(), region.grey.height());
  cv::Mat mask = view(region.mask);
  region.threshold = static_cast<int>(
      cv::threshold(grey, mask, 0, /*maxval=*/1,
                    cv::THRESH_OTSU | (leaf_is_dark ? cv::THRESH_BINARY_INV : cv::THRESH_BINARY)));
  check_contrast(std::abs(lightness_of(region)), name);
  return region;
}

// Smooths noise that is stronger than that of scanners and of cameras in good light. Edges remain;
// details that do not exceed the noise disappear.
std::optional<Photograph> smoothed(const Photograph& photograph) {
  const Image<std::uint8_t>& grey = photograph.grey;
  const double noise = noise_of(grey, kStrongNoise);
  if (noise < kStrongNoise) return std::nullopt;
  Photograph result{Image<std::uint8_t>(grey.width(), grey.height()), photograph.colour};
  cv::bilateralFilter(view(grey), view(result.grey), 0,
                      /*sigmaColor=*/3 * noise, /*sigmaSpace=*/1.5, cv::BORDER_REPLICATE);
  return result;
}

void remark_quality(double quality, LeafRegion& region) {
  region.is_clear = quality >= kClearQuality;
  if (region.is_clear) return;
  region.warnings.emplace_back(kUnclearLeaf);
}

Found found_by_cut(const Photograph& photograph, ClearestMask cut) {
  LeafRegion region;
  region.grey = photograph.grey;
  region.mask = std::move(cut.mask);
  region.is_on_paper = false;
  remark_quality(cut.quality, region);
  region.notes.emplace_back("the background is not plain: the leaf was found by a graph cut");
  return {std::move(region)};
}

// What is weighed against graph cuts where the background is not plain, unless the photographs are
// said to have a plain one. A leaf that fills the picture has no background: it is not seen
// clearly, but is not refused for that, and a cut has nothing to separate.
ClearestMask weighed(const Photograph& photograph, std::string_view name, const PrepareSpec& spec,
                     const LeafCandidate& best) {
  if (spec.finder != Finder::kScene || spec.background != Background::kAuto) return {};
  ClearestMask clearest = clearest_mask(photograph, best);
  if (clearest.quality < kLeastQuality) {
    clearest.mask = {};
    if (fills_picture(cut_size(photograph))) return clearest;
    throw InputError(
        message(name,
                "no leaf can be seen clearly; lay it on plain paper, or keep it in the "
                "middle, larger and apart from others"));
  }
  return clearest;
}

Found found_best(const Photograph& noisy, std::string_view name, const PrepareSpec& spec) {
  const std::optional<Photograph> smooth = smoothed(noisy);
  const Photograph& photograph = smooth ? *smooth : noisy;
  LeafCandidate best = best_candidate(photograph, spec.background);
  ClearestMask clearest = weighed(photograph, name, spec, best);
  if (!clearest.mask.empty()) return found_by_cut(photograph, std::move(clearest));
  check_contrast(best.score.contrast, name);
  check_border(best.score.border, name, spec.background);
  if (best.score.crossing > 1) {
    throw InputError(message(name,
                             "no leaf: several parts run from one side of the picture to "
                             "another"));
  }
  if (best.score.sharpness < kLeastSharpness) {
    const auto sharp = static_cast<int>(std::lround(100 * best.score.sharpness));
    throw InputError(message(name, "no leaf: the foreground has no sharp outline (" +
                                       std::to_string(sharp) +
                                       " % of it); is it a shadow, or out of focus?"));
  }
  if (best.score.in_parts < kLeastInParts) {
    throw InputError(message(name, "no leaf: the foreground is scattered over many small parts"));
  }
  LeafRegion region;
  region.threshold = best.threshold;
  region.grey = photograph.grey;
  region.mask = std::move(best.binary);
  region.light_is_even = best.light_is_even;
  region.edge_width = best.score.edge_width;
  remark_quality(clearest.quality, region);
  if (best.by != SegmentedBy::kGrey) {
    region.notes.push_back("the leaf was found by " + std::string(name_of(best.by)));
  }
  return {std::move(region), best.by == SegmentedBy::kUnruled, std::move(best.largest)};
}

// Segments the whole foreground.
Found found(const Photograph& photograph, std::string_view name, const PrepareSpec& spec) {
  check_colours(photograph, name, spec);
  check_values(view(photograph.grey), name);
  return spec.finder == Finder::kThreshold ? Found{found_by_threshold(photograph, name, spec)}
                                           : found_best(photograph, name, spec);
}

Leaflets leaflets_as(const PrepareSpec& spec) {
  if (spec.parts != LeafParts::kLeaf) return Leaflets::kNone;
  return spec.finder == Finder::kScene ? Leaflets::kHanging : Leaflets::kNear;
}

// A sheet with several parts; nullopt if the photograph is not one.
std::optional<Found> found_sheet(const Photograph& noisy, std::string_view name,
                                 const PrepareSpec& spec) {
  if (spec.finder == Finder::kThreshold) return std::nullopt;
  check_colours(noisy, name, spec);
  const std::optional<Photograph> smooth = smoothed(noisy);
  const Photograph& photograph = smooth ? *smooth : noisy;
  Found all;
  all.sheet = find_sheet(photograph, spec.background, leaflets_as(spec));
  if (!all.sheet) return std::nullopt;
  all.region.grey = photograph.grey;
  all.region.mask = std::move(all.sheet->mask);
  return all;
}

// The outline of a part; null if it has several.
const std::vector<cv::Point>* only_outline(const PhotographPart& part,
                                           const ForegroundParts& parts) {
  if (!part.mask.empty()) {
    return part.mask_outlines.size() == 1 ? &part.mask_outlines.front() : nullptr;
  }
  return part.outlines.size() == 1 ? &parts.outlines[part.outlines.front()] : nullptr;
}

// Whether box `a` starts above box `b`, or further left if both start in the same row.
bool comes_first(const cv::Rect& a, const cv::Rect& b) {
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

// Every part of what was found.
std::vector<LeafRegion> parts_of(Found everything, LeafScene& scene, std::string_view name,
                                 const PrepareSpec& spec, double pixel_aspect) {
  const Photograph& photograph = scene.photograph();
  LeafRegion& all = everything.region;
  if (StageSink* const sink = scene.sink()) {
    sink->stage("1-grey", photograph.grey);
    sink->stage("2-binary", black_and_white(all.mask));
  }
  if (spec.finder == Finder::kThreshold) {
    check_border(border_share(all.mask), name, spec.background);
  }
  const bool with_leaflets = spec.parts == LeafParts::kLeaf;
  std::optional<Sheet>& sheet = everything.sheet;
  const ForegroundParts parts = sheet ? std::move(sheet->parts) : everything.take_largest().parts;
  std::vector<PhotographPart> found_parts =
      sheet ? std::move(sheet->found) : photograph_parts(parts, view(all.mask), with_leaflets);
  if (!sheet && !everything.is_ruled && leaflets_as(spec) == Leaflets::kHanging) {
    join_hanging_leaflets(parts, found_parts, all.grey, -lightness_of(all));
  }
  std::erase_if(found_parts, [&](const PhotographPart& part) {
    return parts.areas[part.outlines.front()] < kLeastArea;
  });
  if (found_parts.empty()) {
    throw InputError(message(name, "no leaf: no part of the foreground has " +
                                       std::to_string(static_cast<int>(kLeastArea)) + " pixels"));
  }
  std::ranges::sort(found_parts, comes_first, [&](const PhotographPart& part) {
    return cv::boundingRect(parts.outlines[part.outlines.front()]);
  });
  find_colours(photograph, spec, all);
  // The light is estimated from the paper around all leaves.
  if (spec.finder != Finder::kThreshold) level_light(all, everything.is_ruled);
  std::vector<LeafRegion> regions;
  for (PhotographPart& part : found_parts) {
    LeafRegion region;
    const bool is_refined = !part.mask.empty();
    const std::vector<cv::Point>* const outline = only_outline(part, parts);
    region.mask =
        is_refined ? std::move(part.mask)
                   : filled_part(parts, part.outlines.front(), all.mask.width(), all.mask.height());
    region.state = part.state;
    region.reason = std::move(part.reason);
    if (region.state != PartState::kNotALeaf) {
      region.threshold = all.threshold;
      region.grey = all.grey;
      region.is_clear = all.is_clear;
      region.notes = all.notes;
      region.warnings = all.warnings;
      region.colours = all.colours;
      cut_stalk(region, spec, pixel_aspect);
      if (!is_refined) add_leaflets(parts, part.outlines, region);
      if (outline != nullptr && are_several_leaves(*outline, photograph)) {
        region.state = PartState::kOverlapping;
      }
    }
    measure_region(region);
    if (region.state != PartState::kNotALeaf) remark_border(region);
    scene.place(region);
    regions.push_back(std::move(region));
  }
  return regions;
}

void check_separable(const PrepareSpec& spec) {
  if (spec.parts == LeafParts::kAll || spec.parts == LeafParts::kTogether) {
    throw UsageError("separate leaves do not go with preparation.parts: " +
                     std::string(name_of(spec.parts)));
  }
}

}  // namespace

LeafRegion segment_leaf(const Photograph& whole, std::string_view name, const PrepareSpec& spec,
                        StageSink* stages, double pixel_aspect) {
  LeafScene scene(whole, spec, stages);
  const Photograph& photograph = scene.photograph();
  StageSink* const sink = scene.sink();
  if (sink != nullptr) sink->stage("1-grey", photograph.grey);
  Found all = found(photograph, name, spec);
  LeafRegion& region = all.region;
  if (sink != nullptr) sink->stage("2-binary", black_and_white(region.mask));
  if (spec.finder == Finder::kThreshold) {
    check_border(border_share(region.mask), name, spec.background);
  }
  find_colours(photograph, spec, region);
  if (spec.parts != LeafParts::kAll) keep_leaf(all, spec, pixel_aspect);
  measure_region(region);
  if (region.area < kLeastArea) {
    throw InputError(message(name, "no leaf: the largest part of the foreground has " +
                                       std::to_string(static_cast<int>(region.area)) + " pixels"));
  }
  remark_border(region);
  if (sink != nullptr) sink->stage("3-leaf", black_and_white(region.mask));
  if (spec.finder != Finder::kThreshold) level_light(region, all.is_ruled);
  scene.place(region);
  return std::move(region);
}

std::optional<std::vector<LeafRegion>> segment_sheet(const Photograph& photograph,
                                                     std::string_view name, const PrepareSpec& spec,
                                                     StageSink* sink, double pixel_aspect) {
  check_separable(spec);
  LeafScene scene(photograph, spec, sink);
  std::optional<Found> sheet = found_sheet(scene.photograph(), name, spec);
  if (!sheet) return std::nullopt;
  return parts_of(std::move(*sheet), scene, name, spec, pixel_aspect);
}

std::vector<LeafRegion> segment_leaves(const Photograph& photograph, std::string_view name,
                                       const PrepareSpec& spec, StageSink* sink,
                                       double pixel_aspect) {
  if (auto sheet = segment_sheet(photograph, name, spec, sink, pixel_aspect)) {
    return std::move(*sheet);
  }
  LeafScene scene(photograph, spec, sink);
  return parts_of(found(scene.photograph(), name, spec), scene, name, spec, pixel_aspect);
}

}  // namespace leafglyph
