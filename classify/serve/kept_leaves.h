// Photographs whose species a user gave, kept for the next training: one folder per species.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The name that a person gave to a species, as the name of a folder. Throws UsageError where it
/// cannot be one: empty, longer than kMaxSpeciesName bytes, not UTF-8, with a slash or a control
/// character, or beginning with a dot.
std::string species_folder(std::string_view name);

class KeptLeaves {
 public:
  /// The folder is made with the first photograph.
  explicit KeptLeaves(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// Keeps the photograph as <species>/<first digits of its SHA-256>.<format>; returns that. Of one
  /// that is there nothing changes. Throws UsageError as species_folder, InputError when the bytes
  /// are not an image that can be read, Error when nothing can be written.
  std::string keep(std::string_view species, std::string_view bytes) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace leafglyph
