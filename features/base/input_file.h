// The one way to open files for reading: regular files only, so that nothing waits for a writer or
// reads without end.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "features/base/limits.h"

namespace leafglyph {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, FileCloser>;

/// Opens a file for reading. Throws InputError with the name and the reason when it is missing, a
/// folder, a pipe, device or socket (which are not waited for), or unreadable, and MachineError
/// when the machine has no descriptor or memory left.
FileHandle open_input(const std::filesystem::path& path);

/// The bytes as a file, for libraries that read files; messages use `path`. Throws MachineError
/// when there is no memory or descriptor left.
FileHandle open_bytes(std::string_view bytes, const std::filesystem::path& path);

/// The whole content of a regular file. Throws InputError as open_input, when the file is larger
/// than the free memory, and when it cannot be read to its end.
std::string read_file(const std::filesystem::path& path);

/// The same for texts (CSV files, lists, headers), refused above `most` bytes.
std::string read_text_file(const std::filesystem::path& path, std::size_t most = kMaxTextBytes);

/// Bytes from the position of `file` to its end, according to the file system.
std::size_t bytes_left(std::FILE* file);

/// Reads the bytes from `first` on, as many as `to` is long, without moving the file's position, so
/// that several threads may. False when the file ends before, or the system cannot read them.
bool read_piece(std::FILE* file, std::size_t first, std::span<char> to);

/// Reads exactly `size` bytes. Throws InputError when the file ends before or cannot be read.
void read_bytes(std::FILE* file, const std::filesystem::path& path, void* bytes, std::size_t size);

}  // namespace leafglyph
