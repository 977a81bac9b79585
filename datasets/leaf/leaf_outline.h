// Parametric outlines, margins and veins of generated leaves, in the leaf's own coordinates: the
// base at (0, 0), the tip near (1, 0).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leafglyph {

struct Point {
  double x = 0;
  double y = 0;
};

/// Reproducible random numbers (SplitMix64), the same on every machine.
class LeafRandom {
 public:
  explicit LeafRandom(std::uint64_t seed) : state_(seed) {}
  /// An independent sequence for each kind of pictures from one seed.
  static LeafRandom stream(std::uint64_t seed, std::size_t kind) {
    LeafRandom streams(seed);
    return LeafRandom(streams.bits() ^ (kind + 1) * 0x9e3779b97f4a7c15U);
  }
  std::uint64_t bits();
  double uniform(double low, double high);
  /// Approximately normal: the sum of four uniform numbers, within 3.5 sigma.
  double normal(double mean, double sigma);

 private:
  std::uint64_t state_;
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
LeafShape varied(const LeafShape& species, LeafRandom& random);

/// The closed outline including the margin, a few hundred points.
std::vector<Point> leaf_outline(const LeafShape& shape, LeafRandom& random);

struct Vein {
  std::vector<Point> path;
  double thickness = 1;  ///< relative to the midrib
};
/// Veins may extend beyond the blade; those parts must not be drawn.
std::vector<Vein> leaf_veins(const LeafShape& shape, LeafRandom& random);

}  // namespace leafglyph
