#include "classify/glyph/character_traits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

#include "datasets/glyph/kana.h"

namespace leafglyph {
namespace {

bool is_up_to(int place, int last) { return place > 0 && place <= last; }

void set_code(CharacterTraits& traits, std::string_view code) {
  for (const char letter : code) {
    if (letter < 'A' || letter > 'Z') continue;
    if (traits.letters == static_cast<int>(traits.cangjie.size())) break;
    const auto number = static_cast<std::uint8_t>(letter - 'A' + 1);
    traits.cangjie[traits.letters] = number;
    traits.places[number] = static_cast<std::uint8_t>(traits.places[number] | 1U << traits.letters);
    ++traits.letters;
  }
}

std::string_view code_of(const CharacterTraits& traits) {
  return {reinterpret_cast<const char*>(traits.cangjie.data()),
          static_cast<std::size_t>(traits.letters)};
}

bool is_part(const CharacterTraits& part, const CharacterTraits& whole) {
  const std::string_view code = code_of(part);
  if (code.empty() || code == code_of(whole)) return false;
  if (shared_letters(part, whole) == part.letters) return true;
  // The last part of a code has at most three letters: its first two and its last.
  constexpr std::size_t kMost = 3;
  return code.size() > kMost && code_of(whole).ends_with(code.back()) &&
         code_of(whole).substr(0, code_of(whole).size() - 1).ends_with(code.substr(0, kMost - 1));
}

}  // namespace

CharacterTraits traits_of(char32_t character, const Unihan& unihan) {
  CharacterTraits traits;
  const auto facts = unihan.facts(character);
  if (!facts) {
    if (const auto kana = kana_of(character)) traits.strokes = kana->strokes;
    return traits;
  }
  set_code(traits, facts->cangjie);
  std::copy_n(facts->four_corner.begin(),
              std::min(facts->four_corner.size(), traits.corners.size()), traits.corners.begin());
  std::copy_n(facts->phonetic.begin(), std::min(facts->phonetic.size(), traits.phonetic.size()),
              traits.phonetic.begin());
  traits.strokes = facts->strokes;
  traits.radical = facts->radical;
  std::uint32_t frequency = facts->frequency;
  traits.is_common = facts->is_joyo || is_up_to(facts->general, kLastCommon);
  traits.is_general = facts->is_joyo || is_up_to(facts->general, kLastGeneral);
  for (const char32_t simplified : facts->simplified) {
    const auto other = unihan.facts(simplified);
    if (!other) continue;
    frequency = std::max(frequency, other->frequency);
    traits.is_common |= is_up_to(other->general, kLastCommon);
    traits.is_general |= is_up_to(other->general, kLastGeneral);
  }
  traits.frequency = std::log1p(frequency);
  return traits;
}

std::string bytes_of(const CharacterTraits& traits) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  add(traits.cangjie);
  add(traits.corners);
  add(traits.phonetic);
  add(traits.strokes);
  add(traits.radical);
  add(traits.frequency);
  add(traits.is_common);
  add(traits.is_general);
  return bytes;
}

// The bit-parallel recurrence of Hyyro, "Bit-parallel LCS-length computation revisited" (2004): the
// zero bits of `row` are the places where the length grows.
int shared_letters(const CharacterTraits& a, const CharacterTraits& b) {
  unsigned row = ~0U;
  for (int k = 0; k < b.letters; ++k) {
    const unsigned matches = row & a.places[b.cangjie[k]];
    row = (row + matches) | (row - matches);
  }
  return std::popcount(~row & ((1U << a.letters) - 1));
}

bool share_phonetic(const CharacterTraits& a, const CharacterTraits& b) {
  return std::ranges::any_of(a.phonetic, [&](int one) {
    return one != 0 && std::ranges::find(b.phonetic, one) != b.phonetic.end();
  });
}

PairKind kind_of(const CharacterTraits& a, const CharacterTraits& b) {
  constexpr std::size_t kRun = 2;  // a single letter is often only a stroke
  if (is_part(a, b) || is_part(b, a)) return PairKind::kPart;
  const std::string_view shorter = code_of(a.letters <= b.letters ? a : b);
  const std::string_view longer = code_of(a.letters <= b.letters ? b : a);
  bool shares = share_phonetic(a, b);
  for (std::size_t length = shorter.size(); length >= kRun; --length) {
    for (std::size_t first = 0; first + length <= shorter.size(); ++first) {
      const std::size_t at = longer.find(shorter.substr(first, length));
      if (at == std::string_view::npos) continue;
      const bool leads = first == 0;
      const bool ends = first + length == shorter.size();
      const bool leads_other = at == 0;
      const bool ends_other = at + length == longer.size();
      if ((leads && leads_other) || (ends && ends_other)) return PairKind::kShared;
      if ((leads && ends_other) || (ends && leads_other)) return PairKind::kPlace;
      shares = true;
    }
  }
  return shares ? PairKind::kShared : PairKind::kStrokes;
}

}  // namespace leafglyph
