#include "classify/character/character_training.h"

#include <algorithm>
#include <random>
#include <utility>

#include "classify/character/character_drawing.h"
#include "classify/character/character_rows.h"
#include "classify/support/versions.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/damage.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Pictures of each font that show no character: as many of two characters as of parts of one.
constexpr std::size_t kUnlike = 400;

StyleRows& style_of(std::vector<StyleRows>& styles, const std::string& name) {
  const auto at = std::ranges::find(styles, name, &StyleRows::name);
  if (at != styles.end()) return *at;
  styles.emplace_back().name = name;
  return styles.back();
}

void append(std::vector<float>& rows, const std::vector<float>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

// Label c is characters[c].
std::vector<StyleRows> rows_of_fonts(const CharacterSpec& spec, const std::u32string& characters,
                                     const std::function<void(std::size_t)>& advance) {
  std::vector<StyleRows> styles;
  for (const TrainingFont& font : spec.fonts) {
    FontOptions options = font.font;
    options.pixel_size = kDrawnSide;
    const GlyphSource source(options);
    std::vector<Image<float>> pictures;
    std::vector<int> labels;
    for (std::size_t c = 0; c < characters.size(); ++c) {
      if (!source.draws(characters[c])) continue;
      pictures.push_back(drawn(source, characters[c]));
      labels.push_back(static_cast<int>(c));
    }
    if (pictures.empty()) {
      throw InputError(options.file +
                       ": draws none of the characters; choose others, or leave it "
                       "out");
    }
    const auto add = [&](std::vector<float>& to, std::size_t count, const auto& picture) {
      append(to, rows_of(spec.features, count, picture));
      if (advance) advance(count);
    };
    StyleRows& style = style_of(styles, font.style);
    add(style.clean, pictures.size(), [&](std::size_t i) { return as_seen(pictures[i]); });
    style.labels.insert(style.labels.end(), labels.begin(), labels.end());
    for (int copy = 0; copy < spec.copies; ++copy) {
      add(style.damaged, pictures.size(), [&](std::size_t i) {
        // The same damage for a character in every font would look like a part of it.
        const auto number = static_cast<std::uint64_t>(copy) * pictures.size() + i;
        std::mt19937_64 mix(spec.seed + 0x9E3779B97F4A7C15ULL * (styles.size() + number));
        return as_seen(damaged(pictures[i], mix()));
      });
      style.damaged_labels.insert(style.damaged_labels.end(), labels.begin(), labels.end());
    }
    add(style.unlike, kUnlike, [&](std::size_t i) { return as_seen(unlike_picture(pictures, i)); });
  }
  return styles;
}

}  // namespace

CharacterModel train_characters(const CharacterSpec& spec,
                                const std::function<void(std::size_t)>& advance) {
  const std::u32string wanted = character_sets(spec.characters, U"").characters;
  std::vector<StyleRows> styles = rows_of_fonts(spec, wanted, advance);
  // Those that no font draws are left out: the classes are numbered anew.
  std::vector<int> number(wanted.size(), -1);
  for (const StyleRows& style : styles) {
    for (const int label : style.labels) number[static_cast<std::size_t>(label)] = 0;
  }
  std::u32string characters;
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (number[c] < 0) continue;
    number[c] = static_cast<int>(characters.size());
    characters += wanted[c];
  }
  std::vector<std::string> names;
  for (StyleRows& style : styles) {
    names.push_back(style.name);
    for (std::vector<int>* labels : {&style.labels, &style.damaged_labels}) {
      for (int& label : *labels) label = number[static_cast<std::size_t>(label)];
    }
  }
  CharacterClassifier classifier =
      fit_characters(styles, characters.size(), columns(spec.features), spec.classifier);
  return {spec, std::move(characters), std::move(names), std::move(classifier), version()};
}

}  // namespace leafglyph
