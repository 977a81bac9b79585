// Files and folders that are either complete or missing. Nothing else writes files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/input_file.h"
#include "features/base/owned_folder.h"

namespace leafglyph {

/// Writes beside `path`, under an unpredictable name, and renames into place, so that a reader sees
/// either the old or the new content; of several writers at once the last one wins. Keeps the mode
/// of an old file; replaces a link instead of following it. Removes leftovers of killed writers of
/// the same file. Writes directly to devices, pipes and links such as /dev/stdout; waits for the
/// reader of a pipe. Throws Interrupted while it waits, and Error
/// with the path and the reason (no such folder, no permission, disk full); the old file then stays
/// and nothing is left behind.
void write_file(const std::filesystem::path& path, std::string_view content);

using PutText = std::function<void(std::string_view)>;
/// The same for content that does not fit in memory: `write` passes one part after another to its
/// argument. Exceptions of `write` are passed on; the old file then stays.
void write_file_by_parts(const std::filesystem::path& path,
                         const std::function<void(const PutText&)>& write);

/// Throws the Error that write_file would throw as far as it can be known before: no such folder,
/// no permission, a folder in the place of the file, a name that is too long. Changes nothing.
void check_can_write_file(const std::filesystem::path& path);

/// Writes many files into one folder, each as write_file does; looks for leftovers of killed
/// writers once. write() may be called from any thread.
class FileSeries {
 public:
  /// Creates the folder if it does not exist. Throws Error when it cannot.
  explicit FileSeries(std::filesystem::path folder);
  void write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path folder_;
};

/// Removes the files that this process has begun to write but not renamed into place, for a handler
/// that ends the process without unwinding. exit() does the same: the OpenMP library calls it if it
/// cannot start a thread.
void remove_unfinished_outputs() noexcept;

/// Throws Error unless the folder exists, and files can be created in it, or can be created.
/// Changes nothing.
void check_can_make_folder(const std::filesystem::path& path);

/// Creates a folder if it does not exist. Throws Error with its name when that fails.
void make_folder(const std::filesystem::path& folder);

/// A folder that is filled beside its final place and moved there by commit(), in one step if the
/// file system can exchange two names. Without commit() it is removed. What was there before goes
/// as OwnedFolder removes it. Where folders cannot be moved, as those of a container's image, the
/// old one is emptied first; if the process is killed just then, the next writer finishes.
class StagedFolder {
 public:
  /// Throws Error when the folder cannot be created beside `target`, or when `target` exists and
  /// contains anything but the files of `names_of`, so that a mistyped name never deletes something
  /// else: the message names the first such thing.
  StagedFolder(std::filesystem::path target, NamesOf names_of);
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  /// Throws what the constructor would, and if `target` is where a file system is mounted. Changes
  /// nothing, unless a killed writer left the replacement half done: then finishes it.
  static void check(const std::filesystem::path& target, const NamesOf& names_of);

  void write(const std::string& name, std::string_view content) { write(name, {content}); }
  /// The same for the pieces of a file, one after another.
  void write(const std::string& name, std::initializer_list<std::string_view> pieces);
  /// The path for a file of that name, for content that does not fit in memory.
  std::filesystem::path path(const std::string& name) const;
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What is at a path, without the exceptions that std::filesystem throws for names that are too
/// long and folders that may not be read. Each follows links, and returns false for what cannot be
/// inspected, whatever the reason; opening it gives the reason.
bool is_there(const std::filesystem::path& path) noexcept;
bool is_folder(const std::filesystem::path& path) noexcept;
bool is_regular(const std::filesystem::path& path) noexcept;

/// Whether the path itself is a link.
bool is_link(const std::filesystem::path& path) noexcept;

/// The last name of a path, also of "models/leaf.model/" and ".": what reports, which are read on
/// other machines, call a file or folder.
std::string last_name(const std::filesystem::path& path);

/// Whether files and folders of that name are hidden: it begins with a dot, or is one that macOS,
/// Windows and network storage add to folders of pictures.
bool is_hidden_name(std::string_view name);

/// The path with / in place of backslashes, which divide folders on Windows.
std::string with_slashes(std::string path);

/// The names of the entries of a folder, sorted, without hidden ones. Throws InputError when it
/// cannot be read.
std::vector<std::string> names_in_folder(const std::filesystem::path& folder);

/// The system's metadata of a file. Writing to a file or replacing it changes them: size and
/// modification time can be set back, the time of the last change cannot.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     ///< bytes
  std::int64_t modified = 0;  ///< of the content, nanoseconds since 1970
  std::int64_t changed = 0;   ///< of content, name, owner or mode, nanoseconds since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of an open file. Throws MachineError when the system does not provide it.
FileStamp stamp_of(std::FILE* file);

/// Whether every change after `now` (nanoseconds since 1970) gives the file another stamp. File
/// systems have coarse clocks, up to two seconds: a file that was just changed may change again
/// within the same tick.
bool is_lasting(const FileStamp& stamp, std::int64_t now);

/// The stamp in one line; equal lines mean equal stamps.
std::string stamp_text(const FileStamp& stamp);

/// The stamp in one line, or an empty text if the file was changed so recently that another change
/// could give it the same stamp.
std::string lasting_stamp(const FileStamp& stamp);

}  // namespace leafglyph
