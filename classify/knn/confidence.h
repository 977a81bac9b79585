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
  double outlier_score = 0;  ///< distance of the nearest rows
  double margin = 0;   ///< nearest row of the first class / nearest one of any other, at most 1
  double votes = 0;    ///< share of the vote, 0..1
  double typical = 0;  ///< TypicalDistance from the first class
  double contrast =
      1;  ///< that / the smallest from any other class: unknown leaves have none of their own
  /// Component along the mean of the first class's projected rows, in units of its length: leaves
  /// of unknown species lie near the centre of all, which the cosine does not see.
  double length = 1;
  double apart = 1;  ///< Nearness::apart of the first class
  double local = 1;  ///< Nearness::local of the first class
  /// The terms of the sum: logarithms of the distances and their quotients, except the margin, and
  /// the others unchanged.
  std::array<double, kEvidenceTerms> terms() const;
};

/// A leaf whose prediction is known to be correct or wrong.
struct JudgedEvidence {
  Evidence evidence;
  bool right = false;
  double weight = 1;
};

/// P(right) = 1 / (1 + exp(-(w_0 + sum_i w_i t_i))), t the terms of the evidence (logistic
/// regression on leaves that were not in the training; Platt 1999).
class Calibration {
 public:
  /// Maximises the penalised likelihood: a ridge of one judged leaf on each weight of the
  /// standardised terms, and Platt's targets (n + 1) / (n + 2) and 1 / (n + 2) instead of 1 and 0,
  /// so that few leaves give no certainty. Throws UsageError when there is no leaf.
  static Calibration fit(std::span<const JudgedEvidence> leaves);
  /// Fitted before.
  explicit Calibration(std::array<double, kEvidenceTerms + 1> weights) : weights_(weights) {}

  const std::array<double, kEvidenceTerms + 1>& weights() const { return weights_; }
  double probability(const Evidence& evidence) const;

 private:
  std::array<double, kEvidenceTerms + 1> weights_;
};

/// Expected calibration error: over ten bins of probability the mean of |share that is right -
/// mean probability|, weighted by the predictions in the bin. 0 without predictions.
double calibration_error(std::span<const double> probabilities,
                         std::span<const std::uint8_t> right);

}  // namespace leafglyph
