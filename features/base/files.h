// Files and folders that are either whole or not there. Nothing else writes files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/input_file.h"

namespace leafglyph {

/// Writes beside `path`, under a name that nobody can guess, and renames into place, so that a
/// reader sees the old content or the new one, never part of it; of several writers at once the
/// last one wins. The mode of an old file is kept; a link is replaced, not followed. What killed
/// writers of the same file have left is removed. Devices, pipes and links such as /dev/stdout are
/// written straight. Throws Error that names the path and the reason (no such folder, no rights,
/// disk full); the old file stays then, and nothing is left behind.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The same for what is not held whole: `write` is given the file beside `path`, which is empty,
/// and fills it by name. Where `path` is a device or pipe it is given that. What `write` throws is
/// thrown on; the old file stays then.
void write_file_by(const std::filesystem::path& path,
                   const std::function<void(const std::filesystem::path&)>& write);

/// Throws the Error that write_file would throw for what can be known before: no such folder, no
/// rights, a folder in the place of the file, a name that is too long. Leaves everything as it is.
void check_can_write_file(const std::filesystem::path& path);

/// Writes many files into one folder, each as write_file does; what killed writers have left there
/// is looked for once. write() may be called from any thread.
class FileSeries {
 public:
  /// Makes the folder where there is none. Throws Error when it cannot.
  explicit FileSeries(std::filesystem::path folder);
  void write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

/// Removes what this process has begun to write and not put in place, for a handler that ends the
/// process without unwinding. exit() does the same: OpenMP's library calls it where it can start no
/// thread.
void remove_unfinished_outputs() noexcept;

/// Throws Error when neither is there a folder in which files can be made nor can one be made.
/// Leaves everything as it is.
void check_can_make_folder(const std::filesystem::path& path);

/// Makes a folder where there is none. Throws Error that names it when that fails.
void make_folder(const std::filesystem::path& folder);

/// A folder that is filled beside its final place and put there by commit(), in one step where
/// the file system can exchange two names. Without commit() it is removed again.
class StagedFolder {
 public:
  /// The names of the files that make up an older folder of the same kind; none for another folder.
  using NamesOf = std::function<std::vector<std::string>(const std::filesystem::path&)>;

  /// Throws Error when the folder cannot be made beside `target`, or when `target` exists and holds
  /// anything but the files that `names_of` gives, so that a mistyped name never deletes something
  /// else: the first such thing is named.
  StagedFolder(std::filesystem::path target, NamesOf names_of);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  /// Throws what the constructor would. Leaves everything as it is.
  static void check(const std::filesystem::path& target, const NamesOf& names_of);

  void write(const std::string& name, std::string_view content);
  /// Where a file of that name is to be made, for what is not held whole.
  std::filesystem::path path(const std::string& name) const;
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Each follows links, and is false for what cannot be looked at, whatever the reason; opening it
/// says why.
bool is_there(const std::filesystem::path& path) noexcept;
bool is_folder(const std::filesystem::path& path) noexcept;
bool is_regular(const std::filesystem::path& path) noexcept;

/// Whether the path itself is a link.
bool is_link(const std::filesystem::path& path) noexcept;

/// The names of what lies in a folder, sorted, hidden ones left out. Throws InputError when it
/// cannot be read.
std::vector<std::string> names_in_folder(const std::filesystem::path& folder);

/// The bytes of a regular file, mapped for reading. For files of the program's own alone, which are
/// replaced by renaming (files.h) and never written to in place: a file that somebody cuts off
/// while it is mapped ends the process.
class MappedFile {
 public:
  /// Throws InputError as open_input, and MachineError when there is no room for it.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

/// What the system says of a file. Whoever writes to a file, or puts another one in its place,
/// changes it: size and modification time can be set back, the time of the last change cannot.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     ///< bytes
  std::int64_t modified = 0;  ///< of the content, nanoseconds since 1970
  std::int64_t changed = 0;   ///< of content, name, owner or mode, nanoseconds since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of an open file. Throws MachineError when the system does not give it.
FileStamp stamp_of(std::FILE* file);

/// Whether every change after `now` (nanoseconds since 1970) gives the file another stamp. Clocks
/// of file systems tick, the slowest every two seconds: one that has just been changed may be
/// changed once more within the same tick.
bool is_lasting(const FileStamp& stamp, std::int64_t now);

/// The stamp in one line, equal for equal stamps.
std::string stamp_text(const FileStamp& stamp);

}  // namespace leafglyph
