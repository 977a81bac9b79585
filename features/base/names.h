// Enumerators and their names, in one table for both directions, and suggestions for misspelled
// names.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace leafglyph {

/// The names of an enumeration's values, each once.
template <class Enum, std::size_t N>
struct Names {
  struct Entry {
    Enum value;
    std::string_view name;
  };

  std::string_view what;  ///< what is named, for messages: "vote"
  std::array<Entry, N> entries;

  constexpr std::array<Enum, N> values() const {
    std::array<Enum, N> values{};
    for (std::size_t i = 0; i < N; ++i) values[i] = entries[i].value;
    return values;
  }
  constexpr std::array<std::string_view, N> names() const {
    std::array<std::string_view, N> names{};
    for (std::size_t i = 0; i < N; ++i) names[i] = entries[i].name;
    return names;
  }
};

/// Those of an enumeration follow it, as a specialisation:
///   template <>
///   inline constexpr Names<Mask, 2> kNamesOf<Mask> = {"mask", {{{Mask::kCentre, "centre"}, ...}}};
template <class Enum>
inline constexpr auto kNamesOf = nullptr;

/// Throws UsageError: "mask 'middle' is unknown; use centre or whole", and the name that may
/// have been meant.
[[noreturn]] void throw_unknown_name(std::string_view what, std::string_view name,
                                     std::span<const std::string_view> known);

/// The name of a value; empty when the table does not have it.
template <class Enum, std::size_t N>
constexpr std::string_view name_of(const Names<Enum, N>& names, Enum value) {
  for (const auto& entry : names.entries) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

/// The value of a name; throws as throw_unknown_name when the table does not have it.
template <class Enum, std::size_t N>
Enum from_name(const Names<Enum, N>& names, std::string_view name) {
  for (const auto& entry : names.entries) {
    if (entry.name == name) return entry.value;
  }
  throw_unknown_name(names.what, name, names.names());
}

/// The same by the table of the enumeration: name_of(Mask::kCentre), from_name<Mask>("centre").
template <class Enum>
constexpr std::string_view name_of(Enum value) {
  return name_of(kNamesOf<Enum>, value);
}
template <class Enum>
Enum from_name(std::string_view name) {
  return from_name(kNamesOf<Enum>, name);
}

/// Letters that have to be put in, left out, changed, or exchanged with their neighbour to make one
/// text of the other (optimal string alignment), capitals counting as small letters.
int letters_apart(std::string_view a, std::string_view b);

/// The first of the nearest among `known`, if at most a third of the letters of `name` are wrong or
/// it begins with them; else empty.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// "; did you mean 'centre'?" to end a message about an unknown name with, or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace leafglyph
