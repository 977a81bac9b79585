// The bytes of one connection, with limits on what a client may send and how long it may take.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classify/http/http_limits.h"
#include "classify/http/request_head.h"
#include "features/base/partial.h"

namespace leafglyph {

/// A request must arrive, and each limits.reply_bytes of its reply must be read, within a time
/// limit; the connection of a slower client ends.
class RequestStream {
 public:
  /// Once the server is `stopping`, nobody is waited for longer than limits.linger.
  RequestStream(Descriptor socket, const HttpLimits& limits, const std::atomic<bool>& stopping);

  /// Waits for another request for at most limits.idle, unless the server stops. Returns false if
  /// none arrives.
  bool next_request();
  /// The head of the request, up to the empty line; none if it does not arrive completely. Throws
  /// Refusal when it has more bytes than limits.header_bytes.
  std::optional<std::string> read_head();
  /// The body of the request with that head. Throws Refusal if it does not arrive completely.
  std::string read_body(const RequestHead& head);
  /// Bytes of the request's body that were read.
  std::uint64_t body_bytes() const { return body_bytes_; }
  /// Sends a part of the reply. Returns false if the client does not take it.
  bool write(std::string_view bytes);
  /// Lets the client read the reply before the connection is closed. Until then discards what the
  /// client still sends: for at most limits.request, and no longer once nothing has arrived for
  /// limits.linger.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point until) const;
  bool wait_until_writable() const;
  bool fill();
  void tell_to_continue();

  Descriptor socket_;
  const HttpLimits& limits_;
  const std::atomic<bool>& stopping_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // received but not read yet, in buffer_
  std::uint64_t body_bytes_ = 0;
  bool replying_ = false;
  std::size_t sent_ = 0;  // of the reply, since the deadline was set
  Clock::time_point deadline_;
};

}  // namespace leafglyph
