// The header of a file of moments as text. Only for moment_file.cpp.
#pragma once

#include <string>
#include <string_view>

#include "features/moments/moment_file.h"

namespace leafglyph {

/// The header as lines "key: value", without digests.
std::string moment_header_text(const MomentFile& file);

inline constexpr std::string_view kArrayDigest = "sha256";          ///< of F.npy
inline constexpr std::string_view kHeaderDigest = "header sha256";  ///< of the lines before it
/// The line of a digest.
std::string digest_line(std::string_view key, std::string_view sha256);

/// The contents of a header.
struct MomentHeader {
  MomentFile file;                          ///< without values
  bool sealed = false;                      ///< of a version whose header has a digest
  std::string array_digest, header_digest;  ///< empty where the header names none
};

/// Parses such lines; `where` names the file in messages. Throws FormatError when a line is not of
/// this form, when one is missing or unknown, or when a value is invalid; InputError for images
/// that are larger than supported.
MomentHeader parse_moment_header(std::string_view text, const std::string& where);

}  // namespace leafglyph
