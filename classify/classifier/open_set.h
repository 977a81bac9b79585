// From the evidence for classes to probabilities, among the classes of a model and all that it does
// not know.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace leafglyph {

/// The evidence for the classes of a row (fold_judge.h), one per class, by a model that was not
/// trained on it, and the place of its class among them; none if the model does not know it.
struct JudgedRow {
  std::vector<double> evidence;
  std::optional<std::size_t> truth = std::nullopt;
};

/// P(class c) = exp(a r_c + b) / (1 + sum over k of exp(a r_k + b)) for the evidence r. What is
/// left to 1 is the probability of a class that the model does not know. The slope a corrects that
/// directions are not as independent as the model assumes (Platt 1999; Guo et al. 2017 call 1 / a
/// the temperature).
class OpenSetCalibration {
 public:
  /// Usual slope, towards which few rows are drawn.
  static constexpr double kUsualSlope = 0.03;

  /// Maximises the mean log probability of the truth, where rows of unknown classes together have
  /// the share `of_unknown_rows` of the weight, less pull (a / kUsualSlope - 1)^2. Throws
  /// UsageError if no row has a class of the model, or `of_unknown_rows` is not within 0 and 1.
  static constexpr double kPull = 0.02;
  static OpenSetCalibration fit(std::span<const JudgedRow> rows, double of_unknown_rows,
                                double pull = kPull);
  OpenSetCalibration(double slope, double offset) : slope_(slope), offset_(offset) {}

  double slope() const { return slope_; }
  double offset() const { return offset_; }
  /// P of each class.
  std::vector<double> probabilities(std::span<const double> evidence) const;
  /// The probability that a row is of no class, and the largest of those of the classes.
  struct Certainty {
    double unknown, best;
  };
  static Certainty certainty_of(std::span<const double> probabilities);

 private:
  double slope_, offset_;
};

}  // namespace leafglyph
