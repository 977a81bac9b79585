#include "features/base/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/partial.h"
#include "features/base/waiting.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

// Whether to write to the path directly, without a file beside it: devices, pipes, and links such
// as /dev/stdout that stand for an open file.
bool is_written_straight(const fs::path& path) {
  if (is_there(path) && !is_regular(path)) return true;
  if (!is_link(path)) return false;
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  const auto second = std::next(whole.begin());
  return second != whole.end() && (*second == "dev" || *second == "proc");
}

void put_all(const fs::path& path, const Descriptor& descriptor, std::string_view content) {
  if (!write_all(descriptor.number(), content)) fail_to_write(path);
}

void write_straight(const fs::path& path, std::string_view content) {
  put_all(path, open_to_append(path), content);
}

// A new file gets the mode that the process chooses; an old one keeps its mode.
void write_beside(const fs::path& path, const Place& place,
                  const std::function<void(const Partial&)>& fill) {
  struct stat old {};
  const bool replaces = ::lstat(path.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  const mode_t mode = replaces ? old.st_mode & 0777U : 0666U;
  Partial partial(place, PartialKind::kFile, mode);
  if (replaces && ::fchmod(partial.descriptor().number(), mode) != 0) {
    fail_with(path, "cannot be given the mode of the old file", errno);
  }
  fill(partial);
  std::error_code error;
  fs::rename(partial.path(), path, error);
  if (error) fail_with(path, "cannot be put in place", error.value());
  partial.forget();
  sync_folder(place.folder, path);
}

void write_beside(const fs::path& path, const Place& place, std::string_view content) {
  write_beside(path, place, [&](const Partial& partial) {
    if (!partial.descriptor().write(content)) fail_with(path, "cannot be written", errno);
  });
}

void check_named(const fs::path& path) {
  if (path.empty()) throw UsageError("a file to write has an empty name");
}

// The nearest folder above `path` that exists.
fs::path existing_folder_above(const fs::path& path) {
  std::error_code error;
  fs::path folder = fs::absolute(path, error).lexically_normal();
  while (fs::symlink_status(folder, error).type() == fs::file_type::not_found &&
         folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

void write_file(const fs::path& path, std::string_view content) {
  check_named(path);
  if (is_written_straight(path)) return write_straight(path, content);
  const Place place(path);
  clear_leftovers(place);
  write_beside(path, place, content);
}

void write_file_by_parts(const fs::path& path, const std::function<void(const PutText&)>& write) {
  check_named(path);
  const auto write_to = [&](const Descriptor& descriptor) {
    write([&](std::string_view text) { put_all(path, descriptor, text); });
  };
  if (is_written_straight(path)) return write_to(open_to_append(path));
  const Place place(path);
  clear_leftovers(place);
  write_beside(path, place, [&](const Partial& partial) {
    write_to(partial.descriptor());
    if (!partial.descriptor().sync()) fail_with(path, "cannot be written", errno);
  });
}

void check_can_write_file(const fs::path& path) {
  check_named(path);
  if (is_folder(path)) throw Error(path.string() + ": is a folder, not a file");
  if (is_written_straight(path)) {
    if (::access(path.c_str(), W_OK) != 0) fail_with(path, "cannot be written", errno);
    return;
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 && errno != ENOENT) {
    fail_with(path, "cannot be written", errno);
  }
  const Partial trial(Place(path), PartialKind::kFile, 0600);
}

FileSeries::FileSeries(fs::path folder) : folder_(std::move(folder)) {
  check_named(folder_);
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail_with(folder_, "cannot be made", error.value());
  clear_all_leftovers(folder_);
}

void FileSeries::write(const std::string& name, std::string_view content) const {
  const fs::path path = folder_ / name;
  write_beside(path, Place(path), content);
}

void check_can_make_folder(const fs::path& path) {
  check_named(path);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 && errno != ENOENT && errno != ENOTDIR) {
    fail_with(path, "cannot be made", errno);
  }
  const fs::path folder = existing_folder_above(path);
  std::error_code error;
  if (!is_folder(folder)) throw Error(folder.string() + ": is not a folder");
  const Place place(folder / "trial");
  clear_leftovers(place);
  const Partial trial(place, PartialKind::kFile, 0600, path);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !is_folder(folder)) {
    throw Error("the folder " + folder.string() + " cannot be made" +
                (error ? ": " + error.message() : std::string()));
  }
}

namespace fs = std::filesystem;

namespace {

fs::file_type type_of(const fs::path& path) noexcept {
  std::error_code unreadable;
  return fs::status(path, unreadable).type();
}

}  // namespace

bool is_there(const fs::path& path) noexcept {
  const fs::file_type type = type_of(path);
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

bool is_folder(const fs::path& path) noexcept { return type_of(path) == fs::file_type::directory; }

bool is_regular(const fs::path& path) noexcept { return type_of(path) == fs::file_type::regular; }

bool is_link(const fs::path& path) noexcept {
  std::error_code unreadable;
  return fs::symlink_status(path, unreadable).type() == fs::file_type::symlink;
}

std::string last_name(const fs::path& path) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(path, ignored).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

bool is_hidden_name(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOfSystems = {"__MACOSX", "@eaDir", "Thumbs.db",
                                                          "desktop.ini"};
  return name.starts_with('.') || std::ranges::find(kOfSystems, name) != kOfSystems.end();
}

std::string with_slashes(std::string path) {
  std::ranges::replace(path, '\\', '/');
  return path;
}

std::vector<std::string> names_in_folder(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (!is_hidden_name(name)) names.push_back(std::move(name));
  }
  if (error) {
    throw InputError(folder.string() + ": the folder cannot be read: " + error.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSlowestTick = 2 * kSecond;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
}

}  // namespace

FileStamp stamp_of(std::FILE* file) {
  struct stat status {};
  if (::fstat(::fileno(file), &status) != 0) {
    throw MachineError("the state of an open file cannot be read: " +
                       std::generic_category().message(errno));
  }
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

bool is_lasting(const FileStamp& stamp, std::int64_t now) {
  return stamp.changed <= now - kSlowestTick && stamp.modified <= now - kSlowestTick;
}

std::string stamp_text(const FileStamp& stamp) {
  return "device " + std::to_string(stamp.device) + " inode " + std::to_string(stamp.inode) +
         " size " + std::to_string(stamp.size) + " modified " + std::to_string(stamp.modified) +
         " changed " + std::to_string(stamp.changed);
}

std::string lasting_stamp(const FileStamp& stamp) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return is_lasting(stamp, std::chrono::nanoseconds(now).count()) ? stamp_text(stamp) : "";
}

}  // namespace leafglyph
