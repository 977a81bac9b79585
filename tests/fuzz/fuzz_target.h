// Readers of untrusted input, as fuzzing calls them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::fuzz {

struct FuzzTarget {
  std::string_view name;
  /// Reads the bytes and uses the result as the program does. Invalid bytes must throw
  /// leafglyph::Error; anything else that is thrown is a finding.
  void (*read)(std::string_view bytes);
  /// The starting points of fuzzing: small valid inputs.
  std::vector<std::string> (*seeds)();
};

std::span<const FuzzTarget> fuzz_targets();

/// Throws std::invalid_argument for an unknown name.
const FuzzTarget& fuzz_target(std::string_view name);

/// Reads the bytes; an Error must have a message. Aborts with the reason when anything else is
/// thrown.
void try_target(const FuzzTarget& target, std::string_view bytes);

// The targets, one file per kind of reader.
std::vector<FuzzTarget> array_targets();
std::vector<FuzzTarget> glyph_targets();
std::vector<FuzzTarget> image_targets();
std::vector<FuzzTarget> model_targets();
std::vector<FuzzTarget> serve_targets();
std::vector<FuzzTarget> store_targets();
std::vector<FuzzTarget> text_targets();

}  // namespace leafglyph::fuzz
