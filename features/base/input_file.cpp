#include "features/base/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <system_error>

#include "features/base/errors.h"
#include "features/base/memory.h"

namespace leafglyph {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw InputError(path.string() + ": " + reason);
}

std::string system_reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void refuse_to_open(const std::filesystem::path& path, int error) {
  const std::string reason = "cannot be opened: " + system_reason(error);
  if (is_shortage(error)) throw MachineError(path.string() + ": " + reason);
  refuse(path, reason);
}

[[noreturn]] void refuse_unreadable(const std::filesystem::path& path) {
  refuse(path, "cannot be read to its end: " + system_reason(errno));
}

std::string read_up_to(const std::filesystem::path& path, std::size_t most) {
  const FileHandle file = open_input(path);
  const auto too_large = [&] {
    refuse(path, "is larger than " + bytes_text(most) + ", the most that is read of a text");
  };
  const std::size_t expected = bytes_left(file.get());
  if (expected > most) too_large();
  check_memory(static_cast<double>(expected), path.string(), "use a smaller file");
  std::string content(expected, '\0');
  content.resize(std::fread(content.data(), 1, expected, file.get()));
  // Files in /proc state no length, and a file may grow while it is read.
  std::array<char, std::size_t{1} << 16> step;
  while (!std::feof(file.get()) && !std::ferror(file.get()) && content.size() <= most) {
    content.append(step.data(), std::fread(step.data(), 1, step.size(), file.get()));
  }
  if (std::ferror(file.get()) != 0) refuse_unreadable(path);
  if (content.size() > most) too_large();
  return content;
}

}  // namespace

FileHandle open_input(const std::filesystem::path& path) {
  // The system would open the file whose name ends before the zero byte.
  if (path.native().find('\0') != std::string::npos) {
    throw InputError(path.native() + ": a file name cannot contain a zero byte");
  }
  // Without O_NONBLOCK, opening a pipe would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) {
    if (errno == ENOENT) refuse(path, "there is no such file");
    if (errno == ENXIO) refuse(path, "is not a regular file");  // a socket
    refuse_to_open(path, errno);
  }
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    refuse(path, known && S_ISDIR(status.st_mode)
                     ? "is a folder, not a file"
                     : "is not a regular file; pipes and devices are not read");
  }
  FileHandle file(::fdopen(descriptor, "rb"));
  if (!file) {
    const int error = errno;
    ::close(descriptor);
    refuse_to_open(path, error);
  }
  return file;
}

FileHandle open_bytes(std::string_view bytes, const std::filesystem::path& path) {
  const int descriptor = ::memfd_create("image", MFD_CLOEXEC);
  FileHandle file(descriptor < 0 ? nullptr : ::fdopen(descriptor, "r+"));
  const auto no_memory = [&](int error) {
    throw MachineError(path.string() + ": cannot be held in memory: " + system_reason(error));
  };
  if (!file) {
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    no_memory(error);
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) no_memory(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  ::lseek(descriptor, 0, SEEK_SET);
  return file;
}

std::string read_file(const std::filesystem::path& path) {
  return read_up_to(path, std::numeric_limits<std::size_t>::max());
}

std::string read_text_file(const std::filesystem::path& path, std::size_t most) {
  return read_up_to(path, most);
}

std::size_t bytes_left(std::FILE* file) {
  struct stat status {};
  const long at = std::ftell(file);
  if (at < 0 || ::fstat(::fileno(file), &status) != 0) return 0;
  return static_cast<std::size_t>(std::max<off_t>(0, status.st_size - at));
}

bool read_piece(std::FILE* file, std::size_t first, std::span<char> to) {
  while (!to.empty()) {
    const ssize_t read = ::pread(::fileno(file), to.data(), to.size(), static_cast<off_t>(first));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return false;
    first += static_cast<std::size_t>(read);
    to = to.subspan(static_cast<std::size_t>(read));
  }
  return true;
}

void read_bytes(std::FILE* file, const std::filesystem::path& path, void* bytes, std::size_t size) {
  if (std::fread(bytes, 1, size, file) == size) return;
  if (std::ferror(file) != 0) refuse_unreadable(path);
  refuse(path, "ends before all of it was read");
}

}  // namespace leafglyph
