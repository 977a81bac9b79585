// Look-alikes of Chinese characters.
#pragma once

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

/// One answer: another character, its distance and its score (lookalike_score.h).
struct Lookalike {
  char32_t character = 0;
  double distance = 0.0;
  double score = 0.0;
};

struct LookalikeOptions {
  GlyphSelection selection{
      default_lookalike_fonts({"gb2312"}), {"gb2312"}, U"", /*skip_missing=*/false};
  GlyphProfile profile;
  /// Where tables are kept between runs; empty: nowhere. A folder that cannot be written is not
  /// an error: the tables are then made anew each time.
  std::filesystem::path cache_folder = default_cache_folder();
  std::function<void(const std::string&)> log;  ///< receives what the cache did; may be empty
};

struct SearchOptions {
  /// Which of the compared characters may be answers; empty: all. There may then be fewer than
  /// were asked for.
  std::function<bool(char32_t)> among;
  bool exhaustive = false;                   ///< compare every other character exactly
  std::function<void(std::size_t)> advance;  ///< hears of every number of characters done
};

/// The characters of a selection, ready to be searched. A query is held against every character by
/// moments of low orders, one way (GlyphComparer::search); the `shortlist` nearest are compared
/// exactly and sorted. A look-alike that is missing from the shortlist is missed: how rarely that
/// happens is measured by an exhaustive search, and a shortlist of the size of the set excludes it.
class LookalikeIndex {
 public:
  /// Loads the tables or makes them. Errors as select_characters, GlyphSource and
  /// validate(profile).
  explicit LookalikeIndex(const LookalikeOptions& options);
  ~LookalikeIndex();
  LookalikeIndex(LookalikeIndex&&) noexcept;
  LookalikeIndex& operator=(LookalikeIndex&&) noexcept;

  const SelectedCharacters& selected() const;

  /// Whether every font draws a character: what is sought need not be among those compared.
  bool draws(char32_t character) const;

  /// Why a character that is not drawn is refused, and which characters or fonts to choose; empty
  /// for one that is.
  std::string refusal(char32_t character) const;

  /// The `count` most alike, most alike first; among equal distances in the order of the codes.
  /// Throws UsageError for a character that a font does not draw, or when `count` is 0 or more than
  /// there are other characters.
  std::vector<Lookalike> similar(char32_t character, std::size_t count) const;
  /// The same for several characters. Ctrl-C throws Interrupted.
  std::vector<std::vector<Lookalike>> similar(std::u32string_view characters, std::size_t count,
                                              const SearchOptions& options = {}) const;

  /// The `count` characters that the drawing is most like, by the fonts of its size, sought as
  /// similar() does. Throws UsageError for a drawing that has no such font or no ink, or when
  /// `count` is 0 or more than there are characters.
  std::vector<Lookalike> similar(const DrawnGlyph& drawing, std::size_t count) const;
  /// Of a font that it searches, in pixels: the size of such a drawing.
  int drawing_size() const;

  /// The distance and score that similar() gives for b as a look-alike of a, and for a of b.
  Lookalike compare(char32_t a, char32_t b) const;
  /// The same for pair after pair, as the second's similarity to the first.
  std::vector<Lookalike> compare(std::span<const std::pair<char32_t, char32_t>> pairs) const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace leafglyph
