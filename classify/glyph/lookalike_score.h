// A score from 0 to 1 for a look-alike distance.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Turns a distance into a score that people can interpret: score(d) is the share of the pairs
/// known to be confused that are farther apart than d. It is 1 for equal glyphs and 0.5 for the
/// median distance of these pairs. It is interpolated linearly between quantiles, and decreases
/// strictly up to the farthest pair.
class LookalikeScore {
 public:
  struct Knot {
    double distance;
    double score;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  LookalikeScore() = default;
  /// Uses knots with increasing distances and decreasing scores; the first must be (0, 1). Throws
  /// FormatError otherwise.
  explicit LookalikeScore(std::vector<Knot> knots);

  /// From the distances of confused pairs, of which there must be at least one.
  static LookalikeScore of_pairs(std::vector<double> distances);
  /// The score calibrated on the pairs below, in the default fonts and profile.
  static LookalikeScore standard();

  double operator()(double distance) const;
  std::span<const Knot> knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

/// The file of the pairs that define the score, as lookalike_pairs.h reads it
/// (datasets/glyph/school_pairs_reported.txt).
std::string_view calibration_pairs();

}  // namespace leafglyph
