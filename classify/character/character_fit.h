// Fits the classifier of characters to pictures of them in several styles.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_classifier.h"
#include "classify/classifier/class_sums.h"

namespace leafglyph {

class Keys;

struct CharacterFitSpec {
  double shrinkage = 0.02;        ///< of the covariance within a character (PldaSpec)
  int directions = 200;           ///< of the discriminant, those that tell characters apart best
  double template_weight = 0.25;  ///< w (CharacterClassifier)
  friend bool operator==(const CharacterFitSpec&, const CharacterFitSpec&) = default;
};
/// The keys of the mapping `classifier` of characters.
void declare(Keys& keys, CharacterFitSpec& spec);

/// Rows of one style: a family of fonts, or one person's hand. The styles of a fit are what its
/// calibration leaves out in turn, because pictures of one style are too much alike to judge each
/// other.
struct StyleRows {
  std::string name;
  std::vector<int> labels;   ///< of each clean row
  std::vector<float> clean;  ///< rows of pictures as they are
  std::vector<int> damaged_labels;
  std::vector<float> damaged;  ///< rows of damaged copies, each in one frame

  /// Pictures by which fits to other styles are judged: as they are recognised, in all views.
  struct Pictures {
    std::vector<std::size_t> places;  ///< of each, its place among the clean or the damaged rows
    std::vector<float> rows;          ///< of each, a row for each view
  };
  Pictures judged_clean, judged_damaged;
  std::vector<float> unlike;  ///< the same of pictures of two characters, or of parts of one
};

/// Of the pictures of a font, or of a style, so many are judged, and as many damaged copies: enough
/// for seven numbers, and each takes several rows and a search. Every judged_step-th is taken.
inline constexpr std::size_t kMostJudged = 500;
std::size_t judged_step(std::size_t pictures);

/// How well rows of one style, or copies of all, were identified by a fit without them.
struct JudgedShare {
  std::size_t rows = 0, right = 0;
  friend bool operator==(const JudgedShare&, const JudgedShare&) = default;
};
struct StyleShare {
  std::string name;
  JudgedShare clean, damaged;
  friend bool operator==(const StyleShare&, const StyleShare&) = default;
};
/// What the calibration of a fit is measured on.
struct StyleShares {
  /// Whether styles were judged by fits to the others. If not, as of a single style, half of the
  /// damaged copies were judged by a fit to all else: that says nothing of styles that were never
  /// seen.
  bool by_others = true;
  std::vector<StyleShare> styles;
  friend bool operator==(const StyleShares&, const StyleShares&) = default;
};

struct CharacterFit {
  CharacterClassifier classifier;
  StyleShares judged;
};

/// What rows are: how many characters there are, numbers in a row, and rows (views) for each
/// picture that is judged.
struct RowShape {
  std::size_t characters = 0, columns = 0, views = 1;
};

/// Fits a classifier to all styles; character c is label c, and those of equal `shapes` (as in
/// CharacterClassifier::Parts) are one answer. Its calibration and rule for what is
/// unlike come from styles, each judged by a fit to the others (many styles: a tenth of them each
/// time), of which pictures of characters that these have do count. Throws UsageError for fewer
/// than two characters, when a label of 0 to characters - 1 has no row, no label has two, nothing
/// separates them, or neither styles nor damaged copies can be judged.
CharacterFit fit_characters(std::span<const StyleRows> styles, const RowShape& rows,
                            const CharacterFitSpec& spec,
                            const std::vector<std::size_t>& shapes = {});

}  // namespace leafglyph
