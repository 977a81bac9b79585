// Photographs that were sent for a training, in a folder that is removed with the object.
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

/// The contents of a training folder.
struct TrainingCounts {
  std::size_t photographs = 0;
  std::vector<std::string> species;
  std::vector<std::size_t> of_each;  ///< photographs of each species
};

/// A hidden folder that nobody else can read, with one folder per species. It is locked while its
/// server lives. Species and files keep their names if species_folder accepts them; other files get
/// a number. For many threads.
class TrainingFolder {
 public:
  /// Created in the folder `data`, which is created, too. Throws Error when it cannot be.
  explicit TrainingFolder(const std::filesystem::path& data);
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;

  /// Removes what killed servers have left in `data`; folders in use are locked and stay.
  static void clear_leftovers(const std::filesystem::path& data);

  const std::filesystem::path& path() const { return partial_.path(); }
  TrainingCounts counts() const;

  /// Throws UsageError as species_folder, for an empty file, and for too many photographs or bytes;
  /// Error when the photograph cannot be written.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  /// Adds the photographs of a zip archive; the folder of each is its species. Returns how many.
  /// Skips files that are not images by name (is_image_name), are outside of folders, or are hidden
  /// or in hidden folders. Throws what ZipArchive and add throw; photographs added before stay.
  std::size_t add_archive(std::string_view zip);

  /// A message that names photographs by species and file, without the path of this folder.
  std::string without_path(std::string message) const;

 private:
  Partial partial_;
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> species_;  // photographs of each
  std::size_t photographs_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace leafglyph
