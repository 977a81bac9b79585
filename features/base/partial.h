// What is being written: a file or folder beside its place, under a name that nobody can guess,
// locked as long as its writer lives. Part of files.cpp, staged_folder.cpp and write_lock.cpp.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/owned_folder.h"

namespace leafglyph {

/// A folder and a name in it.
struct Place {
  std::filesystem::path folder;  ///< "." where `path` names none
  std::string name;

  explicit Place(const std::filesystem::path& path);
  std::filesystem::path path() const { return folder / name; }
};

/// Throws Error: "path: what: the reason of `error`" (an errno).
[[noreturn]] void fail_with(const std::filesystem::path& path, const std::string& what, int error);

/// An open file, folder or socket, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Whether this is what `path` names now.
  bool is_at(const std::filesystem::path& path) const;
  /// Waits for the lock of this file or folder. A file system without locks is done without.
  void lock() const;
  bool lock_if_free() const;
  /// Writes one piece after another to the medium. False, with errno, when it does not take the
  /// bytes.
  bool write(std::span<const std::string_view> pieces) const;
  bool write(std::string_view content) const { return write({&content, 1}); }
  bool sync() const;

 private:
  int number_;
};

enum class PartialKind { kFile, kFolder };

/// Removed at the end, with the files in it, unless forget() was called; also where a library calls
/// exit() or the process ends by remove_unfinished_outputs(). Only files that this process writes
/// may be in it.
class Partial {
 public:
  /// `mode` as in open(2). Throws Error that names the place when nothing can be made beside it.
  Partial(const Place& place, PartialKind kind, mode_t mode);
  /// The same; the message calls the place `named`.
  Partial(const Place& place, PartialKind kind, mode_t mode, const std::filesystem::path& named);
  ~Partial();
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const Descriptor& descriptor() const { return descriptor_; }
  void forget();

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// Removes what writers of `place` that were killed have left: files, and with `names_of` folders
/// that were being filled or replaced. Those in work are locked and stay, as does what belongs to
/// another user, or is in a folder and not listed by names_of.
void clear_leftovers(const Place& place, const NamesOf& names_of = nullptr);
/// The same for every place in the folder.
void clear_all_leftovers(const std::filesystem::path& folder, const NamesOf& names_of = nullptr);

/// A path beside a place that clear_leftovers() knows, and that nothing has.
std::filesystem::path unused_name(const Place& place);

/// What a killed writer has left of a folder of that place between two steps of its replacement:
/// the names of leftovers with one of these endings.
inline constexpr const char* kOldFolder = "-old";
inline constexpr const char* kNewFolder = "-new";
std::vector<std::filesystem::path> interrupted_at(const Place& place);

/// The file that stands for the lock of a place (write_lock.h): it is called as a partial, so that
/// what a killed holder has left is removed as these are.
std::filesystem::path lock_path(const Place& place);

/// Has remove_unfinished_outputs() remove a file of this process, or no longer.
void remove_when_ending(const std::filesystem::path& file);
void keep_when_ending(const std::filesystem::path& file);

/// Makes the names in a folder last.
void sync_folder(const std::filesystem::path& folder, const std::filesystem::path& written);

}  // namespace leafglyph
