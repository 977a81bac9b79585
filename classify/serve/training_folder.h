// Photographs that were sent for a training, in a folder that outlives its server until a model has
// learned them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "classify/serve/waiting_list.h"
#include "features/base/write_lock.h"

namespace leafglyph {

/// Files of archives that were left out: how many, and the names of some.
struct SkippedFiles {
  std::size_t count = 0;
  std::vector<std::string> names;  ///< different ones, at most kMostNames

  static constexpr std::size_t kMostNames = 3;
  void add(const std::string& name);
};

/// The contents of a training folder.
struct TrainingCounts {
  std::size_t photographs = 0;
  std::vector<std::string> species;
  std::vector<std::size_t> of_each;  ///< number of photographs of each species
  SkippedFiles loose;   ///< photographs outside of folders, so that their species is unknown
  SkippedFiles others;  ///< empty files, hidden files and those that are not photographs
};

/// Photographs in folders called like ours but without a mark: of version 0.2.0, or of the user.
/// They are read if the user asks for them, and stay.
struct EarlierPhotographs {
  std::vector<std::filesystem::path> photographs;  ///< <folder>/<species>/<file>
  std::vector<std::filesystem::path> folders;      ///< those with photographs
};

/// A folder that nobody else can read, with one folder per species, and a mark (WaitingList). It is
/// locked while its server lives. At the end it stays, unless it is empty or discard() was called:
/// then what was sent is removed, and anything else in it stays. Species and files keep their names
/// if species_folder accepts them; other files get a number. Safe for many threads.
class TrainingFolder {
 public:
  /// Creates the folder inside `data` (waiting, waiting-2, ...), and `data` if necessary. Throws
  /// Error when it cannot.
  explicit TrainingFolder(const std::filesystem::path& data);
  ~TrainingFolder();
  TrainingFolder(const TrainingFolder&) = delete;
  TrainingFolder& operator=(const TrainingFolder&) = delete;

  /// The first folder with a mark and photographs in `data` that no server uses; none if there is
  /// no such folder.
  static std::unique_ptr<TrainingFolder> left_in(const std::filesystem::path& data);
  /// Throws InputError when a folder cannot be read.
  static EarlierPhotographs earlier_in(const std::filesystem::path& data);

  const std::filesystem::path& path() const { return lock_.target(); }
  TrainingCounts counts() const;

  /// Throws UsageError as species_folder does, for an empty file, and for too many photographs or
  /// bytes; Error when the photograph cannot be written.
  void add(std::string_view species, std::string_view name, std::string_view bytes);
  /// Adds the photographs in a zip archive; the folder of each is its species. Returns how many.
  /// Takes a species.csv for add_names. Skips and counts hidden files, files in hidden folders,
  /// files outside of folders, and files whose names are not those of images (is_image_name).
  /// Throws what ZipArchive, add and add_names throw; photographs added before stay.
  std::size_t add_archive(std::string_view zip);
  /// Takes the names of species from a species.csv (read_species_names), whose folders may be
  /// paths: the last name counts. Lines of species without photographs are allowed. Throws
  /// InputError when it cannot be read.
  void add_names(std::string_view csv);
  /// Makes the folder a data set: returns the file with the names of the species that have
  /// photographs (read_species_names), "" if no names were sent. Throws Error when it cannot, and
  /// UsageError that names an image in the folder that was not sent.
  std::filesystem::path finish() const;
  /// Removes the folder with the object.
  void discard();

  /// A message that names photographs by species and file, without the path of this folder.
  std::string without_path(std::string message) const;
  /// The description of a data set (LeafDataset::description) without the name of this folder.
  std::string described(std::string description) const;

 private:
  explicit TrainingFolder(WriteLock lock);

  const WriteLock lock_;
  mutable std::mutex mutex_;
  bool discarded_ = false;
  WaitingList list_;
  std::map<std::string, std::size_t> species_;  // number of photographs of each
  std::set<std::string> photographs_;           // <species>/<file>
  std::size_t bytes_ = 0;
  SkippedFiles loose_, others_;
};

}  // namespace leafglyph
