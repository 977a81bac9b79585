// Look-alikes of Chinese characters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "classify/glyph/glyph_comparer.h"
#include "classify/glyph/lookalike_cache.h"

namespace leafglyph {

/// A look-alike: another character, its distance (glyph_windows.h) and its score
/// (lookalike_score.h).
struct Lookalike {
  char32_t character = 0;
  double distance = 0.0;
  double score = 0.0;
  double evidence = 0.0;  ///< what look-alikes are ordered by (lookalike_measure.h)
  /// Pairs of compared characters that are nearer, in the published space (published_lookalikes.h),
  /// where there is no score.
  std::uint64_t nearer = 0;
};

struct LookalikeOptions {
  GlyphSelection selection{
      default_lookalike_fonts({"gb2312"}), {"gb2312"}, U"", /*skip_missing=*/false};
  GlyphProfile profile;
  /// Folder of the cached tables; empty: no cache. If it cannot be written, that is not an error:
  /// the tables are then computed again each time.
  std::filesystem::path cache_folder = default_cache_folder();
  std::function<void(const std::string&)> log;  ///< receives messages about the cache; may be empty
};

struct SearchOptions {
  /// Which of the compared characters may be results; empty: all of them. With a condition there
  /// may be fewer results than requested.
  std::function<bool(char32_t)> among;
  bool exhaustive = false;                   ///< compare every other character exactly
  std::function<void(std::size_t)> advance;  ///< called with the number of characters done
};

/// The characters of a selection, ready to be searched. A query is compared with every character by
/// moments of low orders, in one direction (GlyphComparer::search). The `shortlist` characters for
/// which that gives most evidence, and the half as many that are nearest without other evidence,
/// are then compared exactly and sorted. A look-alike that is not in the shortlist is missed. An
/// exhaustive search measures how rarely that happens; a shortlist as long as the set rules it out.
class LookalikeIndex {
 public:
  /// Loads the tables, or computes them. Throws what select_characters, GlyphSource and
  /// validate(profile) throw.
  explicit LookalikeIndex(const LookalikeOptions& options);
  ~LookalikeIndex();
  LookalikeIndex(LookalikeIndex&&) noexcept;
  LookalikeIndex& operator=(LookalikeIndex&&) noexcept;

  const SelectedCharacters& selected() const;
  std::span<const GlyphSource> fonts() const;

  /// Whether every font draws a character. A query need not be one of the compared characters.
  bool draws(char32_t character) const;

  /// Why a character that cannot be drawn is refused, and which characters or fonts to choose
  /// instead; empty if it can be drawn.
  std::string refusal(char32_t character) const;

  /// The `count` characters most likely to be confused with the query, most likely first; equally
  /// likely ones in the order of their codes. Throws UsageError for a character that a font does
  /// not draw, or when `count` is 0 or more than the number of other characters.
  std::vector<Lookalike> similar(char32_t character, std::size_t count) const;
  /// The same for several characters. Ctrl-C throws Interrupted.
  std::vector<std::vector<Lookalike>> similar(std::u32string_view characters, std::size_t count,
                                              const SearchOptions& options = {}) const;

  /// The `count` characters nearest to the drawing, by the fonts of its size; a score is that of
  /// the distance alone. Throws UsageError when no font has the size of the drawing, it has no ink,
  /// or `count` is 0 or more than the number of characters.
  std::vector<Lookalike> similar(const DrawnGlyph& drawing, std::size_t count) const;
  /// The size, in pixels, that a drawing must have; it comes from the fonts that are searched.
  int drawing_size() const;

  /// The distance and score that similar() gives for b as a look-alike of a. The distance of a as a
  /// look-alike of b is the same; its score depends on how common a is.
  Lookalike compare(char32_t a, char32_t b) const;
  /// The same for many pairs: each second character as a look-alike of the first.
  std::vector<Lookalike> compare(std::span<const std::pair<char32_t, char32_t>> pairs) const;

  /// The shortlists from which similar() chooses, one per character, in no particular order.
  std::vector<std::u32string> shortlists(std::u32string_view characters) const;
  /// What the evidence of each pair is a weighted sum of, beside the distances; of use for fitting
  /// the weights.
  struct Columns {
    PairColumns columns;
    PairDistances distances;
    PairKind kind;
    int query_strokes;
  };
  std::vector<Columns> columns(std::span<const std::pair<char32_t, char32_t>> pairs) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace leafglyph
