// The header of a file of moments as text. For moment_file.cpp alone.
#pragma once

#include <string>
#include <string_view>

#include "features/moments/moment_file.h"

namespace leafglyph {

/// The header as lines "key: value", without digests.
std::string moment_header_text(const MomentFile& file);

inline constexpr std::string_view kArrayDigest = "sha256";          ///< of F.npy
inline constexpr std::string_view kHeaderDigest = "header sha256";  ///< of the lines before it
inline constexpr std::string_view kTableDigest = "table sha256";    ///< of all other lines of F.csv
/// What a table states that somebody has edited.
inline constexpr std::string_view kNoDigest = "none";
/// The line of a digest.
std::string digest_line(std::string_view key, std::string_view sha256);

/// What a header says. `where` names the file in messages.
struct MomentHeader {
  MomentFile file;      ///< without values
  bool sealed = false;  ///< of a version whose header has a digest
  std::string array_digest, header_digest, table_digest;  ///< empty where the header names none
};

/// Reads such lines. Throws FormatError when a line is not one of these, one is missing, unknown or
/// its value cannot be, InputError for images that are larger than supported.
MomentHeader parse_moment_header(std::string_view text, const std::string& where);

}  // namespace leafglyph
