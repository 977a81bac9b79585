// The one way to open, read and write what may wait: pipes, terminals, devices, standard input,
// output and error. Waiting ends when interrupted(). Signals alone do not end it, because they are
// caught with SA_RESTART, so that no library meets EINTR. Files on disks do not wait: they are read
// through input_file.h and written through files.h.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "features/base/partial.h"

namespace leafglyph {

/// Reads at least one byte, waiting for it; 0 at the end. -1, with errno, on failure: ECANCELED
/// when interrupted().
ssize_t read_some(int descriptor, char* bytes, std::size_t size) noexcept;

/// Writes all bytes. False, with errno, on failure: ECANCELED when interrupted().
bool write_all(int descriptor, std::string_view bytes) noexcept;

/// The same, but when interrupted() goes on as long as it need not wait: for the last lines that a
/// command prints.
bool write_last(int descriptor, std::string_view bytes) noexcept;

/// Whether the descriptor takes a line, which is waited for; false when interrupted() and it does
/// not.
bool takes_a_line(int descriptor) noexcept;

/// Opens a device or pipe for writing at its end; waits for the reader of a pipe. Throws Error with
/// the path, and Interrupted.
Descriptor open_to_append(const std::filesystem::path& path);

/// Throws the Error, or the Interrupted, of a write_all() that failed; call it before errno
/// changes.
[[noreturn]] void fail_to_write(const std::filesystem::path& path);

/// An open descriptor as a source for next_line() and std::istream. Throws InputError, naming it,
/// when it cannot be read, and Interrupted; std::istream catches both unless it is asked not to.
class WaitingInput : public std::streambuf {
 public:
  WaitingInput(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}

 protected:
  int_type underflow() override;

 private:
  int descriptor_;
  std::string name_;
  std::array<char, std::size_t{64} << 10> buffer_;
};

/// While it exists, the stream writes to the descriptor through write_all(); it is bad() after a
/// failure. Several threads may write.
class WaitingOutput : public std::streambuf {
 public:
  WaitingOutput(std::ostream& stream, int descriptor);
  ~WaitingOutput() override;
  WaitingOutput(const WaitingOutput&) = delete;
  WaitingOutput& operator=(const WaitingOutput&) = delete;

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize size) override;
  int_type overflow(int_type byte) override;
  int sync() override;

 private:
  bool flush_all();

  std::ostream& stream_;
  std::streambuf* before_;
  int descriptor_;
  bool is_terminal_;
  std::mutex mutex_;
  std::string pending_;
};

}  // namespace leafglyph
