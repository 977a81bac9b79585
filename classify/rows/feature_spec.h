// The features to compute of each prepared leaf.
#pragma once

#include <string>
#include <vector>

#include "classify/rows/joined_table.h"
#include "classify/rows/network.h"
#include "classify/table/feature_table.h"
#include "features/base/names.h"
#include "features/leaf/channels.h"
#include "features/plan/moment_plan.h"

namespace leafglyph {

class Keys;

/// Whether colours add channels and measures of their own to the grey ones.
enum class FeatureColour {
  kNone,
  /// If every training photograph has colours, and cross-validation inside the training leaves
  /// identifies more leaves correctly with them than without.
  kAuto,
  kLab,  ///< always; a photograph without colours is refused
};
template <>
inline constexpr Names<FeatureColour, 3> kNamesOf<FeatureColour> = {
    "colour",
    {{{FeatureColour::kNone, "none"},
      {FeatureColour::kAuto, "auto"},
      {FeatureColour::kLab, "lab"}}}};

struct FeatureSpec {
  Family family = Family::kZernike;
  JacobiWeight weight;  ///< of kJacobi
  int order = 30;
  std::vector<Channel> channels = {Channel::kGrey};  ///< none of colour
  FeatureColour colour = FeatureColour::kNone;
  bool measures = false;  ///< the global measures of channels.h as further columns
  NetworkSpec network;    ///< its values as further columns
  JoinSpec join;          ///< columns of a table
  Precision precision = Precision::kFloat;
};

/// The keys of the mapping `features`.
void declare(Keys& keys, FeatureSpec& spec);

/// The channels whose moments are taken: those of the grey leaf, then those of colour.
std::vector<Channel> image_channels_of(const FeatureSpec& features);
/// Whether the curvature of outlines is among the features.
bool has_curvature(const FeatureSpec& features);
/// The columns that the features have when computed to `order`.
FeatureLayout feature_layout(const FeatureSpec& features, int order);
/// "zernike, order 30, of grey, mask and 4 measures".
std::string describe(const FeatureSpec& features);

}  // namespace leafglyph
