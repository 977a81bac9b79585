// Which character a row of direction moments shows, and how unlike all characters it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/classifier/open_set.h"
#include "classify/classifier/plda.h"
#include "classify/table/row_arithmetic.h"

namespace leafglyph {

/// What speaks for the first character of a row, and how unlike all characters the row is: its log
/// likelihood ratio, the cosine with its nearest template; the logarithm of the mean square of what
/// lies beside the directions of the discriminant, in units of the variation within a character;
/// and that of the length of the row along them.
using CharacterSigns = std::array<double, 4>;

/// The probability that a row shows no character of the model: a logistic regression on its signs,
/// learnt from pictures that show two characters or a part of one.
struct UnlikeRule {
  CharacterSigns weights{};
  double offset = -20;
  double threshold = 1;  ///< the largest probability that counts as known

  double probability(const CharacterSigns& signs) const;
};

/// One of the characters for which the evidence is largest.
struct CharacterCandidate {
  std::size_t character = 0;  ///< its number in the model
  double evidence = 0;
};

/// What is found of a row.
struct FoundCharacters {
  std::vector<CharacterCandidate> best;  ///< most evidence first
  CharacterSigns signs{};                ///< of the first
};

/// Characters as a probabilistic discriminant (Plda) sees them. The evidence for one is
///
///   log p(x | it) / p(x | a character that was never seen) + w p cos(x, nearest template)
///
/// for x = Plda::transform of the row, p directions and w = template_weight (ClassLikelihood has
/// the formula of the first term). Its templates are the means of its clean pictures in one style
/// each. The likelihood alone takes all styles for samples of one normal distribution, which they
/// are not: a style that was never seen is often near one of them.
class CharacterClassifier {
 public:
  struct Parts {
    double scale = 1;                 ///< rows are multiplied by it before all else
    Plda plda;                        ///< of rows so multiplied
    std::vector<float> whitening;     ///< L^-1 for the covariance within a character W = L L^T: the
                                      ///< lower triangle, row by row
    std::vector<std::size_t> counts;  ///< by character: its pictures that were learnt, >= 1
    std::vector<float> means;         ///< characters x directions: the means of their x
    std::vector<std::int8_t> templates;  ///< styles x characters x directions, in units of each
                                         ///< one's largest number / 127; 0 where there is none
    double template_weight = 0.25;
    UnlikeRule unlike = {};
    OpenSetCalibration calibration{OpenSetCalibration::kUsualSlope, 0};
    std::vector<std::size_t> shapes = {};  ///< by character: equal for those that are one picture,
                                           ///< as same_shape says; empty: each has its own
  };
  /// Throws UsageError if the parts do not fit together.
  explicit CharacterClassifier(Parts parts);

  const Parts& parts() const { return parts_; }
  std::size_t characters() const { return parts_.counts.size(); }
  std::size_t directions() const { return parts_.plda.dimension(); }
  std::size_t columns() const { return parts_.plda.columns(); }

  std::size_t shape_of(std::size_t character) const {
    return parts_.shapes.empty() ? character : parts_.shapes[character];
  }

  /// For each row (columns() numbers) the `count` characters with the most evidence, or all of
  /// `among` (numbers in ascending order; empty: all characters) if these are fewer; of characters
  /// of one shape that with the most. A row's result
  /// does not depend on the others. Throws UsageError for a row of another length.
  std::vector<FoundCharacters> find(std::span<const float> rows, std::size_t count,
                                    std::span<const std::size_t> among = {}) const;

 private:
  struct Row {
    std::vector<float> x;
    CharacterSigns signs{};
  };
  void add_likelihoods();
  void add_templates();
  Row seen(std::span<const float> along, std::span<const double> whitened) const;
  void keep_first_of_shapes(std::vector<CharacterCandidate>& best) const;
  FoundCharacters found(Row row, std::span<const double> ratios,
                        std::span<const std::span<const double>> cosines, std::size_t count,
                        std::span<const std::size_t> among) const;

  Parts parts_;
  RowProducts whitened_, ratios_;
  std::vector<RowProducts> cosines_;  // one a style
  std::vector<std::vector<bool>> has_template_;
  std::size_t shared_shapes_ = 0;                // characters beyond the first of their shape
  std::vector<double> offsets_;                  // of the ratio of each character
  std::vector<std::size_t> curvature_of_;        // of each character: its place in curvatures_
  std::vector<std::vector<double>> curvatures_;  // of x^2 in the ratio, by number of pictures
};

}  // namespace leafglyph
