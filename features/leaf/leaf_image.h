// A photograph of a leaf after preparation and before its moments are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "features/image/image.h"

namespace leafglyph {

/// A rectangle in a photograph, in pixels of its file.
struct PictureBox {
  int left = 0, top = 0, width = 0, height = 0;
  friend bool operator==(const PictureBox&, const PictureBox&) = default;
};

/// What a part of a photograph is.
enum class PartState {
  kWhole,        ///< one leaf, all of it
  kCut,          ///< a leaf that touches the border of the photograph
  kOverlapping,  ///< several leaves that touch
  kNotALeaf,     ///< a label, a ruler, a colour chart, a stem
};

/// Global measures of a leaf, which normalising its size and position removes.
struct LeafMeasures {
  double area_share = 0;   ///< leaf area / area of the photograph, 0..1
  double mean_grey = 0;    ///< mean grey value inside the leaf, 0..255
  double spread_grey = 0;  ///< standard deviation of grey values inside the leaf
  friend bool operator==(const LeafMeasures&, const LeafMeasures&) = default;
};

/// The colours of a prepared leaf: the chromatic planes of leaf_colour.h, resampled in the same way
/// as its grey values.
struct LeafColours {
  Image<float> a, b;  ///< N x N, a* / 100 and b* / 100 inside the leaf, 0 outside it
};

/// The warning of a leaf that is not clear.
inline constexpr const char* kUnclearLeaf =
    "the leaf is not seen clearly, so that its outline may be wrong; lay it on plain paper";

/// A leaf moved to the centre of an N x N image and scaled to a fixed area.
struct PreparedLeaf {
  Image<float> grey;         ///< N x N, 0..255 inside the leaf, 0 outside it
  Image<std::uint8_t> mask;  ///< N x N, 1 inside the leaf, 0 outside it
  LeafMeasures measures;
  std::vector<std::string> warnings;    ///< one line each, without the file's name
  std::vector<std::string> notes = {};  ///< the same for normal findings
  bool from_square = false;             ///< the photograph was as wide as it was high
  bool from_colour = false;             ///< the photograph was read with colours
  /// Width of the step across the outline, as a share of the leaf's size; larger means more
  /// blurred. 0 for Finder::kThreshold, which does not measure it.
  double edge_width = 0;
  std::optional<LeafColours> colours = {};  ///< if PrepareSpec::colours asks for them
  /// outline_curvature of the leaf in the photograph, if PrepareSpec::curvature asks for it; else
  /// empty.
  std::vector<float> curvature = {};
  /// leaf_picture with PrepareSpec::picture_side, if that is not 0; else empty.
  std::vector<std::uint8_t> picture = {};
  PictureBox box = {};  ///< around the leaf in the photograph
  double area = 0;      ///< of the leaf in the photograph, in pixels of its file
  PartState state = PartState::kWhole;
  std::string reason = {};  ///< why it is not a leaf; such a part has box and area alone
  /// Parts of the photograph that were taken as one leaf because they are near each other, and may
  /// be leaves; 0: it is clear.
  int near_leaflets = 0;
  bool is_clear = true;  ///< the background is plain, or the leaf stands out clearly from it
};

}  // namespace leafglyph
