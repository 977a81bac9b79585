#include "features/base/partial.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kMark = ".partial-";
constexpr std::size_t kRandomDigits = 16;
constexpr std::size_t kEnding = 4;  // of the names in interrupted_at

// A name that would be too long with the suffix is replaced by its digest.
std::string prefix_of(const Place& place) {
  const long limit = ::pathconf(place.folder.c_str(), _PC_NAME_MAX);
  const std::size_t longest = limit > 0 ? static_cast<std::size_t>(limit) : NAME_MAX;
  std::string prefix = "." + place.name + std::string(kMark);
  if (prefix.size() + kRandomDigits + kEnding <= longest) return prefix;
  return "." + sha256(place.name).substr(0, 32) + std::string(kMark);
}

std::string random_digits() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) {
    throw Error("the system provides no random numbers for a name");
  }
  char digits[kRandomDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

bool has_partial_name(std::string_view name) {
  if (name.size() < kMark.size() + kRandomDigits || name.front() != '.') return false;
  const std::string_view digits = name.substr(name.size() - kRandomDigits);
  const std::string_view rest = name.substr(0, name.size() - kRandomDigits);
  return rest.ends_with(kMark) && digits.find_first_not_of("0123456789abcdef") == digits.npos;
}

// A folder with a mark was replaced: others may have had files in it. One without was being filled.
void remove_folder(const fs::path& path, const NamesOf& names_of) {
  if (names_of && !names_of(path).empty()) {
    OwnedFolder(path, names_of).remove();
  } else {
    OwnedFolder::unfinished(path).remove();
  }
}

// Removes a partial if no one holds its lock.
void clear_leftover(const fs::path& path, const NamesOf& names_of) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!descriptor.is_open() || ::fstat(descriptor.number(), &status) != 0) return;
  const bool ours =
      status.st_uid == ::geteuid() && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
  if (!ours || !descriptor.lock_if_free() || !descriptor.is_at(path)) return;
  if (S_ISREG(status.st_mode)) {
    ::unlink(path.c_str());
  } else if (names_of) {
    remove_folder(path, names_of);
  }
}

template <class Use>
void for_each_name(const fs::path& folder, const Use& use) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    use(entry->path(), entry->path().filename().string());
  }
}

void remove_partial(const fs::path& path) noexcept {
  // unlink does not have to open a file; the process may be out of descriptors.
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  try {
    OwnedFolder::unfinished(path).remove();
  } catch (const std::exception&) {  // out of memory, say: the next writer removes it
  }
}

// The partials that exist. Never destroyed, so that it outlives everything else in the process.
class Unfinished {
 public:
  static Unfinished& all() {
    static Unfinished& unfinished = *new Unfinished;
    return unfinished;
  }
  void add(const fs::path& path) {
    const std::scoped_lock lock(mutex_);
    writers_[path] = ::getpid();
  }
  void take_out(const fs::path& path) {
    const std::scoped_lock lock(mutex_);
    writers_.erase(path);
  }
  void remove() noexcept {
    // The thread that ends the process may hold the lock.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    for (const auto& [path, writer] : writers_) {
      if (writer == ::getpid()) remove_partial(path);
    }
    writers_.clear();
  }

 private:
  Unfinished() { std::atexit(remove_unfinished_outputs); }

  std::mutex mutex_;
  std::map<fs::path, pid_t> writers_;  // a forked child also has those of its parent
};

}  // namespace

Place::Place(const fs::path& path) : folder(path.parent_path()), name(path.filename().string()) {
  if (name.empty() || name == "." || name == "..") {
    std::error_code ignored;
    const fs::path whole = fs::weakly_canonical(path, ignored);
    const fs::path named = whole.has_filename() ? whole : whole.parent_path();
    folder = named.parent_path();
    name = named.filename().string();
  }
  if (folder.empty()) folder = ".";
}

void fail_with(const fs::path& path, const std::string& what, int error) {
  throw Error(path.string() + ": " + what + ": " + std::generic_category().message(error));
}

Descriptor::~Descriptor() {
  if (is_open()) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool Descriptor::is_at(const fs::path& path) const {
  struct stat here {};
  struct stat there {};
  return ::fstat(number_, &here) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void Descriptor::lock() const {
  while (::flock(number_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

bool Descriptor::lock_if_free() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }

bool Descriptor::write(std::span<const std::string_view> pieces) const {
  for (std::string_view content : pieces) {
    while (!content.empty()) {
      const ssize_t written = ::write(number_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  return sync();
}

bool Descriptor::sync() const {
  return ::fsync(number_) == 0 || errno == EINVAL || errno == ENOTSUP;  // EINVAL, ENOTSUP: it does
                                                                        // not support fsync
}

Partial::Partial(const Place& place, PartialKind kind, mode_t mode)
    : Partial(place, kind, mode, place.path()) {}

Partial::Partial(const Place& place, PartialKind kind, mode_t mode, const fs::path& named) {
  constexpr int kAttempts = 100;
  const std::string prefix = prefix_of(place);
  int error = EEXIST;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    path_ = place.folder / (prefix + random_digits());
    if (kind == PartialKind::kFile) {
      descriptor_ = Descriptor(
          ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    } else if (::mkdir(path_.c_str(), mode) == 0) {
      descriptor_ =
          Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
    if (!descriptor_.is_open()) {
      error = errno;
      if (error != EEXIST && error != ENOENT) break;
      if (error == ENOENT && !is_folder(place.folder)) break;
      continue;
    }
    descriptor_.lock();
    // Before the lock was taken, another writer may have removed it as a leftover.
    if (descriptor_.is_at(path_)) {
      try {
        Unfinished::all().add(path_);
      } catch (...) {
        remove_partial(path_);
        throw;
      }
      return;
    }
    descriptor_ = Descriptor();
  }
  path_.clear();
  fail_with(named, "cannot be written", error);
}

Partial::~Partial() {
  if (path_.empty()) return;
  remove_partial(path_);
  forget();
}

void Partial::forget() {
  Unfinished::all().take_out(path_);
  path_.clear();
}

void remove_unfinished_outputs() noexcept { Unfinished::all().remove(); }
void remove_when_ending(const fs::path& file) { Unfinished::all().add(file); }
void keep_when_ending(const fs::path& file) { Unfinished::all().take_out(file); }

fs::path lock_path(const Place& place) {
  return place.folder / (prefix_of(place) + std::string(kRandomDigits, '0'));
}

fs::path unused_name(const Place& place) {
  while (true) {
    fs::path path = place.folder / (prefix_of(place) + random_digits());
    if (!is_there(path) && !is_link(path)) return path;
  }
}

std::vector<fs::path> interrupted_at(const Place& place) {
  std::vector<fs::path> found;
  const std::string prefix = prefix_of(place);
  for_each_name(place.folder, [&](const fs::path& path, std::string_view name) {
    const bool ends = name.ends_with(kOldFolder) || name.ends_with(kNewFolder);
    if (ends && name.size() == prefix.size() + kRandomDigits + kEnding &&
        name.starts_with(prefix)) {
      found.push_back(path);
    }
  });
  return found;
}

void clear_leftovers(const Place& place, const NamesOf& names_of) {
  const std::string prefix = prefix_of(place);
  for_each_name(place.folder, [&](const fs::path& path, std::string_view name) {
    if (!has_partial_name(name) || !name.starts_with(prefix)) return;
    if (name.size() == prefix.size() + kRandomDigits) clear_leftover(path, names_of);
  });
}

void clear_all_leftovers(const fs::path& folder, const NamesOf& names_of) {
  for_each_name(folder, [&](const fs::path& path, std::string_view name) {
    if (has_partial_name(name)) clear_leftover(path, names_of);
  });
}

void sync_folder(const fs::path& folder, const fs::path& written) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // A folder that is writable but not readable cannot be opened.
  if (descriptor.is_open() && !descriptor.sync()) {
    fail_with(written, "was written but may not survive a crash", errno);
  }
}

}  // namespace leafglyph
