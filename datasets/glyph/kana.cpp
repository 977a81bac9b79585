#include "datasets/glyph/kana.h"

#include <string_view>
#include <unordered_map>

namespace leafglyph {
namespace {

constexpr char32_t kKatakana = 0x60;  // from a hiragana to its katakana

// Plain kana and their strokes.
constexpr std::u32string_view kHiragana =
    U"あ3い2う2え2お3か3き4く1け3こ2さ3し1す2せ3そ1た4ち2つ1て1と2な4に3ぬ2ね2の1は3ひ1ふ4へ1ほ4"
    U"ま3み2む3め2も3や3ゆ2よ2ら2り2る1れ2ろ1わ2ゐ1ゑ1を3ん1";
constexpr std::u32string_view kKatakanaStrokes =
    U"ア2イ2ウ3エ3オ3カ2キ3ク2ケ3コ2サ3シ3ス2セ2ソ2タ3チ3ツ3テ3ト2ナ2ニ2ヌ2ネ4ノ1ハ2ヒ2フ1ヘ1ホ4"
    U"マ2ミ3ム2メ2モ3ヤ2ユ2ヨ3ラ2リ2ル2レ1ロ3ワ2ヰ4ヱ3ヲ3ン2";

bool is_in(std::u32string_view kana, char32_t character) {
  return kana.find(character) != kana.npos;
}

// Of a plain hiragana.
char32_t hiragana_in_form(char32_t plain, KanaForm form) {
  switch (form) {
    case KanaForm::kPlain:
      return plain;
    case KanaForm::kVoiced:
      if (plain == U'う') return U'ゔ';
      return is_in(U"かきくけこさしすせそたちつてとはひふへほ", plain) ? plain + 1 : 0;
    case KanaForm::kHalfVoiced:
      return is_in(U"はひふへほ", plain) ? plain + 2 : 0;
    case KanaForm::kSmall:
      if (plain == U'か') return U'ゕ';
      if (plain == U'け') return U'ゖ';
      return is_in(U"あいうえおつやゆよわ", plain) ? plain - 1 : 0;
  }
  return 0;
}

int strokes_of_mark(KanaForm form) {
  return form == KanaForm::kVoiced ? 2 : form == KanaForm::kHalfVoiced ? 1 : 0;
}

std::unordered_map<char32_t, Kana> all_kana() {
  std::unordered_map<char32_t, Kana> all;
  for (const std::u32string_view table : {kHiragana, kKatakanaStrokes}) {
    for (std::size_t i = 0; i < table.size(); i += 2) {
      const auto strokes = static_cast<int>(table[i + 1] - U'0');
      for (const KanaForm form :
           {KanaForm::kPlain, KanaForm::kVoiced, KanaForm::kHalfVoiced, KanaForm::kSmall}) {
        const char32_t drawn = kana_in_form(table[i], form);
        if (drawn != 0) all[drawn] = {table[i], form, strokes + strokes_of_mark(form)};
      }
    }
  }
  return all;
}

}  // namespace

std::optional<Kana> kana_of(char32_t character) {
  static const std::unordered_map<char32_t, Kana> all = all_kana();
  const auto found = all.find(character);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

char32_t kana_in_form(char32_t plain, KanaForm form) {
  if (!is_in(kKatakanaStrokes, plain)) return hiragana_in_form(plain, form);
  // Four voiced katakana have no hiragana.
  if (const auto at = std::u32string_view(U"ワヰヱヲ").find(plain);
      form == KanaForm::kVoiced && at != std::u32string_view::npos) {
    return U'ヷ' + static_cast<char32_t>(at);
  }
  const char32_t hiragana = hiragana_in_form(plain - kKatakana, form);
  return hiragana == 0 ? 0 : hiragana + kKatakana;
}

}  // namespace leafglyph
