// Names in UTF-8 for libarchive.
#pragma once

#include <locale.h>

namespace leafglyph {

/// While it exists, this thread's locale has UTF-8. libarchive converts names that an archive
/// states as UTF-8 to and from the thread's locale, and in that of C to question marks.
class Utf8Names {
 public:
  Utf8Names() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = ::uselocale(utf8_);
  }
  ~Utf8Names() {
    if (utf8_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t utf8_, before_ = nullptr;
};

}  // namespace leafglyph
