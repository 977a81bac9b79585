// Parametric outlines, margins and veins of generated leaves, in the leaf's own coordinates: the
// base at (0, 0), the tip near (1, 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "features/base/random_numbers.h"

namespace leafglyph {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Outline {
  kSimple,      ///< half-width ~ t^base (1 - t)^tip along the midrib
  kCordate,     ///< kSimple with two lobes that reach back beside the stalk by `depth`
  kPinnatifid,  ///< kSimple with `lobes` sinuses per side, `depth` of the half-width deep
  kPalmate,     ///< `lobes` lobes around the end of the stalk, sinuses `depth` deep
  kFan,         ///< a sector with a notch `depth` deep
  kPolygon,     ///< rounded polygon through a list of points
};
enum class Margin { kEntire, kSerrate, kDentate, kCrenate, kUndulate, kSpiny };
enum class Venation { kPinnate, kArcuate, kPalmate, kParallel, kFan, kMidribOnly };

/// The parameters of a species.
struct LeafShape {
  std::string_view name;
  Outline outline = Outline::kSimple;
  double width = 0.5;  ///< of the whole leaf, in leaf lengths
  double base = 0.5;   ///< exponent at the base; small means blunt
  double tip = 0.5;    ///< exponent at the tip
  int lobes = 0;
  double depth = 0;
  Margin margin = Margin::kEntire;
  int teeth = 0;          ///< along one side
  double tooth_size = 0;  ///< in leaf lengths
  Venation venation = Venation::kPinnate;
  int veins = 8;              ///< per side
  double vein_angle = 0.8;    ///< to the midrib, radians
  double tone = 100;          ///< mean grey value
  double vein_contrast = 15;  ///< grey values, > 0 for veins lighter than the blade
  double stalk = 0.1;         ///< in leaf lengths
};

std::vector<LeafShape> leaf_shapes();

/// The shape of one leaf: that of its species with natural variation.
LeafShape varied(const LeafShape& species, RandomNumbers& random);

/// The closed outline including the margin, a few hundred points.
std::vector<Point> leaf_outline(const LeafShape& shape, RandomNumbers& random);

struct Vein {
  std::vector<Point> path;
  double thickness = 1;  ///< relative to the midrib
};
/// Veins may extend beyond the blade; those parts must not be drawn.
std::vector<Vein> leaf_veins(const LeafShape& shape, RandomNumbers& random);

}  // namespace leafglyph
