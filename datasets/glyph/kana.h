// What is known of kana: their forms and strokes.
#pragma once

#include <optional>

namespace leafglyph {

/// One kana has several forms: は ば ぱ, つ っ づ.
enum class KanaForm {
  kPlain,
  kVoiced,      ///< が
  kHalfVoiced,  ///< ぱ
  kSmall,       ///< っ
};

struct Kana {
  char32_t plain = 0;  ///< its plain form
  KanaForm form = KanaForm::kPlain;
  int strokes = 0;  ///< as schools in Japan teach them, marks included
};

/// Empty for what is not hiragana or katakana.
std::optional<Kana> kana_of(char32_t character);

/// The form of a plain kana; 0 if there is none.
char32_t kana_in_form(char32_t plain, KanaForm form);

}  // namespace leafglyph
