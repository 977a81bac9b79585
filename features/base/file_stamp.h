// Whether a file is still what it was, told without reading it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace leafglyph {

/// What the system says of a file. Whoever writes to a file, or puts another one in its place,
/// changes it: size and modification time can be set back, the time of the last change cannot.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;     ///< bytes
  std::int64_t modified = 0;  ///< of the content, nanoseconds since 1970
  std::int64_t changed = 0;   ///< of content, name, owner or mode, nanoseconds since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of an open file. Throws MachineError when the system does not give it.
FileStamp stamp_of(std::FILE* file);

/// Whether every change after `now` (nanoseconds since 1970) gives the file another stamp. Clocks
/// of file systems tick, the slowest every two seconds: one that has just been changed may be
/// changed once more within the same tick.
bool is_lasting(const FileStamp& stamp, std::int64_t now);

/// The stamp in one line, equal for equal stamps.
std::string stamp_text(const FileStamp& stamp);

}  // namespace leafglyph
