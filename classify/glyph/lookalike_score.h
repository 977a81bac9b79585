// A score from 0 to 1 for a look-alike distance.
#pragma once

#include <span>
#include <vector>

namespace leafglyph {

/// Turns a distance into a score by what the distance means in the character set. Let r(d) be the
/// number of other characters that an average character has within d. Then
///     score(d) = 1 - log(1 + r(d)) / log(1 + r_all),
/// r_all being the number of all others: 1 for equal glyphs, 0 for the largest distance, and for
/// example 0.73 where an average one of 6,763 characters has ten others as near. r is measured on a
/// sample and log(1 + r) interpolated linearly between knots, so that the score falls strictly up
/// to the largest sampled distance.
class LookalikeScore {
 public:
  struct Knot {
    double distance;
    double score;
    friend bool operator==(const Knot&, const Knot&) = default;
  };

  LookalikeScore() = default;
  /// From knots by growing distance and falling score; the first is (0, 1). Throws FormatError
  /// otherwise.
  explicit LookalikeScore(std::vector<Knot> knots);

  /// From the distances of `sampled` characters to all others each. Sorts `distances`.
  static LookalikeScore calibrate(std::vector<double> distances, std::size_t sampled);

  double operator()(double distance) const;
  std::span<const Knot> knots() const { return knots_; }

 private:
  std::vector<Knot> knots_;
};

}  // namespace leafglyph
