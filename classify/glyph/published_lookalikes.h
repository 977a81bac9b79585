// Look-alikes by the published vectors: a few moments of the whole drawing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "classify/glyph/glyph_statistics.h"
#include "classify/glyph/lookalikes.h"
#include "classify/nearest/knn_index.h"

namespace leafglyph {

/// Orders characters by the distances that glyph_statistics reports. Characters that are near here
/// need not look alike: the thesis offers these vectors as a complement to systems that recognise
/// characters by their structure, for pairs that those mistake. So there is no score, but how many
/// of all pairs are nearer (Lookalike::nearer).
class PublishedLookalikes {
 public:
  /// Throws what glyph_vectors throws.
  PublishedLookalikes(const GlyphSelection& selection, const GlyphStatisticsOptions& options,
                      MomentPart part, const PlanOptions& engine);

  const SelectedCharacters& selected() const { return vectors_.selected; }
  std::uint64_t pairs() const;  ///< of compared characters
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
  double distance(char32_t a, char32_t b) const;

  GlyphVectors vectors_;
  std::vector<float> values_;  // the same in float
  std::unordered_map<char32_t, std::size_t> places_;
  KnnIndex index_;
};

}  // namespace leafglyph
