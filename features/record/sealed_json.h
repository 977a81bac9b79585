// JSON that contains its own digest, so that a change of any byte is detected.
#pragma once

#include <string>

#include "features/base/sha256.h"
#include "features/record/json_text.h"

namespace leafglyph {

inline constexpr const char* kSeal = "manifest_sha256";

/// SHA-256 of the compact text of everything in the object except the seal.
template <class Json>
std::string seal_of(Json json) {
  json.erase(kSeal);
  return sha256(json.dump());
}

/// The object with its seal as text, indented by one space, or in a line if `indent` is -1. Its
/// strings are UTF-8 (escape_strings).
template <class Json>
std::string sealed_text(Json json, int indent = 1) {
  json[kSeal] = seal_of(json);
  return json.dump(indent);
}

/// Whether `json`, parsed from `text`, matches its digest. A number can be written in several ways,
/// so the text must be the one that sealed_text wrote.
template <class Json>
bool is_sealed(const Json& json, const std::string& text) {
  return json.is_object() && sealed_text(json) == text;
}

}  // namespace leafglyph
