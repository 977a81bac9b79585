// Look-alikes by the published vectors: a few moments of the whole drawing.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "classify/glyph/glyph_statistics.h"
#include "classify/glyph/lookalike_score.h"
#include "classify/glyph/lookalikes.h"
#include "classify/nearest/knn_index.h"

namespace leafglyph {

/// Orders characters by the distances that glyph_statistics reports. Scores are shares of the
/// calibration pairs (lookalike_score.h) that are farther apart; 0 if none of them is compared.
class PublishedLookalikes {
 public:
  /// Throws what glyph_vectors throws.
  PublishedLookalikes(const GlyphSelection& selection, const GlyphStatisticsOptions& options,
                      MomentPart part, const PlanOptions& engine);

  const SelectedCharacters& selected() const { return vectors_.selected; }
  /// Whether a character is one of the compared ones; only these have vectors.
  bool draws(char32_t character) const { return places_.contains(character); }
  /// As LookalikeIndex::refusal().
  std::string refusal(char32_t character) const;

  /// As LookalikeIndex::similar(). The candidates are found by FAISS on the vectors of all fonts
  /// together, in float, and ordered by their distance in double.
  std::vector<std::vector<Lookalike>> similar(std::u32string_view characters, std::size_t count,
                                              const SearchOptions& options = {}) const;
  Lookalike compare(char32_t a, char32_t b) const;

 private:
  std::size_t place_of(char32_t character) const;

  GlyphVectors vectors_;
  std::vector<float> values_;  // the same in float
  std::unordered_map<char32_t, std::size_t> places_;
  KnnIndex index_;
  LookalikeScore score_;
};

}  // namespace leafglyph
