#include "classify/character/character_training.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "classify/character/character_drawing.h"
#include "classify/character/character_rows.h"
#include "classify/character/style_maker.h"
#include "classify/leaf/model_history.h"
#include "classify/support/versions.h"
#include "datasets/glyph/character_set.h"
#include "features/base/errors.h"
#include "features/base/memory.h"

namespace leafglyph {
namespace {

// Pictures that show no character, of all fonts and styles together: as many of two characters as
// of parts of one; fewer where there are fewer of characters.
constexpr std::size_t kLeastUnlike = 240, kMostUnlike = 2400;
// The characters to learn: those of the spec, if it has fonts, and those of the pictures.
std::u32string wanted_characters(const CharacterSpec& spec,
                                 std::span<const CharacterPicture> pictures) {
  std::u32string wanted;
  if (!spec.fonts.empty()) wanted = character_sets(spec.characters, U"").characters;
  std::set<char32_t> known(wanted.begin(), wanted.end());
  for (const CharacterPicture& picture : pictures) {
    if (known.insert(picture.character).second) wanted += picture.character;
  }
  return wanted;
}

// Numbers the characters of which there are rows anew, and returns these.
std::u32string without_missing(const std::u32string& wanted, std::vector<StyleRows>& styles) {
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
  for (StyleRows& style : styles) {
    for (std::vector<int>* labels : {&style.labels, &style.damaged_labels}) {
      for (int& label : *labels) label = number[static_cast<std::size_t>(label)];
    }
  }
  return characters;
}

struct StylePictures {
  std::vector<CharacterPicture> pictures;
  std::vector<int> labels;
};

std::map<std::string, StylePictures> by_style(std::span<const CharacterPicture> pictures,
                                              const std::u32string& wanted) {
  std::map<char32_t, int> label_of;
  for (std::size_t c = 0; c < wanted.size(); ++c) label_of[wanted[c]] = static_cast<int>(c);
  std::map<std::string, StylePictures> styles;
  for (const CharacterPicture& picture : pictures) {
    StylePictures& style = styles[picture.style];
    style.pictures.push_back(picture);
    style.labels.push_back(label_of.at(picture.character));
  }
  return styles;
}

// As many as the fonts would draw if they had all characters.
std::size_t drawings_to_learn(const CharacterSpec& spec) {
  if (spec.fonts.empty()) return 0;
  return character_sets(spec.characters, U"").characters.size() * spec.fonts.size();
}

std::size_t unlike_to_learn(std::size_t pictures) {
  return std::clamp(pictures, kLeastUnlike, kMostUnlike);
}

}  // namespace

std::size_t rows_to_train(const CharacterSpec& spec, std::size_t pictures, std::size_t styles) {
  const std::size_t all = pictures + drawings_to_learn(spec),
                    learnt = all * static_cast<std::size_t>(1 + spec.copies),
                    judged = std::min(learnt, 2 * kMostJudged * (spec.fonts.size() + styles));
  return learnt + (judged + unlike_to_learn(all)) * views_of(spec.features).size();
}

TrainedCharacters train_characters(const CharacterSpec& spec,
                                   std::span<const CharacterPicture> pictures,
                                   const std::function<void(std::size_t)>& advance) {
  check_memory(static_cast<double>(rows_to_train(spec, pictures.size(), count_styles(pictures))) *
                   static_cast<double>(columns(spec.features) * sizeof(float)),
               "training on these pictures", "take fewer of them, or fewer copies");
  const std::u32string wanted = wanted_characters(spec, pictures);
  const std::map<std::string, StylePictures> folders = by_style(pictures, wanted);
  const std::size_t sources = std::max<std::size_t>(1, spec.fonts.size() + folders.size());
  const std::size_t unlike = unlike_to_learn(pictures.size() + drawings_to_learn(spec));
  StyleMaker maker(
      spec, std::max<std::size_t>(1, unlike / sources),
      [&](std::size_t count, const Ink& ink, const FramesOf& frames) {
        return rows_of(spec.features, count, ink, frames);
      },
      advance);
  for (const TrainingFont& font : spec.fonts) {
    maker.add_font(font.style, drawings_of(font.font, wanted));
  }
  for (const auto& [name, of] : folders) maker.add_pictures(name, of.pictures, of.labels);
  std::vector<StyleRows>& styles = maker.styles();
  std::u32string characters = without_missing(wanted, styles);
  std::vector<std::string> names;
  for (const StyleRows& style : styles) names.push_back(style.name);
  CharacterFit fit = fit_characters(
      styles, {characters.size(), columns(spec.features), views_of(spec.features).size()},
      spec.classifier, shapes_of(characters));
  return {{spec,
           std::move(characters),
           std::move(names),
           std::move(fit.classifier),
           {date_now(), version(), std::move(fit.judged)}},
          std::move(maker.errors())};
}

}  // namespace leafglyph
