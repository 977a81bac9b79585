#include "classify/character/character_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "classify/character/character_training.h"
#include "features/base/input_file.h"
#include "features/base/sha256.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kStyleParts = 10, kPictureParts = 5;

// The part in which each picture is left out.
std::vector<std::size_t> parts_of_pictures(std::span<const CharacterPicture> pictures,
                                           bool by_styles) {
  std::map<std::string, std::size_t> styles;
  std::map<char32_t, std::size_t> of_character;
  std::vector<std::size_t> parts;
  for (const CharacterPicture& picture : pictures) {
    const std::size_t style = styles.try_emplace(picture.style, styles.size()).first->second;
    parts.push_back(by_styles ? style % kStyleParts
                              : of_character[picture.character]++ % kPictureParts);
  }
  return parts;
}

bool has_styles(std::span<const CharacterPicture> pictures) {
  return std::ranges::any_of(pictures, [&](const CharacterPicture& picture) {
    return picture.style != pictures.front().style;
  });
}

void add_copies(std::span<const CharacterPicture> pictures, CharacterCheck& check) {
  std::map<std::string, const CharacterPicture*> first;
  for (const CharacterPicture& picture : pictures) {
    const auto [at, is_new] = first.try_emplace(sha256(read_file(picture.file)), &picture);
    if (is_new) continue;
    const bool other = at->second->character != picture.character;
    check.look.push_back({other ? CharacterLook::kOtherCharacter : CharacterLook::kTwice,
                          picture.file + ": the same file as " + at->second->file});
  }
}

void add_tests(CharacterCheck& check) {
  const std::vector<TestedCharacter>& tests = check.tested.tests;
  std::vector<std::size_t> surest_first(tests.size());
  std::iota(surest_first.begin(), surest_first.end(), std::size_t{0});
  std::ranges::stable_sort(surest_first, std::greater<>(), [&](std::size_t i) {
    return tests[i].prediction.ranking.front().probability;
  });
  for (const std::size_t i : surest_first) {
    const TestedCharacter& test = tests[i];
    const Word word = *test.prediction.decision.word();
    const auto& first = test.prediction.ranking.front();
    if (word == Word::kUnknown) {
      check.look.push_back({CharacterLook::kUnlike, test.name, i});
    } else if (!test.is_right() && (word != Word::kDoubtful || !test.place())) {
      check.look.push_back({CharacterLook::kMisfiled,
                            fmt::format("{}: looks like {} ({:.0f} %)", test.name,
                                        encode_utf8(first.character), 100 * first.probability),
                            i});
    }
  }
}

}  // namespace

std::size_t steps_to_check(const CharacterSpec& spec, std::span<const CharacterPicture> pictures) {
  std::map<std::size_t, std::size_t> left_out;
  for (const std::size_t part : parts_of_pictures(pictures, has_styles(pictures))) ++left_out[part];
  std::size_t steps = pictures.size();
  for (const auto& [part, count] : left_out) {
    steps += rows_to_train(spec, pictures.size() - count, count_styles(pictures));
  }
  return steps;
}

CharacterCheck check_characters(const CharacterSpec& spec,
                                std::span<const CharacterPicture> pictures,
                                const std::function<void(std::size_t)>& advance) {
  CharacterCheck check;
  check.by_styles = has_styles(pictures);
  const std::vector<std::size_t> parts = parts_of_pictures(pictures, check.by_styles);
  for (const std::size_t part : std::set(parts.begin(), parts.end())) {
    std::vector<CharacterPicture> learnt, left_out;
    for (std::size_t i = 0; i < pictures.size(); ++i) {
      (parts[i] == part ? left_out : learnt).push_back(pictures[i]);
    }
    const CharacterRecogniser recogniser(train_characters(spec, learnt, advance).model);
    CharacterTests(recogniser, {}, advance, check.tested).add_pictures(left_out);
  }
  check.untested =
      std::erase_if(check.tested.tests, [](const TestedCharacter& test) { return !test.is_known; });
  add_tests(check);
  add_copies(pictures, check);
  for (const std::string& error : check.tested.errors) {
    check.look.push_back({CharacterLook::kUnreadable, error});
  }
  std::ranges::stable_sort(check.look, {}, &CharacterLookAt::look);
  return check;
}

}  // namespace leafglyph
