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

#include "classify/serve/http_message.h"

namespace leafglyph {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{16} << 10;
constexpr auto kLookAtStopping = std::chrono::milliseconds(100);
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

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

RequestStream::RequestStream(int socket, const HttpLimits& limits, std::function<bool()> stopping)
    : socket_(socket), limits_(limits), stopping_(std::move(stopping)), buffer_(kBufferBytes) {}

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

bool RequestStream::next_request() {
  head_.clear();
  head_read_ = body_ = 0;
  replying_ = waits_to_continue_ = false;
  const auto until = Clock::now() + limits_.idle;
  while (begin_ == end_) {
    if (stopping_()) return false;
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

std::optional<std::string> RequestStream::read_head() {
  std::string head;
  while (!head.ends_with(kEndOfHead)) {
    if (head.size() == limits_.header_bytes) {
      throw Refusal(431, "too-long", "the head of the request is too long");
    }
    if (begin_ == end_ && !fill()) return std::nullopt;
    head += buffer_[begin_++];
  }
  return head;
}

void RequestStream::pass_on(const RequestHead& head) {
  head_ = head.passed_on();
  waits_to_continue_ = head.waits_to_continue() && head.body_bytes() > 0;
}

void RequestStream::finish() {
  ::shutdown(socket_, SHUT_WR);
  const auto begin = Clock::now();
  const auto until = [&] {
    const auto last = begin + (stopping_() ? limits_.linger : limits_.request);
    return std::min(last, Clock::now() + limits_.linger);
  };
  while (wait(POLLIN, until())) {
    if (::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT) <= 0) break;
  }
  ::close(socket_);
}

bool RequestStream::is_readable() const {
  return head_read_ < head_.size() || begin_ < end_ || wait(POLLIN, deadline_);
}

bool RequestStream::is_writable() const {
  const auto begin = Clock::now();
  while (true) {
    const auto until = stopping_() ? std::min(deadline_, begin + limits_.linger) : deadline_;
    const auto now = Clock::now();
    if (wait(POLLOUT, std::min(until, now + kLookAtStopping))) return true;
    if (now >= until) return false;
  }
}

bool RequestStream::fill() {
  if (!wait(POLLIN, deadline_)) return false;
  const ssize_t received = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
  if (received <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(received);
  return true;
}

// Sent when the handler wants the body, so never before a request is refused.
void RequestStream::tell_to_continue() {
  waits_to_continue_ = false;
  if (begin_ < end_ || !is_writable()) return;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Copies bytes that have been received.
std::size_t RequestStream::take(char* bytes, std::size_t size) {
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, count);
  begin_ += count;
  return count;
}

ssize_t RequestStream::read(char* bytes, std::size_t size) {
  if (head_read_ < head_.size()) {
    const std::size_t count = head_.copy(bytes, size, head_read_);
    head_read_ += count;
    return static_cast<ssize_t>(count);
  }
  if (waits_to_continue_) tell_to_continue();
  if (begin_ == end_ && !fill()) return -1;
  const std::size_t count = take(bytes, size);
  body_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t RequestStream::write(const char* bytes, std::size_t size) {
  if (!replying_ || sent_ >= limits_.reply_bytes) {
    deadline_ = Clock::now() + limits_.reply;
    sent_ = 0;
  }
  replying_ = true;
  if (!is_writable()) return -1;
  const ssize_t sent = ::send(socket_, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) sent_ += static_cast<std::size_t>(sent);
  return sent;
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
