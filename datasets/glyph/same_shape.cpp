#include "datasets/glyph/same_shape.h"

#include <array>
#include <string_view>

namespace leafglyph {
namespace {

constexpr auto kShapes = std::to_array<std::u32string_view>(
    {U"口ロ",  U"二ニ", U"一ー", U"力カヵ", U"工エェ", U"夕タ", U"卜ト", U"才オォ", U"ム厶",
     U"ヒ匕",  U"りリ", U"へヘ", U"べベ",   U"ぺペ",   U"あぁ", U"いぃ", U"うぅ",   U"えぇ",
     U"おぉ",  U"かゕ", U"けゖ", U"つっ",   U"やゃ",   U"ゆゅ", U"よょ", U"わゎ",   U"アァ",
     U"イィ",  U"ウゥ", U"ケヶ", U"ツッ",   U"ヤャ",   U"ユュ", U"ヨョ", U"ワヮ",   U"0Oo〇",
     U"1lI丨", U"Cc",   U"Ss",   U"Uu",     U"Vv",     U"Ww",   U"Xx",   U"Zz"});

}  // namespace

std::u32string same_shape(char32_t character) {
  for (const std::u32string_view shape : kShapes) {
    if (shape.find(character) != std::u32string_view::npos) return std::u32string(shape);
  }
  return {character};
}

}  // namespace leafglyph
