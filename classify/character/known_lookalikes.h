// Whether readers confuse characters that a recogniser confuses, and where these differ.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classify/character/character_recogniser.h"
#include "classify/glyph/lookalikes.h"

namespace leafglyph {

/// Pairs with this score or more are known look-alikes: half of the pairs that readers confuse have
/// it.
inline constexpr double kLookalikeFrom = 0.5;

/// Beside a prediction that is not sure: the second character, a known look-alike of the first.
struct LookalikeRemark {
  char32_t other = 0;  ///< 0: there is nothing to remark
  std::string place;   ///< where they differ: "at the upper left"; may be empty
};

/// Look-alikes as LookalikeIndex knows them, in its default fonts of 20,000 characters. Without
/// these fonts nothing is known.
class KnownLookalikes {
 public:
  KnownLookalikes();

  /// The score of the second character of each pair as a look-alike of the first. 0 where a font
  /// lacks one of them.
  std::vector<double> scores(std::span<const std::pair<char32_t, char32_t>> pairs) const;
  /// The ninth of their square in which one of two characters has most ink far from that of the
  /// other: "at the upper left", "in the middle". Empty unless most of the fonts agree. Both must
  /// be drawn.
  std::string place_of_difference(char32_t a, char32_t b) const;

  /// For each prediction that is likely or doubtful, with at least two characters.
  std::vector<LookalikeRemark> remarks(std::span<const CharacterPrediction> predictions) const;

 private:
  std::optional<LookalikeIndex> index_;
};

}  // namespace leafglyph
