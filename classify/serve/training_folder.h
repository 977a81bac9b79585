// Photographs that were sent for a training, in a folder that goes with the object.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/partial.h"

namespace leafglyph {

/// What is in a training folder.
struct TrainingCounts {
  std::size_t photographs = 0;
  std::vector<std::string> species;
  std::vector<std::size_t> of_each;  ///< photographs of each species
};

/// A hidden folder, which nobody else can read, with one folder for each species. It is locked as
/// long as its server lives. Species and files are called as they are, where species_folder takes
/// their names; other files get a number. For many threads.
class TrainingFolder {
 public:
  /// Made in the folder `data`, which is made where there is none. Throws Error when it cannot be.
  explicit TrainingFolder(const std::filesystem::path& data);
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;

  /// Removes what servers that were killed have left in `data`; those in use are locked and stay.
  static void clear_leftovers(const std::filesystem::path& data);

  const std::filesystem::path& path() const { return partial_.path(); }
  TrainingCounts counts() const;

  /// Throws UsageError as species_folder, for no bytes, and when there are too many photographs or
  /// bytes; Error when the photograph cannot be written.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  /// The photographs of a zip archive, each of the species that the folder is called in which it
  /// lies; returns how many. What is_image_name does not hold for, lies in no folder or in a hidden
  /// one, or is itself hidden is left out. Throws what ZipArchive and add throw; the photographs
  /// before stay.
  std::size_t add_archive(std::string_view zip);

  /// A message in which the photographs are called by their species and names, without the path of
  /// this folder.
  std::string without_path(std::string message) const;

 private:
  Partial partial_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> species_;  // photographs of each
  std::size_t photographs_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace leafglyph
