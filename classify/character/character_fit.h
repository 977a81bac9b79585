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
  std::vector<float> damaged;  ///< rows of damaged copies
  std::vector<float> unlike;   ///< rows of pictures of two characters, or of parts of one
};

/// Fits a classifier to all styles; character c is label c. Its calibration and rule for what is
/// unlike come from each style, judged by a fit to all others; with a single style they stay those
/// of CharacterClassifier::Parts. Throws UsageError when a label of 0 to characters - 1 has no row,
/// no label has two, or nothing separates them.
CharacterClassifier fit_characters(std::span<const StyleRows> styles, std::size_t characters,
                                   std::size_t columns, const CharacterFitSpec& spec);

}  // namespace leafglyph
