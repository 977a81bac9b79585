// Files that are read where the system holds them, without a copy.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace leafglyph {

/// The bytes of a regular file, mapped for reading. For files of the program's own alone, which are
/// replaced by renaming (files.h) and never written to in place: a file that somebody cuts off
/// while it is mapped ends the process.
class MappedFile {
 public:
  /// Throws InputError as open_input, and MachineError when there is no room for it.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace leafglyph
