#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/owned_folder.h"
#include "features/base/partial.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

void check_replaceable(const fs::path& folder, const fs::path& target, const NamesOf& names_of) {
  if (const auto other = OwnedFolder(folder, names_of).first_other(target)) {
    throw Error(target.string() + ": holds '" + *other +
                "', which is not overwritten; name another folder");
  }
}

// A dangling link also takes the name.
bool is_taken(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// The folder at `path`, locked so that no other writer replaces it meanwhile. Not open if `path` is
// a link or cannot be opened.
Descriptor locked_folder(const fs::path& path) {
  while (true) {
    Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.is_open()) return folder;
    folder.lock();
    if (folder.is_at(path)) return folder;
  }
}

// Exchanges two names. False if the file system does not support that.
bool exchange(const fs::path& a, const fs::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

// Throws the Error of a folder that can be neither moved nor emptied.
void check_can_be_moved(const fs::path& folder) {
  struct statx status {};
  if (::statx(AT_FDCWD, folder.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) == 0 &&
      (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0) {
    throw Error(
        folder.string() +
        ": is where a file system is mounted, which cannot be replaced; name a folder in it");
  }
  if (!is_link(folder) && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    fail_with(folder, "cannot be replaced", errno);
  }
}

// Moves `staged` to `target` if nothing is there. False, with errno, if something is or the move
// fails.
bool put_where_nothing_is(const fs::path& staged, const fs::path& target) {
  if (::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) {
    return true;
  }
  if (errno != EINVAL && errno != ENOSYS) return false;
  return !is_taken(target) && ::rename(staged.c_str(), target.c_str()) == 0;
}

}  // namespace

struct StagedFolder::State {
  fs::path target;
  NamesOf names_of;
  std::optional<Partial> partial;

  bool replace();
  void replace_by_two_renames();
  void replace_by_emptying(const fs::path& filled);
  void remove_replaced();
  void finish_interrupted();
};

// Exchanges the new folder and the old one, and removes the files of the old one. False if the old
// folder has disappeared meanwhile.
bool StagedFolder::State::replace() {
  const Descriptor old = locked_folder(target);
  if (!is_taken(target)) return false;
  check_replaceable(target, target, names_of);
  struct stat status {};
  if (old.is_open() && ::fstat(old.number(), &status) == 0) {
    ::fchmod(partial->descriptor().number(), status.st_mode & 0777U);
  }
  if (exchange(partial->path(), target)) {
    remove_replaced();
  } else if (errno == EINVAL || errno == ENOSYS || errno == EXDEV) {
    replace_by_two_renames();
  } else if (errno == ENOENT) {
    return false;
  } else {
    fail_with(target, "cannot be replaced", errno);
  }
  return true;
}

// The old folder now has the former name of the new one. If something was added to it at the last
// moment, it is moved back.
void StagedFolder::State::remove_replaced() {
  const fs::path old = partial->path();
  if (is_link(old)) {
    ::unlink(old.c_str());
  } else {
    try {
      check_replaceable(old, target, names_of);
    } catch (const Error&) {
      exchange(old, target);
      throw;
    }
    OwnedFolder(old, names_of).remove();
  }
  partial->forget();
}

// For file systems that exchange no names. The names in between are not those of leftovers: until
// the second rename each folder is the only copy.
void StagedFolder::State::replace_by_two_renames() {
  const fs::path old = partial->path().string() + kOldFolder,
                 filled = partial->path().string() + kNewFolder;
  if (::rename(target.c_str(), old.c_str()) == 0) {
    if (::rename(partial->path().c_str(), target.c_str()) != 0) {
      const int error = errno;
      ::rename(old.c_str(), target.c_str());
      fail_with(target, "cannot be put in place", error);
    }
    partial->forget();
    if (is_link(old)) {
      ::unlink(old.c_str());
    } else {
      OwnedFolder(old, names_of).remove();
    }
    return;
  }
  // An overlay moves no folder of its lower layer, such as one that came with a container's image.
  if (errno != EXDEV) fail_with(target, "cannot be replaced", errno);
  if (::rename(partial->path().c_str(), filled.c_str()) != 0) {
    fail_with(target, "cannot be replaced", errno);
  }
  partial->forget();
  replace_by_emptying(filled);
}

// A folder may be moved onto an empty one. If the process is killed in between, the next writer
// goes on here.
void StagedFolder::State::replace_by_emptying(const fs::path& filled) {
  if (is_taken(target)) {
    check_replaceable(target, target, names_of);
    OwnedFolder(target, names_of).remove();
  }
  if (::rename(filled.c_str(), target.c_str()) != 0) {
    fail_with(target, "cannot be replaced", errno);
  }
}

// What a writer that was killed between the steps of a replacement has left: the new folder is put
// in place, or the old one back.
void StagedFolder::State::finish_interrupted() {
  for (const fs::path& left : interrupted_at(Place(target))) {
    const Descriptor locked = locked_folder(left);
    const bool is_whole = locked.is_open() && !names_of(left).empty();
    if (!is_whole) continue;
    if (left.native().ends_with(kNewFolder)) {
      replace_by_emptying(left);
    } else if (put_where_nothing_is(left, target)) {
      sync_folder(Place(target).folder, target);
    } else {
      OwnedFolder(left, names_of).remove();
    }
  }
}

StagedFolder::StagedFolder(fs::path target, NamesOf names_of)
    : state_(new State{std::move(target), std::move(names_of), {}}) {
  check(state_->target, state_->names_of);
  const Place place(state_->target);
  state_->target = place.path();
  std::error_code error;
  fs::create_directories(place.folder, error);
  if (error) fail_with(place.folder, "cannot be made", error.value());
  clear_leftovers(place, state_->names_of);
  state_->partial.emplace(place, PartialKind::kFolder, 0777);
}

StagedFolder::~StagedFolder() = default;

void StagedFolder::check(const fs::path& target, const NamesOf& names_of) {
  if (target.empty()) throw UsageError("a folder to write has an empty name");
  const Place place(target);
  State{place.path(), names_of, {}}.finish_interrupted();
  const Descriptor locked = locked_folder(target);
  if (is_taken(target)) {
    check_replaceable(target, target, names_of);
    check_can_be_moved(target);
    const Partial trial(place, PartialKind::kFile, 0600);
  } else {
    check_can_make_folder(target);
  }
}

void StagedFolder::write(const std::string& name, std::initializer_list<std::string_view> pieces) {
  const fs::path path = state_->partial->path() / name;
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  const auto written = [&](std::string_view piece) { return file.write(piece); };
  if (!file.is_open() || !std::ranges::all_of(pieces, written)) {
    fail_with(state_->target / name, "cannot be written", errno);
  }
}

fs::path StagedFolder::path(const std::string& name) const {
  return state_->partial->path() / name;
}

void StagedFolder::commit() {
  constexpr int kAttempts = 1000;  // an attempt fails only if another writer was faster
  const Partial& partial = *state_->partial;
  if (!partial.descriptor().sync()) fail_with(state_->target, "cannot be written", errno);
  bool done = false;
  for (int attempt = 0; attempt < kAttempts && !done; ++attempt) {
    if (put_where_nothing_is(partial.path(), state_->target)) {
      state_->partial->forget();
      done = true;
      break;
    }
    const int error = errno;
    if (is_taken(state_->target)) {
      done = state_->replace();
    } else if (error != EEXIST) {
      fail_with(state_->target, "cannot be put in place", error);
    }
  }
  if (!done) fail_with(state_->target, "cannot be put in place", EBUSY);
  sync_folder(Place(state_->target).folder, state_->target);
}

}  // namespace leafglyph
