// The name that somebody may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace leafglyph {

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
