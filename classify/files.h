// Files and folders that are either whole or not there.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "features/input_file.h"

namespace leafglyph {

/// Writes beside `path` and renames into place, so that a reader sees the old content or the new
/// one, never part of it. Throws Error that names the path and the reason (no such folder, no
/// rights, disk full); nothing is left behind then.
void write_file(const std::filesystem::path& path, std::string_view content);

/// A folder that is filled beside its final place and renamed there by commit(). Without commit()
/// it is removed again.
class StagedFolder {
 public:
  /// Throws Error when the folder cannot be made beside `target`, or when `target` exists and is
  /// no folder. An existing folder is replaced by commit() only when `is_ours` holds for it or it
  /// is empty, so that a mistyped name never deletes something else.
  explicit StagedFolder(std::filesystem::path target,
                        bool (*is_ours)(const std::filesystem::path&));
  ~StagedFolder();
  StagedFolder(const StagedFolder&) = delete;
  StagedFolder& operator=(const StagedFolder&) = delete;

  const std::filesystem::path& path() const { return staged_; }  ///< where to write
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path staged_;
};

/// SHA-256 in 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace leafglyph
