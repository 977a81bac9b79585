// What orders look-alikes: how alike their drawings are, and with it what else makes people or OCR
// confuse characters.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "classify/glyph/character_traits.h"
#include "features/base/names.h"

namespace leafglyph {

enum class LookalikeMeasure {
  kReaders,    ///< confusions of people and OCR
  kOcr,        ///< the same with more weight on those of OCR
  kWindows,    ///< the distance of the drawings alone
  kPublished,  ///< the published vectors (published_lookalikes.h)
};
template <>
inline constexpr Names<LookalikeMeasure, 4> kNamesOf<LookalikeMeasure> = {
    "measure",
    {{{LookalikeMeasure::kReaders, "readers"},
      {LookalikeMeasure::kOcr, "ocr"},
      {LookalikeMeasure::kWindows, "windows"},
      {LookalikeMeasure::kPublished, "published"}}}};

/// The columns of a pair, of which the evidence is a weighted sum.
inline constexpr std::array<std::string_view, 9> kPairColumns = {
    "distance", "phonetic",  "cangjie", "corners", "strokes",
    "radical",  "frequency", "common",  "general"};
using PairColumns = std::array<double, kPairColumns.size()>;

/// Of `candidate` as a look-alike of `query`: the square root of the distance; this root if both
/// have the same phonetic part; this root times the share of the Cangjie codes' letters that both
/// have; equal digits of the four-corner codes; difference of the strokes over their sum; whether
/// both have the same radical; then how common the candidate is: log(1 + occurrences), one of the
/// 3,500 common characters, one of the 6,500 in general use.
PairColumns pair_columns(const CharacterTraits& query, const CharacterTraits& candidate,
                         double distance);

/// The evidence that characters are confused: the logarithm of the odds against other candidates,
/// up to a constant. `lookalike_weights.json` has the weights (tools/figures/lookalike_weights).
class LookalikeEvidence {
 public:
  /// Throws UsageError for kPublished, FormatError when the file of weights is damaged.
  explicit LookalikeEvidence(LookalikeMeasure measure);

  /// Of `candidate` as a look-alike of `query`; infinite for distance 0, since equal drawings
  /// cannot be distinguished.
  double operator()(const CharacterTraits& query, const CharacterTraits& candidate,
                    double distance) const;
  /// Evidence of the known pairs at equal steps from the weakest to the strongest, in the default
  /// fonts.
  std::span<const double> quantiles() const { return quantiles_; }

 private:
  LookalikeMeasure measure_;
  PairColumns weights_{};
  std::vector<double> quantiles_;
};

/// lookalike_weights.json, embedded.
std::string_view lookalike_weights();

}  // namespace leafglyph
