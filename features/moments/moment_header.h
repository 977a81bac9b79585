// The header of a file of moments as text. For moment_file.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "features/moments/moment_file.h"

namespace leafglyph {

/// The header as lines "key: value", without a digest.
std::string moment_header_text(const MomentFile& file);

/// What a header says. `where` names the file in messages.
struct MomentHeader {
  MomentFile file;     ///< without values
  std::string sha256;  ///< of the array; empty where the header names none
};

/// Reads such lines. Throws FormatError when a line is none, one is missing or its value cannot be,
/// InputError for images that are larger than any served.
MomentHeader parse_moment_header(std::string_view text, const std::string& where);

/// The digest's line.
std::string digest_line(std::string_view sha256);

}  // namespace leafglyph
