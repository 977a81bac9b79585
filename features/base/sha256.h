// The digest by which files are checked.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// SHA-256 (FIPS 180-4) in 64 hexadecimal digits. Throws Error where OpenSSL is set up without it.
std::string sha256(std::string_view bytes);

}  // namespace leafglyph
