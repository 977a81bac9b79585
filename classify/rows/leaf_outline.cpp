#include "classify/rows/leaf_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "classify/rows/leaf_rows.h"
#include "features/base/errors.h"
#include "features/leaf/foreground_parts.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/part_kind.h"
#include "features/leaf/photograph.h"

namespace leafglyph {
namespace {

constexpr double kTolerance = 0.75;     // of an outline, in pixels; too small to see
constexpr std::size_t kMostParts = 30;  // that the user can choose from

OutlinePoints fractions(const std::vector<cv::Point>& outline, int width, int height) {
  std::vector<cv::Point> corners;
  cv::approxPolyDP(outline, corners, kTolerance, /*closed=*/true);
  OutlinePoints result;
  result.reserve(corners.size());
  for (const cv::Point& corner : corners) {
    result.push_back({(corner.x + 0.5) / width, (corner.y + 0.5) / height});
  }
  return result;
}

// Sum of the distances between the sides of two boxes, relative to the size of the photograph.
double difference(const PictureBox& box, const Photograph& photograph,
                  const OutlinePoints& outline) {
  const auto [left, right] = std::ranges::minmax(outline, {}, &OutlinePoint::x);
  const auto [top, bottom] = std::ranges::minmax(outline, {}, &OutlinePoint::y);
  const double width = photograph.across() * photograph.grey.width();
  const double height = photograph.down() * photograph.grey.height();
  return std::abs(box.left / width - left.x) + std::abs((box.left + box.width) / width - right.x) +
         std::abs(box.top / height - top.y) + std::abs((box.top + box.height) / height - bottom.y);
}

// Parts are numbered as prepare_leaf shows them, by size, which is how they were offered.
PreparedLeaf prepare_part(std::size_t part, double area_share, const Photograph& photograph,
                          const std::string& name, const PrepareSpec& spec, OutlineSink& outlines,
                          OutlinePoints& outline) {
  prepare_leaf(photograph, name, spec, &outlines);
  if (part >= outlines.parts().size()) {
    throw UsageError(
        fmt::format("{}: there is no part {}; there are {}", name, part, outlines.parts().size()));
  }
  std::vector<PreparedLeaf> leaves = prepare_leaves(photograph, name, spec);
  std::erase_if(leaves,
                [](const PreparedLeaf& found) { return found.state == PartState::kNotALeaf; });
  outline = outlines.parts()[part].outline;
  PreparedLeaf leaf =
      std::move(*std::ranges::min_element(leaves, {}, [&](const PreparedLeaf& found) {
        return difference(found.box, photograph, outline);
      }));
  if (leaves.size() > 1) leaf.measures.area_share = area_share;
  return leaf;
}

}  // namespace

void OutlineSink::stage(std::string_view name, const Image<std::uint8_t>& image) {
  if (name != "2-binary" && name != "3-leaf") return;
  const ForegroundParts parts = foreground_parts(image);
  if (parts.outlines.empty()) return;
  const int width = image.width(), height = image.height();
  if (name == "3-leaf") {
    leaf_ = fractions(parts.outlines[parts.largest], width, height);
    return;
  }
  std::vector<PhotographPart> leaves = photograph_parts(parts, view(image), with_leaflets_);
  std::erase_if(leaves,
                [](const PhotographPart& part) { return part.state == PartState::kNotALeaf; });
  leaves.resize(std::min(leaves.size(), kMostParts));
  for (const PhotographPart& leaf : leaves) {
    const std::size_t part = leaf.outlines.front();
    parts_.push_back({fractions(parts.outlines[part], width, height),
                      parts.areas[part] / (static_cast<double>(width) * height)});
  }
}

OutlinePoints leaf_outline(const std::filesystem::path& photograph, const PrepareSpec& spec) {
  MemoryReservation memory;
  OutlineSink outlines;
  prepare_leaf(read_photograph(photograph, request_of(spec, memory)), photograph.string(), spec,
               &outlines);
  return outlines.leaf();
}

Source outlined_source(const std::string& name, std::string_view bytes, const PartChoice& choice,
                       const PrepareSpec& spec, OutlineSink& outlines, OutlinePoints& outline) {
  const auto prepare = [&name, bytes, choice, spec, &outlines, &outline](std::size_t, Input& input,
                                                                         StageLoad&) {
    MemoryReservation memory;
    const PrepareSpec read = choice.part ? for_sheets(spec) : spec;
    const Photograph photograph = read_photograph(bytes, name, request_of(read, memory));
    if (choice.part) {
      input.parts.push_back(std::make_unique<LeafPart>(prepare_part(
          *choice.part, choice.area_share, photograph, name, spec, outlines, outline)));
    } else {
      input.parts.push_back(
          std::make_unique<LeafPart>(prepare_leaf(photograph, name, spec, &outlines)));
      outline = outlines.leaf();
    }
  };
  return {1, [&name](std::size_t) { return name; }, prepare};
}

}  // namespace leafglyph
