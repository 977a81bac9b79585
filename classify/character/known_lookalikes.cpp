#include "classify/character/known_lookalikes.h"

#include <cstddef>
#include <set>

#include "classify/glyph/lookalikes.h"
#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"

namespace leafglyph {

std::vector<double> lookalike_scores(std::span<const std::pair<char32_t, char32_t>> pairs) {
  std::vector<double> scores(pairs.size());
  std::set<char32_t> characters;
  for (const auto& [a, b] : pairs) characters.insert({a, b});
  LookalikeOptions options;
  options.selection = {default_lookalike_fonts({}), {}, U"", /*skip_missing=*/true};
  for (const char32_t character : characters) {
    options.selection.characters.push_back(unicode_name(character));
  }
  options.cache_folder.clear();
  if (pairs.empty()) return scores;
  try {
    const LookalikeIndex index(options);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [a, b] = pairs[i];
      if (a != b && index.draws(a) && index.draws(b)) scores[i] = index.compare(a, b).score;
    }
  } catch (const Error&) {  // a font is missing, or draws none of them
  }
  return scores;
}

}  // namespace leafglyph
