// Readers of what anybody may have made, as fuzzing calls them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph::fuzz {

struct FuzzTarget {
  std::string_view name;
  /// Reads the bytes and uses what it read as the program does. leafglyph::Error is how bytes are
  /// refused; whatever else comes out is a finding.
  void (*read)(std::string_view bytes);
  /// What fuzzing starts from: small inputs that are read whole.
  std::vector<std::string> (*seeds)();
};

std::span<const FuzzTarget> fuzz_targets();

/// Throws std::invalid_argument for a name that there is not.
const FuzzTarget& fuzz_target(std::string_view name);

/// Reads the bytes; an Error has to have a message. Aborts, saying why, when anything else is
/// thrown.
void try_target(const FuzzTarget& target, std::string_view bytes);

// The targets, a file each kind of reader.
std::vector<FuzzTarget> array_targets();
std::vector<FuzzTarget> glyph_targets();
std::vector<FuzzTarget> image_targets();
std::vector<FuzzTarget> model_targets();
std::vector<FuzzTarget> serve_targets();
std::vector<FuzzTarget> store_targets();
std::vector<FuzzTarget> text_targets();

}  // namespace leafglyph::fuzz
