// Numbers as text, whatever the locale.
#pragma once

#include <string>

namespace leafglyph {

/// The shortest text that is read back as the same number; "nan" and "inf" for what is not finite.
std::string number_text(double value);

}  // namespace leafglyph
