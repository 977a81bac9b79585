// The bytes of one connection, with limits on what a client may send and how long it may take.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "classify/serve/http_library.h"
#include "classify/serve/http_limits.h"
#include "classify/serve/request_head.h"

namespace leafglyph {

/// The socket that cpp-httplib reads from and writes to. It reads the head that pass_on() provides,
/// then the body of the request. A request must arrive, and each limits.reply_bytes of its reply
/// must be read, within a time limit; the connection of a slower client is closed.
class RequestStream : public httplib::Stream {
 public:
  /// Once `stopping` returns true, nobody is waited for longer than limits.linger.
  RequestStream(int socket, const HttpLimits& limits, std::function<bool()> stopping);

  /// Waits for another request for at most limits.idle, unless the server stops. Returns false if
  /// none arrives.
  bool next_request();
  /// The head of the request, up to the empty line; none if it does not arrive completely. Throws
  /// Refusal when it has more bytes than limits.header_bytes.
  std::optional<std::string> read_head();
  /// Makes read() return RequestHead::passed_on(), then the body.
  void pass_on(const RequestHead& head);
  /// Bytes of the request's body that were read.
  std::size_t body_bytes() const { return body_; }
  /// Lets the client read the reply, then closes the connection. Until then discards what the
  /// client still sends: for at most limits.request, and no longer once nothing has arrived for
  /// limits.linger.
  void finish();

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* bytes, std::size_t size) override;
  ssize_t write(const char* bytes, std::size_t size) override;
  using httplib::Stream::write;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  socket_t socket() const override { return socket_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point until) const;
  bool fill();
  std::size_t take(char* bytes, std::size_t size);
  void tell_to_continue();

  int socket_;
  const HttpLimits& limits_;
  const std::function<bool()> stopping_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // received but not read yet, in buffer_
  std::string head_;                 // what cpp-httplib reads first
  std::size_t head_read_ = 0;        // bytes of head_ that were read
  std::size_t body_ = 0;
  bool waits_to_continue_ = false;
  bool replying_ = false;
  std::size_t sent_ = 0;  // of the reply, since the deadline was set
  Clock::time_point deadline_;
};

}  // namespace leafglyph
