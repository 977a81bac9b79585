// The bytes of one connection, with limits on what a client may send and how long it may take.
#pragma once

#include <httplib.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "classify/serve/http_limits.h"

namespace leafglyph {

/// A socket as cpp-httplib reads and writes it. Every request has a time in which it has to come
/// whole, and so has the reply; a client that is slower, or sends longer headers or more bytes than
/// the limits allow, finds the connection closed.
class RequestStream : public httplib::Stream {
 public:
  RequestStream(int socket, const HttpLimits& limits);

  /// Waits for a further request for at most limits.idle, no longer than `stopping` says no.
  /// False: there will be none.
  bool next_request(const std::function<bool()>& stopping);
  /// Bytes of the request's body that were read.
  std::size_t body_bytes() const { return body_; }
  /// Lets the client read what it was sent before the connection is closed.
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
  bool within_limits(const char* bytes, std::size_t size);

  int socket_;
  const HttpLimits& limits_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what was received and not read yet
  std::size_t taken_ = 0;            // bytes of this request
  std::size_t blank_ = 0;            // of the four that end its headers, how many came last
  std::size_t body_ = 0;
  bool in_headers_ = true;
  bool replying_ = false;
  Clock::time_point deadline_;
};

}  // namespace leafglyph
