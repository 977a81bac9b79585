#include "classify/character/character_training.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "classify/character/character_drawing.h"
#include "classify/character/character_rows.h"
#include "classify/leaf/model_history.h"
#include "classify/support/versions.h"
#include "datasets/glyph/character_set.h"
#include "datasets/glyph/damage.h"
#include "features/base/errors.h"
#include "features/base/memory.h"

namespace leafglyph {
namespace {

// Pictures that show no character, of all fonts and styles together: as many of two characters as
// of parts of one; fewer where there are fewer of characters.
constexpr std::size_t kLeastUnlike = 240, kMostUnlike = 2400;
// Pictures that are in memory at once in their own size.
constexpr std::size_t kReadAtOnce = 256;

void append(std::vector<float>& rows, const std::vector<float>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

void append(std::vector<int>& labels, const std::vector<int>& more) {
  labels.insert(labels.end(), more.begin(), more.end());
}

// Makes the rows of styles, source by source: a font, or the pictures of one style.
class StyleMaker {
 public:
  StyleMaker(const CharacterSpec& spec, std::size_t unlike,
             const std::function<void(std::size_t)>& advance)
      : spec_(spec), unlike_(unlike), advance_(advance) {}

  void add_font(const TrainingFont& font, std::u32string_view characters) {
    const auto [drawings, labels] = drawings_of(font.font, characters);
    StyleRows& style = style_of(font.style);
    add(style.clean, drawings.size(), [&](std::size_t i) { return as_seen(ink_in(drawings[i])); });
    append(style.labels, labels);
    add_copies(style, drawings, labels);
  }

  void add_pictures(const std::string& name, std::span<const CharacterPicture> pictures,
                    std::span<const int> labels) {
    std::vector<Drawing> drawings;
    std::vector<int> read_labels;
    StyleRows& style = style_of(name);
    for (std::size_t first = 0; first < pictures.size(); first += kReadAtOnce) {
      const std::size_t some = std::min(kReadAtOnce, pictures.size() - first);
      const ReadInks read = read_inks(pictures.subspan(first, some));
      add(style.clean, read.inks.size(), [&](std::size_t i) { return read.inks[i]; });
      for (const Image<float>& ink : read.inks) drawings.push_back(as_drawing(ink));
      for (const std::size_t file : read.files) read_labels.push_back(labels[first + file]);
      errors_.insert(errors_.end(), read.errors.begin(), read.errors.end());
    }
    if (drawings.empty()) throw InputError(errors_.back() + "; no picture of its style is usable");
    append(style.labels, read_labels);
    add_copies(style, drawings, read_labels);
  }

  std::vector<StyleRows>& styles() { return styles_; }
  std::vector<std::string>& errors() { return errors_; }

 private:
  StyleRows& style_of(const std::string& name) {
    const auto at = std::ranges::find(styles_, name, &StyleRows::name);
    if (at != styles_.end()) return *at;
    styles_.emplace_back().name = name;
    return styles_.back();
  }

  void add(std::vector<float>& rows, std::size_t count,
           const std::function<Image<float>(std::size_t)>& ink) {
    append(rows, rows_of(spec_.features, count, ink));
    if (advance_) advance_(count);
  }

  void add_copies(StyleRows& style, const std::vector<Drawing>& drawings,
                  const std::vector<int>& labels) {
    ++sources_;
    for (int copy = 0; copy < spec_.copies; ++copy) {
      add(style.damaged, drawings.size(), [&](std::size_t i) {
        // The same damage for a character in every source would look like a part of it.
        const auto number = static_cast<std::uint64_t>(copy) * drawings.size() + i;
        std::mt19937_64 mix(spec_.seed + 0x9E3779B97F4A7C15ULL * (sources_ + number));
        return as_seen(damaged(ink_in(drawings[i]), mix()));
      });
      append(style.damaged_labels, labels);
    }
    add(style.unlike, unlike_, [&](std::size_t i) { return as_seen(unlike_picture(drawings, i)); });
  }

  const CharacterSpec& spec_;
  std::size_t unlike_;
  const std::function<void(std::size_t)>& advance_;
  std::uint64_t sources_ = 0;
  std::vector<StyleRows> styles_;
  std::vector<std::string> errors_;
};

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

std::size_t rows_to_train(const CharacterSpec& spec, std::size_t pictures) {
  const std::size_t all = pictures + drawings_to_learn(spec);
  return all * static_cast<std::size_t>(1 + spec.copies) + unlike_to_learn(all);
}

TrainedCharacters train_characters(const CharacterSpec& spec,
                                   std::span<const CharacterPicture> pictures,
                                   const std::function<void(std::size_t)>& advance) {
  check_memory(static_cast<double>(rows_to_train(spec, pictures.size())) *
                   static_cast<double>(columns(spec.features) * sizeof(float)),
               "training on these pictures", "take fewer of them, or fewer copies");
  const std::u32string wanted = wanted_characters(spec, pictures);
  const std::map<std::string, StylePictures> folders = by_style(pictures, wanted);
  const std::size_t sources = std::max<std::size_t>(1, spec.fonts.size() + folders.size());
  const std::size_t unlike = unlike_to_learn(pictures.size() + drawings_to_learn(spec));
  StyleMaker maker(spec, std::max<std::size_t>(1, unlike / sources), advance);
  for (const TrainingFont& font : spec.fonts) maker.add_font(font, wanted);
  for (const auto& [name, of] : folders) maker.add_pictures(name, of.pictures, of.labels);
  std::vector<StyleRows>& styles = maker.styles();
  std::u32string characters = without_missing(wanted, styles);
  std::vector<std::string> names;
  for (const StyleRows& style : styles) names.push_back(style.name);
  CharacterFit fit = fit_characters(styles, characters.size(), columns(spec.features),
                                    spec.classifier, shapes_of(characters));
  return {{spec,
           std::move(characters),
           std::move(names),
           std::move(fit.classifier),
           {date_now(), version(), std::move(fit.judged)}},
          std::move(maker.errors())};
}

}  // namespace leafglyph
