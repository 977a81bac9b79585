// Splits as JSON, by the names of their leaves, so that other runs and tools can use the same ones.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"

namespace leafglyph {

struct SavedSplits {
  ProtocolSpec protocol;
  std::vector<Split> splits;
};

/// Row i of the splits is called names[i]. The file states its own digest; one that was made by
/// hand need not. Throws InputError when two rows have the same name.
void save_splits(const SavedSplits& saved, std::span<const std::string> names,
                 const std::filesystem::path& file);

/// The protocol names the file. That of a file made by hand is what the splits themselves are
/// (protocol_of), whatever it states. Throws InputError when the file cannot be read or two rows
/// have the same name, FormatError when it does not hold splits, has another digest than it states,
/// names a leaf that is not among `names`, or has a leaf on both sides of a split.
SavedSplits load_splits(const std::filesystem::path& file, std::span<const std::string> names);

}  // namespace leafglyph
