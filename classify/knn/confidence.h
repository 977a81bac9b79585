// The probability that a prediction is correct.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leafglyph {

/// The evidence for and against the first class of a prediction.
inline constexpr std::size_t kEvidenceTerms = 8;
struct Evidence {
  double outlier_score = 0;  ///< distance to the nearest rows
  double margin = 0;   ///< distance to the nearest row of the class / of any other class, at most 1
  double votes = 0;    ///< share of the votes, 0..1
  double typical = 0;  ///< TypicalDistance from the first class
  double contrast =
      1;  ///< `typical` / its smallest value for other classes: about 1 for unknown leaves
  /// Component along the mean of the first class's projected rows, in units of the length of that
  /// mean. Leaves of unknown species lie near the common centre, which the cosine does not detect.
  double length = 1;
  double apart = 1;  ///< Nearness::apart of the first class
  double local = 1;  ///< Nearness::local of the first class
  /// The terms of the sum in Calibration: the margin, the votes and the length as they are, and the
  /// logarithms of the others.
  std::array<double, kEvidenceTerms> terms() const;
};

/// A leaf whose prediction is known to be correct or wrong.
struct JudgedEvidence {
  Evidence evidence;
  bool right = false;
  double weight = 1;
};

/// P(right) = 1 / (1 + exp(-(w_0 + sum_i w_i t_i))), where t are the terms of the evidence:
/// logistic regression on leaves that were not used for training (Platt 1999).
class Calibration {
 public:
  /// Maximises the penalised likelihood. The penalty is a ridge on each weight of the standardised
  /// terms, as strong as one judged leaf. The targets are Platt's (n + 1) / (n + 2) and 1 / (n + 2)
  /// instead of 1 and 0, so that few leaves never give certainty. Throws UsageError when there is
  /// no leaf.
  static Calibration fit(std::span<const JudgedEvidence> leaves);
  /// Uses saved weights.
  explicit Calibration(std::array<double, kEvidenceTerms + 1> weights) : weights_(weights) {}

  const std::array<double, kEvidenceTerms + 1>& weights() const { return weights_; }
  double probability(const Evidence& evidence) const;

 private:
  std::array<double, kEvidenceTerms + 1> weights_;
};

/// Expected calibration error: the mean over ten bins of probability of |share of correct
/// predictions - mean probability|, weighted by the number of predictions in each bin. 0 without
/// predictions.
double calibration_error(std::span<const double> probabilities,
                         std::span<const std::uint8_t> right);

}  // namespace leafglyph
