#include "features/base/keys.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {

std::string range_text(const Range& range) {
  return "from " + number_text(range.lowest) + " to " + number_text(range.highest);
}

std::string list_of(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

namespace {

template <class T>
std::string fault_in(const Key& key, const T& value) {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    const auto number = static_cast<double>(value);
    if (key.range.holds(number)) return "";
    return number_text(number) + " is out of range; use " + range_text(key.range);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (key.choices.empty() || std::ranges::count(key.choices, value) > 0) return "";
    return "'" + value + "' is unknown; use " + list_of(key.choices) +
           did_you_mean(value, key.choices);
  } else {
    return "";
  }
}
template <class T>
std::string fault_in(const Key& key, const std::vector<T>& values) {
  for (const T& value : values) {
    if (std::string fault = fault_in(key, value); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::string fault_of(const Key& key) {
  return std::visit([&](const auto* value) { return fault_in(key, *value); }, key.value);
}

std::string_view kind_of(const Key& key) {
  constexpr std::array<std::string_view, std::variant_size_v<Key::Value>> kKinds = {
      "true or false",
      "a whole number",
      "a number",
      "text",
      "a path",
      "a list of whole numbers, such as [1, 2]",
      "a list of numbers, such as [0.1, 2]",
      "a list of strings, such as [a, b]",
      "a list of lists, such as [[a, b], [c]]"};
  return kKinds[key.value.index()];
}

void CheckedKeys::key(const Key& key) {
  if (const std::string fault = fault_of(key); !fault.empty()) {
    throw UsageError(prefix_ + std::string(key.name) + ": " + fault);
  }
}

void CheckedKeys::check(std::string_view name, const std::function<void()>& check) {
  try {
    check();
  } catch (const UsageError& error) {
    throw UsageError(prefix_ + std::string(name) + ": " + error.what());
  }
}

void CheckedKeys::group(std::string_view name, const std::function<void()>& keys,
                        bool /*is_written*/) {
  const std::size_t length = prefix_.size();
  prefix_ += std::string(name) + ".";
  keys();
  prefix_.resize(length);
}

}  // namespace leafglyph
