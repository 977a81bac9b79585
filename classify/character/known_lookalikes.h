// Whether readers confuse characters that a recogniser confuses.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace leafglyph {

/// Pairs with this score or more are known look-alikes: half of the pairs that readers confuse have
/// it.
inline constexpr double kLookalikeFrom = 0.5;

/// The score of the second character of each pair as a look-alike of the first (LookalikeIndex, in
/// its default fonts of 20,000 characters). 0 where one of these lacks a character, or is missing.
std::vector<double> lookalike_scores(std::span<const std::pair<char32_t, char32_t>> pairs);

}  // namespace leafglyph
