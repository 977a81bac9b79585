// A score from 0 to 1 for the evidence that characters are confused.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Turns evidence (lookalike_measure.h) into a score that people can interpret: the share of the
/// pairs known to be confused that have less evidence. Of n known pairs, k of them with less, it is
/// (k + 1/2) / (n + 1): that all known pairs have less does not show that all others have, too. It
/// is interpolated linearly between quantiles and constant beyond the weakest and the strongest.
class LookalikeScore {
 public:
  struct Knot {
    double evidence;
    double score;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  /// 1 from 0 evidence on, 0 below.
  LookalikeScore()
      : LookalikeScore(std::vector<Knot>{{-std::numeric_limits<double>::min(), 0.0}, {0.0, 1.0}}) {}
  /// Uses knots with increasing evidence and scores from 0 to 1. Throws FormatError otherwise.
  explicit LookalikeScore(std::vector<Knot> knots);

  /// From the evidence of confused pairs, of which there must be at least one.
  static LookalikeScore of_pairs(std::vector<double> evidence);
  /// The same from quantiles of `pairs` pairs, at equal steps from the weakest to the strongest.
  static LookalikeScore of_quantiles(std::vector<double> quantiles, std::size_t pairs);

  double operator()(double evidence) const;
  /// The score of glyphs at that distance with that evidence: 1 if they are equal.
  double of_glyphs(double distance, double evidence) const {
    return distance == 0 ? 1.0 : (*this)(evidence);
  }
  std::span<const Knot> knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

/// The file of the pairs that define the score, as lookalike_pairs.h reads it
/// (datasets/glyph/school_pairs_reported.txt).
std::string_view calibration_pairs();

}  // namespace leafglyph
