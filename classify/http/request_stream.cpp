#include "classify/http/request_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "classify/http/http_message.h"

namespace leafglyph {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{16} << 10;
constexpr auto kLookAtStopping = std::chrono::milliseconds(100);
constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

RequestStream::RequestStream(Descriptor socket, const HttpLimits& limits,
                             const std::atomic<bool>& stopping)
    : socket_(std::move(socket)), limits_(limits), stopping_(stopping), buffer_(kBufferBytes) {}

bool RequestStream::wait(short events, Clock::time_point until) const {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left < 0) return false;
    pollfd waiting{socket_.number(), events, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left) + 1);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool RequestStream::next_request() {
  body_bytes_ = 0;
  replying_ = false;
  const auto until = Clock::now() + limits_.idle;
  while (begin_ == end_) {
    if (stopping_) return false;
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

std::string RequestStream::read_body(const RequestHead& head) {
  std::string body;
  body.reserve(head.body_bytes());
  if (head.waits_to_continue()) tell_to_continue();
  while (body.size() < head.body_bytes()) {
    if (begin_ == end_ && !fill()) {
      throw Refusal(408, "request", "the body did not arrive completely, or not in time");
    }
    const std::size_t size = std::min(head.body_bytes() - body.size(), end_ - begin_);
    body.append(buffer_.data() + begin_, size);
    begin_ += size;
    body_bytes_ = body.size();
  }
  return body;
}

// Sent when the handler wants the body, so never before a request is refused.
void RequestStream::tell_to_continue() {
  if (begin_ < end_ || !wait_until_writable()) return;
  [[maybe_unused]] const ssize_t sent =
      ::send(socket_.number(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool RequestStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!replying_ || sent_ >= limits_.reply_bytes) {
      deadline_ = Clock::now() + limits_.reply;
      sent_ = 0;
    }
    replying_ = true;
    if (!wait_until_writable()) return false;
    const ssize_t sent =
        ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return false;
    sent_ += static_cast<std::size_t>(sent);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RequestStream::finish() {
  ::shutdown(socket_.number(), SHUT_WR);
  const auto begin = Clock::now();
  const auto until = [&] {
    const auto last = begin + (stopping_ ? limits_.linger : limits_.request);
    return std::min(last, Clock::now() + limits_.linger);
  };
  while (wait(POLLIN, until())) {
    if (::recv(socket_.number(), buffer_.data(), buffer_.size(), MSG_DONTWAIT) <= 0) break;
  }
}

bool RequestStream::wait_until_writable() const {
  const auto begin = Clock::now();
  while (true) {
    const auto until = stopping_ ? std::min(deadline_, begin + limits_.linger) : deadline_;
    const auto now = Clock::now();
    if (wait(POLLOUT, std::min(until, now + kLookAtStopping))) return true;
    if (now >= until) return false;
  }
}

bool RequestStream::fill() {
  if (!wait(POLLIN, deadline_)) return false;
  const ssize_t received = ::recv(socket_.number(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (received <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(received);
  return true;
}

}  // namespace leafglyph
