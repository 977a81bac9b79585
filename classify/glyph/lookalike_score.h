// A score from 0 to 1 for the evidence that characters are confused.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Turns evidence (lookalike_measure.h) into a score that people can interpret: the share of the
/// pairs known to be confused that have less evidence. It is 0 up to the weakest of these pairs, 1
/// from the strongest, and interpolated linearly between quantiles.
class LookalikeScore {
 public:
  struct Knot {
    double evidence;
    double score;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  /// Everything beyond 0 evidence has score 1.
  LookalikeScore() : LookalikeScore(std::vector<Knot>{{0.0, 1.0}}) {}
  /// Uses knots with increasing evidence and scores; the last must have score 1. Throws FormatError
  /// otherwise.
  explicit LookalikeScore(std::vector<Knot> knots);

  /// From the evidence of confused pairs, of which there must be at least one.
  static LookalikeScore of_pairs(std::vector<double> evidence);

  double operator()(double evidence) const;
  std::span<const Knot> knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

/// The file of the pairs that define the score, as lookalike_pairs.h reads it
/// (datasets/glyph/school_pairs_reported.txt).
std::string_view calibration_pairs();

}  // namespace leafglyph
