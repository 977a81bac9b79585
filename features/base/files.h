// Files and folders that are either whole or not there. Nothing else writes files.
#pragma once

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

}  // namespace leafglyph
