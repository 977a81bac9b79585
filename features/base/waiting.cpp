#include "features/base/waiting.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// How long it may take to notice an interruption: a signal may arrive just before poll() or in
// another thread.
constexpr int kLookMilliseconds = 100;
constexpr std::size_t kPendingBytes = std::size_t{64} << 10;

// False when interrupted() and the descriptor is not ready. If poll() fails, or ignores a closed
// descriptor, the call that follows finds out why.
bool wait_until_ready(int descriptor, short events) noexcept {
  while (descriptor >= 0) {
    const bool last = interrupted();
    pollfd waiting{descriptor, events, 0};
    const int ready = ::poll(&waiting, 1, last ? 0 : kLookMilliseconds);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
    if (last) return false;
  }
  return true;
}

// Others who share a pipe may have been faster than this process.
bool is_repeated(int error) noexcept {
  if (error == EAGAIN) ::poll(nullptr, 0, /*milliseconds=*/1);
  return error == EINTR || error == EAGAIN;
}

// Bytes that a descriptor takes without waiting once it is ready.
std::size_t bytes_at_once(int descriptor) noexcept {
  struct stat status {};
  const bool on_disk = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  return on_disk ? std::size_t{1} << 30 : PIPE_BUF;
}

// Returns how many bytes were written: fewer than all, with errno, on failure.
std::size_t write_pieces(int descriptor, std::string_view bytes, bool stops_at_once) noexcept {
  const std::size_t piece = bytes_at_once(descriptor);
  std::size_t done = 0;
  while (done < bytes.size()) {
    if ((stops_at_once && interrupted()) || !wait_until_ready(descriptor, POLLOUT)) {
      errno = ECANCELED;
      return done;
    }
    const ssize_t written =
        ::write(descriptor, bytes.data() + done, std::min(piece, bytes.size() - done));
    if (written < 0 && !is_repeated(errno)) return done;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return done;
}

bool is_pipe(const std::filesystem::path& path) {
  std::error_code unreadable;
  return std::filesystem::is_fifo(path, unreadable);
}

}  // namespace

ssize_t read_some(int descriptor, char* bytes, std::size_t size) noexcept {
  while (true) {
    if (interrupted() || !wait_until_ready(descriptor, POLLIN)) {
      errno = ECANCELED;
      return -1;
    }
    const ssize_t count = ::read(descriptor, bytes, size);
    if (count >= 0 || !is_repeated(errno)) return count;
  }
}

bool write_all(int descriptor, std::string_view bytes) noexcept {
  return write_pieces(descriptor, bytes, /*stops_at_once=*/true) == bytes.size();
}

bool write_last(int descriptor, std::string_view bytes) noexcept {
  return write_pieces(descriptor, bytes, /*stops_at_once=*/false) == bytes.size();
}

bool takes_a_line(int descriptor) noexcept { return wait_until_ready(descriptor, POLLOUT); }

Descriptor open_to_append(const std::filesystem::path& path) {
  while (true) {
    throw_if_interrupted();
    Descriptor opened(::open(
        path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
    if (opened.is_open()) return opened;
    const int error = errno;
    const bool has_no_reader = error == ENXIO && is_pipe(path);
    if (!has_no_reader && error != EINTR) fail_with(path, "cannot be written", error);
    ::poll(nullptr, 0, kLookMilliseconds);
  }
}

void fail_to_write(const std::filesystem::path& path) {
  const int error = errno;
  if (error == ECANCELED) throw Interrupted();
  fail_with(path, "cannot be written", error);
}

WaitingInput::int_type WaitingInput::underflow() {
  const ssize_t count = read_some(descriptor_, buffer_.data(), buffer_.size());
  if (count < 0) {
    const int error = errno;
    if (error == ECANCELED) throw Interrupted();
    throw InputError(name_ + ": cannot be read: " + std::generic_category().message(error));
  }
  setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
  return count == 0 ? traits_type::eof() : traits_type::to_int_type(buffer_[0]);
}

WaitingOutput::WaitingOutput(std::ostream& stream, int descriptor)
    : stream_(stream),
      before_(stream.rdbuf()),
      descriptor_(descriptor),
      is_terminal_(::isatty(descriptor) == 1) {
  stream_.rdbuf(this);
}

WaitingOutput::~WaitingOutput() {
  write_last(descriptor_, pending_);
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(before_);
  stream_.setstate(state);
}

// What an interruption leaves is written at the end if it need not be waited for.
bool WaitingOutput::flush_all() {
  pending_.erase(0, write_pieces(descriptor_, pending_, /*stops_at_once=*/true));
  if (pending_.empty()) return true;
  if (errno != ECANCELED) pending_.clear();
  return false;
}

std::streamsize WaitingOutput::xsputn(const char* bytes, std::streamsize size) {
  const std::lock_guard lock(mutex_);
  const std::string_view all(bytes, static_cast<std::size_t>(size));
  if (all.size() >= kPendingBytes) return flush_all() && write_all(descriptor_, all) ? size : 0;
  pending_ += all;
  const bool is_due = is_terminal_ || pending_.size() >= kPendingBytes;
  return is_due && !flush_all() ? 0 : size;
}

WaitingOutput::int_type WaitingOutput::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  const char one = traits_type::to_char_type(byte);
  return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
}

int WaitingOutput::sync() {
  const std::lock_guard lock(mutex_);
  return flush_all() ? 0 : -1;
}

}  // namespace leafglyph
