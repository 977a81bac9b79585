// Photographs that were sent for a training, in a folder that goes with the object.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace leafglyph {

/// A folder of the system's temporary one, which nobody else can read, with a folder a species.
/// Species and files are called as they are, where species_folder takes their names; other files
/// get a number.
class TrainingFolder {
 public:
  TrainingFolder();
  ~TrainingFolder();
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::size_t photographs() const { return photographs_; }

  /// Throws UsageError as species_folder, and when there are too many photographs or bytes.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  /// The photographs of a zip archive, each of the species that the folder is called in which it
  /// lies; returns how many. What lies in no folder, in a hidden one, or is itself hidden is left
  /// out. Throws InputError for an archive that is none, is damaged or packed, and as add.
  std::size_t add_archive(std::string_view zip);

 private:
  std::filesystem::path path_;
  std::size_t photographs_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace leafglyph
