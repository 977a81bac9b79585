// Who may write a file or folder. Holding the lock from reading to writing prevents two programs
// from losing each other's work.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "features/base/partial.h"

namespace leafglyph {

/// The right to write a file or folder for the life of the object. The lock is beside the target,
/// so that it also protects a target that does not exist yet.
class WriteLock {
 public:
  enum class Kind {
    kAlone,    ///< reads, changes and replaces the target
    kTogether  ///< adds to the target, as others may at the same time
  };

  /// Creates the folders above `target` if they do not exist. Throws Error at once when another
  /// program holds a lock on `target` (unless both are kTogether), or when nothing can be written
  /// beside it. Goes on without a lock if the file system has none, or, with kTogether, if only
  /// others may write into the folder above.
  explicit WriteLock(const std::filesystem::path& target, Kind kind = Kind::kAlone);
  /// The same with kAlone; none when another program holds a lock.
  static std::optional<WriteLock> if_free(const std::filesystem::path& target);
  ~WriteLock();
  WriteLock(WriteLock&& other) noexcept = default;
  WriteLock& operator=(WriteLock&&) = delete;

  const std::filesystem::path& target() const { return target_; }

 private:
  struct Unlocked {};
  WriteLock(const std::filesystem::path& target, Unlocked) : target_(target) {}
  bool take(Kind kind);
  void make_folders_above(const std::filesystem::path& folder);

  std::filesystem::path target_;
  std::filesystem::path file_;               ///< of the lock
  Descriptor descriptor_;                    ///< of that file; closed where there is no lock
  std::vector<std::filesystem::path> made_;  ///< folders above the target, the innermost last
};

}  // namespace leafglyph
