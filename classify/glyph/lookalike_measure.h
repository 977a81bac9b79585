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

/// How differently two characters are drawn.
struct PairDistances {
  double windows = 0.0;  ///< where parts do not coincide (glyph_windows.h)
  double edges = 0.0;    ///< as a whole (glyph_edges.h)
};

/// The columns of a pair, of which the evidence is a weighted sum.
inline constexpr std::array<std::string_view, 10> kPairColumns = {
    "drawing", "phonetic",  "cangjie", "corners", "strokes",
    "radical", "frequency", "common",  "general", "series"};
using PairColumns = std::array<double, kPairColumns.size()>;

/// Of `candidate` as a look-alike of `query`: the square root of the distance; this root if both
/// have the same phonetic part; this root times the share of the Cangjie codes' letters that both
/// have; equal digits of the four-corner codes; difference of the strokes over their sum; whether
/// both have the same radical; then how common the candidate is: log(1 + occurrences), one of the
/// 3,500 common characters, one of the 6,500 in general use; and whether both have the same
/// phonetic part, however alike they are.
PairColumns pair_columns(const CharacterTraits& query, const CharacterTraits& candidate,
                         double distance);

/// The evidence that characters are confused: the logarithm of the odds against other candidates,
/// up to a constant. `lookalike_weights.json` has the weights (tools/figures/lookalike_weights).
class LookalikeEvidence {
 public:
  /// Throws UsageError for kPublished, FormatError when the file of weights is damaged.
  explicit LookalikeEvidence(LookalikeMeasure measure);

  /// Whether evidence needs PairDistances::edges.
  bool reads_edges() const { return measure_ != LookalikeMeasure::kWindows; }

  /// Of `candidate` as a look-alike of `query`, by the columns of the edges; infinite for equal
  /// drawings, since they cannot be distinguished. Of a pair in which the parts of one are unknown,
  /// such as kana, it is the evidence of the known pairs that are drawn as alike: drawn() at the
  /// same place among theirs. Where those of both are unknown, the odds are against fewer others:
  /// of an alphabet.
  double operator()(const CharacterTraits& query, const CharacterTraits& candidate,
                    const PairDistances& distances) const;
  /// The same before the edges are known, by the columns of the windows' distance: what decides
  /// which pairs are compared exactly.
  double expected(const CharacterTraits& query, const CharacterTraits& candidate,
                  double windows) const;
  /// What the edges and the numbers of strokes say alone, for characters that share no part.
  double drawn(const CharacterTraits& query, const CharacterTraits& candidate,
               const PairDistances& distances) const;

  /// Sets the known pairs that pairs of unknown parts are held against, instead of those in the
  /// default fonts. Each list has at least two numbers in any order.
  void calibrate(std::vector<double> drawn, std::vector<double> evidence);

  /// Evidence of the known pairs at equal steps from the weakest to the strongest, in the default
  /// fonts.
  std::span<const double> quantiles() const { return quantiles_; }

 private:
  LookalikeMeasure measure_;
  PairColumns weights_{};
  PairColumns expected_weights_{};
  PairColumns drawn_weights_{};
  double alphabet_ = 0.0;  // by which the odds against the others of an alphabet are better
  std::vector<double> quantiles_;
  // Sorted; entries of one place belong together.
  std::vector<double> known_drawn_, known_evidence_;
};

/// lookalike_weights.json, embedded.
std::string_view lookalike_weights();

}  // namespace leafglyph
