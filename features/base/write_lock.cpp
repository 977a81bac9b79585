#include "features/base/write_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

bool is_refused_by_rights(int error) { return error == EACCES || error == EPERM || error == EROFS; }

}  // namespace

WriteLock::WriteLock(const fs::path& target, Kind kind) : WriteLock(target, Unlocked{}) {
  if (target.empty()) throw UsageError("a file or folder to write has an empty name");
  if (!take(kind)) {
    throw Error(
        target.string() +
        ": another LeafGlyph is writing it; wait until it has finished, or give another name");
  }
}

std::optional<WriteLock> WriteLock::if_free(const fs::path& target) {
  WriteLock lock(target, Unlocked{});
  if (!lock.take(Kind::kAlone)) return std::nullopt;
  return lock;
}

void WriteLock::make_folders_above(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path above = folder; !above.empty() && !is_there(above) && !is_link(above);
       above = above.parent_path()) {
    missing.push_back(above);
  }
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    if (fs::create_directory(*path, error)) made_.push_back(*path);
    if (error) fail_with(target_, "cannot be written", error.value());
  }
}

// False if another holder is in the way.
bool WriteLock::take(Kind kind) {
  const Place place(target_);
  make_folders_above(place.folder);
  const fs::path file = lock_path(place);
  const int operation = (kind == Kind::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB;
  while (true) {
    Descriptor descriptor(
        ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (!descriptor.is_open()) {
      if (kind == Kind::kTogether && is_refused_by_rights(errno)) return true;
      fail_with(target_, "cannot be written", errno);
    }
    if (::flock(descriptor.number(), operation) != 0) {
      if (errno == EINTR) continue;
      if (errno == EWOULDBLOCK) return false;
      // Locks are not supported here, so an empty file would be meaningless.
      ::unlink(file.c_str());
      return true;
    }
    // The last holder may have removed the file before this lock was taken.
    if (!descriptor.is_at(file)) continue;
    remove_when_ending(file);
    file_ = file;
    descriptor_ = std::move(descriptor);
    return true;
  }
}

// The last holder removes the file while no one else can have locked it.
WriteLock::~WriteLock() {
  if (descriptor_.is_open()) {
    if (descriptor_.lock_if_free()) ::unlink(file_.c_str());
    keep_when_ending(file_);
  }
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
}

}  // namespace leafglyph
