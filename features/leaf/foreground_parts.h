// The connected parts of a foreground. Only for the files that prepare photographs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// The 8-connected parts, each with its outer outline and its area: the pixels enclosed by the
/// outline, including holes and the outline itself.
struct ForegroundParts {
  std::vector<std::vector<cv::Point>> outlines;
  std::vector<double> areas;
  std::size_t largest = 0;  ///< the part with the largest area

  /// Whether a part is large enough to be a leaf, the largest or another one. Smaller parts are
  /// clutter.
  bool is_leaf(std::size_t part) const;
};

/// The parts of the pixels that are not 0.
ForegroundParts foreground_parts(const Image<std::uint8_t>& binary);

/// The parts that belong to the same leaf as `part`, which is the first of them: leaflets that are
/// large enough and near enough to those that belong to it already. Only the parts in `free` count.
std::vector<std::size_t> leaflets_of(const ForegroundParts& parts, std::size_t part,
                                     const std::vector<std::size_t>& free);

/// The parts of `leaf`, followed by `others` if all of them can be its leaflets, because each is
/// near the leaf or another of them; otherwise `leaf` alone. Leaves that somebody laid beside each
/// other are farther apart.
std::vector<std::size_t> with_near_leaflets(const ForegroundParts& parts,
                                            std::vector<std::size_t> leaf,
                                            std::vector<std::size_t> others);

/// Another leaf has at least this share of the area of the largest; a smaller part is clutter.
inline constexpr double kOtherLeafShare = 0.1;
/// Whether a part of this area is another leaf beside one of area `largest`, and not clutter.
bool is_leaf_sized(double area, double largest, double least_share = kOtherLeafShare);

/// The parts of each leaf, the largest leaf first, the largest part of each first: those in `free`
/// that are leaf-sized beside the largest of them, and, `with_leaflets`, leaflets_of them. `free`
/// starts with the largest. Every part belongs to one leaf at most.
std::vector<std::vector<std::size_t>> leaves_of(const ForegroundParts& parts,
                                                std::vector<std::size_t> free, bool with_leaflets,
                                                double least_share = kOtherLeafShare);

/// An image that is 1 inside the outline of a part, including holes.
Image<std::uint8_t> filled_part(const ForegroundParts& parts, std::size_t part, int width,
                                int height);

/// The parts of the pixels that are not 0, and the largest part with its holes filled.
struct LargestPart {
  ForegroundParts parts;
  Image<std::uint8_t> filled;  ///< 1 inside; empty if there are no parts
};
LargestPart largest_part(const Image<std::uint8_t>& binary);

/// 1 on the parts of `weak` that contain a pixel of `strong`; both are not 0 on theirs.
cv::Mat connected_to(const cv::Mat& strong, const cv::Mat& weak);

/// Corners of the convex hull of the pixels that are 1 in a mask.
std::vector<cv::Point> convex_hull(const Image<std::uint8_t>& mask);

/// Number of pixels enclosed by a closed outline of neighbouring pixels, including the outline
/// itself (Pick's theorem).
double enclosed_pixels(const std::vector<cv::Point>& outline);

}  // namespace leafglyph
