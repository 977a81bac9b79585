#include "datasets/glyph/unihan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "datasets/glyph/unicode_blocks.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr int kTones = 4;
constexpr std::u32string_view kVowels = U"aeiouüêmn";
// The vowels with tone marks; a combining mark where Unicode has no composed character.
constexpr std::array<std::array<std::string_view, kTones>, 9> kMarked = {{{"ā", "á", "ǎ", "à"},
                                                                          {"ē", "é", "ě", "è"},
                                                                          {"ī", "í", "ǐ", "ì"},
                                                                          {"ō", "ó", "ǒ", "ò"},
                                                                          {"ū", "ú", "ǔ", "ù"},
                                                                          {"ǖ", "ǘ", "ǚ", "ǜ"},
                                                                          {"ê̄", "ế", "ê̌", "ề"},
                                                                          {"m̄", "ḿ", "m̌", "m̀"},
                                                                          {"n̄", "ń", "ň", "ǹ"}}};

struct Syllable {
  std::u32string letters;
  int tone = 0;  // 0: none given
};

Syllable syllable_of(std::string_view numbered) {
  Syllable syllable{decode_utf8(numbered), 0};
  if (!syllable.letters.empty() && syllable.letters.back() >= U'1' &&
      syllable.letters.back() <= U'5') {
    syllable.tone = static_cast<int>(syllable.letters.back() - U'0');
    syllable.letters.pop_back();
  }
  return syllable;
}

// The position of the vowel that bears the mark: a, e or ê; the o of ou; otherwise the last vowel;
// m or n if there is none.
std::size_t marked_place(std::u32string_view letters) {
  for (const char32_t vowel : {U'a', U'e', U'ê'}) {
    if (const auto at = letters.find(vowel); at != std::u32string_view::npos) return at;
  }
  if (const auto at = letters.find(U"ou"); at != std::u32string_view::npos) return at;
  const auto last = letters.find_last_of(U"iouü");
  return last != std::u32string_view::npos ? last : letters.find_first_of(U"mn");
}

// A reading as typed: tone marks become numbers, and ü is recognised in all spellings.
Syllable typed(std::string_view text) {
  std::string lower;
  for (const char c : text) {
    if (c != ' ') lower.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
  }
  const auto replace = [&](std::string_view from, std::string_view to) {
    const std::size_t at = lower.find(from);
    if (at != std::string::npos) lower.replace(at, from.size(), to);
    return at != std::string::npos;
  };
  if (!replace("u:", "ü")) replace("v", "ü");
  int tone = 0;
  for (std::size_t vowel = 0; vowel < kMarked.size(); ++vowel) {
    for (std::size_t t = 0; t < kTones; ++t) {
      if (replace(kMarked[vowel][t], encode_utf8(kVowels[vowel]))) tone = static_cast<int>(t) + 1;
    }
  }
  Syllable syllable = syllable_of(lower);
  if (syllable.tone == 0) syllable.tone = tone;
  return syllable;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) result.emplace_back(take_field(text, ' '));
  return result;
}

struct Line {
  char32_t character;
  std::string_view fields;
};

// By increasing code point.
const std::vector<Line>& lines() {
  static const std::vector<Line> parsed = [] {
    std::vector<Line> lines;
    std::string_view rest = unicode_characters();
    while (!rest.empty()) {
      std::string_view line = take_field(rest, '\n');
      const char32_t character = number_of(take_field(line, '\t'), 16);
      lines.push_back({character, line});
    }
    return lines;
  }();
  return parsed;
}

const Line* line_of(char32_t character) {
  const auto found =
      std::lower_bound(lines().begin(), lines().end(), character,
                       [](const Line& line, char32_t value) { return line.character < value; });
  return found == lines().end() || found->character != character ? nullptr : &*found;
}

std::vector<int> phonetic_classes(std::string_view text) {
  std::vector<int> classes;
  while (!text.empty()) {
    const std::string_view name = take_field(text, ' ');
    classes.push_back(static_cast<int>(2 * number_of(name, 10)) + (name.ends_with('A') ? 1 : 0));
  }
  return classes;
}

}  // namespace

std::string toneless_pinyin(std::string_view numbered) {
  return encode_utf8(syllable_of(numbered).letters);
}

std::string marked_pinyin(std::string_view numbered) {
  const Syllable syllable = syllable_of(numbered);
  const std::size_t place = marked_place(syllable.letters);
  if (syllable.tone < 1 || syllable.tone > kTones || place == std::u32string::npos) {
    return encode_utf8(syllable.letters);
  }
  const std::u32string_view letters = syllable.letters;
  return encode_utf8(letters.substr(0, place)) +
         std::string(kMarked[kVowels.find(letters[place])][syllable.tone - 1]) +
         encode_utf8(letters.substr(place + 1));
}

std::optional<CharacterFacts> Unihan::facts(char32_t character) const {
  const Line* line = line_of(character);
  if (line == nullptr) return std::nullopt;
  std::string_view fields = line->fields;
  const auto number = [&] { return number_of(take_field(fields, '\t'), 10); };
  CharacterFacts facts;
  facts.pinyin = words(take_field(fields, '\t'));
  facts.usual = words(take_field(fields, '\t'));
  facts.strokes = static_cast<int>(number());
  facts.radical = static_cast<int>(number());
  facts.frequency = number();
  facts.general = static_cast<int>(number());
  facts.is_joyo = number() != 0;
  facts.cangjie = take_field(fields, '\t');
  facts.four_corner = take_field(fields, '\t');
  facts.phonetic = phonetic_classes(take_field(fields, '\t'));
  facts.simplified = decode_utf8(take_field(fields, '\t'));
  facts.traditional = decode_utf8(take_field(fields, '\t'));
  facts.variants = decode_utf8(take_field(fields, '\t'));
  facts.meaning = fields;
  return facts;
}

std::u32string Unihan::with_pinyin(std::string_view pinyin, std::u32string_view among) const {
  const Syllable wanted = typed(pinyin);
  std::vector<std::pair<std::uint32_t, char32_t>> found;
  for (const char32_t character : among) {
    const auto known = facts(character);
    if (!known) continue;
    const bool read = std::any_of(known->pinyin.begin(), known->pinyin.end(), [&](const auto& p) {
      const Syllable own = syllable_of(p);
      return own.letters == wanted.letters && (wanted.tone == 0 || own.tone == wanted.tone);
    });
    if (read) found.emplace_back(known->frequency, character);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::u32string characters;
  for (const auto& [frequency, character] : found) characters.push_back(character);
  return characters;
}

std::u32string Unihan::general(int last) const {
  std::vector<std::pair<int, char32_t>> found;
  for (const Line& line : lines()) {
    const int place = facts(line.character)->general;
    if (place > 0 && place <= last) found.emplace_back(place, line.character);
  }
  std::sort(found.begin(), found.end());
  std::u32string characters;
  for (const auto& [place, character] : found) characters.push_back(character);
  return characters;
}

}  // namespace leafglyph
