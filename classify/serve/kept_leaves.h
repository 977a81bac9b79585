// Photographs whose species a user gave, kept for the next training: one folder per species.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// A species name from a user as the name of a folder. Throws UsageError for a name that is empty,
/// longer than kMaxSpeciesName bytes, not UTF-8, contains a slash or a control character, or begins
/// with a dot.
std::string species_folder(std::string_view name);

class KeptLeaves {
 public:
  /// The folder is created with the first photograph.
  explicit KeptLeaves(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// Saves the photograph as <species>/<first digits of its SHA-256>.<format> and returns that
  /// path. If the file exists, it stays unchanged. Throws what species_folder throws, InputError
  /// when the bytes are not a readable image, Error when the file cannot be written.
  std::string keep(std::string_view species, std::string_view bytes) const;

  /// The photographs as <species>/<file>, sorted.
  std::vector<std::string> photographs() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace leafglyph
