// JSON whose strings may hold any bytes: names of files are not always UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

/// Every string of the value (not the keys) by escape_bytes.
template <class Json>
void escape_strings(Json& json) {
  if (json.is_string()) {
    json = escape_bytes(json.template get_ref<const std::string&>());
  } else if (json.is_structured()) {
    for (auto& element : json) escape_strings(element);
  }
}

/// The value as text, indented by one space, its strings by escape_bytes.
template <class Json>
std::string json_text(Json json) {
  escape_strings(json);
  return json.dump(1);
}

/// The string, or the strings, that json_text was given. Throws Json::exception when it is neither.
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

/// The integer under `key`. Throws UsageError when it is a fraction, no number, or none that T
/// holds, all of which get() would make some integer of; Json::exception when there is no such key.
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
