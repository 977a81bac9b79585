// JSON whose strings may contain any bytes: file names are not always UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

/// Applies escape_bytes to every string of the value (not to the keys).
template <class Json>
void escape_strings(Json& json) {
  if (json.is_string()) {
    json = escape_bytes(json.template get_ref<const std::string&>());
  } else if (json.is_structured()) {
    for (auto& element : json) escape_strings(element);
  }
}

/// The value as text, indented by one space; its strings go through escape_bytes.
template <class Json>
std::string json_text(Json json) {
  escape_strings(json);
  return json.dump(1);
}

/// The inverse of json_text, for a string or a list of strings. Throws Json::exception for anything
/// else.
template <class Json>
std::string string_of(const Json& json) {
  return unescape_bytes(json.template get_ref<const std::string&>());
}
template <class Json>
std::vector<std::string> strings_of(const Json& json) {
  std::vector<std::string> strings;
  for (const auto& element : json) strings.push_back(string_of(element));
  return strings;
}

/// The integer under `key`. Throws UsageError for a fraction, for anything that is not a number,
/// and for a number out of the range of T, which get() would convert silently; Json::exception when
/// the key is missing.
template <class T, class Json>
T integer_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<T>(number)) return static_cast<T>(number);
  }
  throw UsageError(std::string("'") + key + "' is not a whole number in range");
}

}  // namespace leafglyph
