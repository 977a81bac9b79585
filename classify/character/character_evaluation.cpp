#include "classify/character/character_evaluation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kTestedAtOnce = 512;
constexpr std::size_t kRanked = 5;

}  // namespace

std::optional<std::size_t> TestedCharacter::place() const {
  const auto at = std::ranges::find_if(prediction.ranking, [&](const auto& ranked) {
    return ranked.character == truth || ranked.same.find(truth) != std::u32string::npos;
  });
  if (at == prediction.ranking.end()) return std::nullopt;
  return static_cast<std::size_t>(at - prediction.ranking.begin());
}

CharacterScore score_of(std::span<const TestedCharacter* const> tests) {
  CharacterScore score;
  for (const TestedCharacter* test : tests) {
    ++score.pictures;
    score.right += test->is_right();
    score.among_five += test->place().has_value();
    WordScore& word = score.words[static_cast<std::size_t>(*test->prediction.decision.word())];
    ++word.predictions;
    word.right += test->is_right();
  }
  return score;
}

CharacterTests::CharacterTests(const CharacterRecogniser& recogniser, std::vector<Damage> damages,
                               std::function<void(std::size_t)> advance, TestedCharacters& tested)
    : recogniser_(recogniser),
      damages_(std::move(damages)),
      advance_(std::move(advance)),
      tested_(tested) {}

void CharacterTests::add(std::vector<TestedCharacter> tests, const Ink& ink) {
  const auto run = [&](const Ink& seen, const std::string& damage) {
    const auto predictions = recogniser_.recognise(tests.size(), seen, kRanked);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      TestedCharacter test = tests[i];
      test.group += damage;
      test.is_known = recogniser_.knows(test.truth);
      test.prediction = predictions[i];
      if (!test.is_right()) test.drawing = as_drawing(seen(i));
      tested_.tests.push_back(std::move(test));
    }
    if (advance_) advance_(tests.size());
  };
  run(ink, "");
  for (const Damage damage : damages_) {
    const std::size_t first = tested_.tests.size();
    run(
        [&](std::size_t i) {
          return as_seen(damaged(ink_in(as_drawing(ink(i))), damage, first + i));
        },
        ", " + std::string(name_of(damage)));
  }
}

void CharacterTests::add_pictures(std::span<const CharacterPicture> pictures) {
  for (std::size_t first = 0; first < pictures.size(); first += kTestedAtOnce) {
    const auto some = pictures.subspan(first, std::min(kTestedAtOnce, pictures.size() - first));
    std::vector<std::string> files;
    for (const CharacterPicture& picture : some) files.push_back(picture.file);
    ReadInks read = read_inks(files);
    std::vector<TestedCharacter> tests;
    for (const std::size_t i : read.files) {
      tests.push_back({.name = some[i].file, .group = some[i].style, .truth = some[i].character});
    }
    std::ranges::move(read.errors, std::back_inserter(tested_.errors));
    add(std::move(tests), [&](std::size_t i) { return read.inks[i]; });
  }
}

void CharacterTests::add_font(const FontOptions& font, std::u32string_view characters) {
  const auto [drawings, labels] = drawings_of(font, characters);
  const std::string family = GlyphSource(font).family();
  for (std::size_t first = 0; first < drawings.size(); first += kTestedAtOnce) {
    std::vector<TestedCharacter> tests;
    for (std::size_t i = first; i < std::min(first + kTestedAtOnce, drawings.size()); ++i) {
      const char32_t character = characters[static_cast<std::size_t>(labels[i])];
      tests.push_back({.name = family + " " + encode_utf8(std::u32string(1, character)),
                       .group = family,
                       .truth = character});
    }
    add(std::move(tests), [&](std::size_t i) { return as_seen(ink_in(drawings[first + i])); });
  }
}

}  // namespace leafglyph
