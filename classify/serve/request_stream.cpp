#include "classify/serve/request_stream.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace leafglyph {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{16} << 10;
constexpr auto kLookAtStopping = std::chrono::milliseconds(100);
constexpr std::string_view kEndOfHeaders = "\r\n\r\n";
// Between the parts of a body that comes in chunks.
constexpr std::size_t kChunkOverhead = std::size_t{1} << 20;

void ip_and_port(const sockaddr_storage& address, std::string& ip, int& port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    port = ntohs(v6.sin6_port);
  }
  ip = text.data();
}

}  // namespace

RequestStream::RequestStream(int socket, const HttpLimits& limits)
    : socket_(socket), limits_(limits), buffer_(kBufferBytes) {}

bool RequestStream::wait(short events, Clock::time_point until) const {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left < 0) return false;
    pollfd waiting{socket_, events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left) + 1);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool RequestStream::next_request(const std::function<bool()>& stopping) {
  taken_ = blank_ = body_ = 0;
  in_headers_ = true;
  replying_ = false;
  const auto until = Clock::now() + limits_.idle;
  while (begin_ == end_) {
    if (stopping()) return false;
    const auto now = Clock::now();
    if (now >= until) return false;
    if (wait(POLLIN, std::min(until, now + kLookAtStopping))) {
      deadline_ = Clock::now() + limits_.request;
      return fill();
    }
  }
  deadline_ = Clock::now() + limits_.request;
  return true;
}

void RequestStream::finish() {
  ::shutdown(socket_, SHUT_WR);
  const auto until = Clock::now() + limits_.linger;
  while (wait(POLLIN, until)) {
    if (::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT) <= 0) break;
  }
  ::close(socket_);
}

bool RequestStream::is_readable() const { return begin_ < end_ || wait(POLLIN, deadline_); }
bool RequestStream::is_writable() const { return wait(POLLOUT, deadline_); }

bool RequestStream::fill() {
  if (!wait(POLLIN, deadline_)) return false;
  const ssize_t received = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (received <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(received);
  return true;
}

// Counts, and looks for the end of the headers.
bool RequestStream::within_limits(const char* bytes, std::size_t size) {
  taken_ += size;
  if (!in_headers_) body_ += size;
  for (std::size_t i = 0; in_headers_ && i < size; ++i) {
    blank_ = bytes[i] == kEndOfHeaders[blank_] ? blank_ + 1 : (bytes[i] == kEndOfHeaders[0]);
    in_headers_ = blank_ < kEndOfHeaders.size();
    if (!in_headers_) body_ = size - i - 1;
  }
  return taken_ <= limits_.header_bytes + (in_headers_ ? 0 : limits_.body_bytes + kChunkOverhead);
}

ssize_t RequestStream::read(char* bytes, std::size_t size) {
  if (begin_ == end_ && !fill()) return -1;
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, count);
  begin_ += count;
  return within_limits(bytes, count) ? static_cast<ssize_t>(count) : -1;
}

ssize_t RequestStream::write(const char* bytes, std::size_t size) {
  if (!replying_) deadline_ = Clock::now() + limits_.reply;
  replying_ = true;
  if (!is_writable()) return -1;
  return ::send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void RequestStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    ip_and_port(address, ip, port);
  }
}

void RequestStream::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0) {
    ip_and_port(address, ip, port);
  }
}

}  // namespace leafglyph
