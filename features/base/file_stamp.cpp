#include "features/base/file_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "features/base/errors.h"

namespace leafglyph {
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
    throw MachineError("the state of an open file is not known: " +
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

}  // namespace leafglyph
