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
/// the formula of the first term); of a picture that is seen in V frames, one row and one evidence
/// E each, it is 10 log(sum of exp(E / 10) / V): the best view counts, and others that are nearly
/// as good, as 10 is little more than the temperature of the calibrations. Its templates are the
/// means of its clean pictures in one style each. The likelihood alone takes all styles for samples
/// of one normal distribution, which they are not: a style that was never seen is often near one of
/// them.
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

  /// What is looked for, and how pictures are given.
  struct Request {
    std::size_t count = 1;  ///< characters, >= 1
    std::size_t views = 1;  ///< rows of each picture, one after another; the first is the usual one
    std::span<const std::size_t> among = {};  ///< numbers in ascending order; empty: all characters
  };
  /// For each picture (Request::views rows of columns() numbers) the characters with the most
  /// evidence, as many as requested, or all that it may be if these are fewer; of characters of one
  /// shape that with the most. Compared in all views are those with the largest ratios in the first
  /// one, kCompared and twice as many as requested at least. A result does not depend on other
  /// pictures. Throws UsageError for rows of another length.
  std::vector<FoundCharacters> find(std::span<const float> rows, const Request& request) const;
  static constexpr std::size_t kCompared = 128;

 private:
  struct Signs {
    double ratio = 0, cosine = -1;
    std::size_t view = 0;
  };
  struct Found {
    CharacterCandidate candidate;
    Signs signs;  // in the best view
  };
  void add_likelihoods();
  void add_templates();
  void to_length(std::span<float> x) const;
  std::vector<std::size_t> likeliest(std::span<const float> x, std::span<const double> ratios,
                                     const Request& request) const;
  double curved(std::size_t character, std::span<const float> x) const;
  Found compared(std::size_t character, std::span<const float> views) const;
  std::vector<Found> best_of(std::vector<Found> all, std::size_t count) const;
  void add_unlike_signs(std::span<const float> along, std::span<const double> whitened,
                        CharacterSigns& signs) const;
  std::vector<std::size_t> compare(std::span<const float> x, const Request& request,
                                   std::span<FoundCharacters> results) const;
  void find_some(std::span<const float> rows, const Request& request,
                 std::span<FoundCharacters> results) const;

  Parts parts_;
  RowProducts whitened_, ratios_;
  std::vector<float> weights_;                   // of x in the ratio: characters x directions
  std::vector<float> template_units_;            // 1 / length of each template; 0: there is none
  std::size_t shared_shapes_ = 0;                // characters beyond the first of their shape
  std::vector<double> offsets_;                  // of the ratio of each character
  std::vector<std::size_t> curvature_of_;        // of each character: its place in curvatures_
  std::vector<std::vector<double>> curvatures_;  // of x^2 in the ratio, by number of pictures
};

}  // namespace leafglyph
