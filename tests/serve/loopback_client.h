// Requests to a test's own server, byte by byte where necessary.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace leafglyph::testing {

/// A connection to 127.0.0.1.
class LoopbackConnection {
 public:
  explicit LoopbackConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(socket_);
      throw std::runtime_error("nothing listens on port " + std::to_string(port));
    }
  }
  ~LoopbackConnection() { ::close(socket_); }
  LoopbackConnection(const LoopbackConnection&) = delete;
  LoopbackConnection& operator=(const LoopbackConnection&) = delete;

  /// False if the server has closed the connection.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// The next bytes; empty at the end.
  std::string receive() const {
    std::array<char, 65536> bytes{};
    const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), 0);
    return {bytes.data(), received > 0 ? static_cast<std::size_t>(received) : 0};
  }
  std::string receive_all() const {
    std::string all;
    for (std::string part = receive(); !part.empty(); part = receive()) all += part;
    return all;
  }
  void finish_sending() const { ::shutdown(socket_, SHUT_WR); }

 private:
  int socket_;
};

/// Everything that the server sends until it closes the connection.
inline std::string round_trip(int port, std::string_view bytes) {
  const LoopbackConnection connection(port);
  connection.send(bytes);
  connection.finish_sending();
  return connection.receive_all();
}

struct Reply {
  int status = 0;  ///< 0: no reply
  std::string head;
  std::string body;
  bool complete = true;  ///< whether all chunks of a body in chunks arrived
};

/// The body that was sent in chunks, as far as it arrived.
inline void join_chunks(Reply& reply) {
  std::string_view left = reply.body;
  std::string joined;
  reply.complete = false;
  while (!reply.complete) {
    const std::size_t end = left.find("\r\n");
    if (end == std::string_view::npos) break;
    const std::size_t size = std::stoul(std::string(left.substr(0, end)), nullptr, 16);
    left.remove_prefix(end + 2);
    joined += left.substr(0, size);
    if (left.size() < size + 2) break;
    left.remove_prefix(size + 2);
    reply.complete = size == 0;
  }
  reply.body = std::move(joined);
}

inline Reply parsed(const std::string& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (!bytes.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
  Reply reply{std::stoi(bytes.substr(9, 3)), bytes.substr(0, end + 2), bytes.substr(end + 4)};
  if (reply.head.find("Transfer-Encoding: chunked") != std::string::npos) join_chunks(reply);
  return reply;
}

/// A request as from this server's own page; `extra` are header lines with line ends.
inline std::string request_text(std::string_view method, std::string_view path, int port,
                                std::string_view body = "", std::string_view extra = "") {
  std::string text = std::string(method) + " " + std::string(path) +
                     " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                     "\r\nConnection: close\r\n" + std::string(extra);
  if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
}

inline Reply get(int port, std::string_view path, std::string_view extra = "") {
  return parsed(round_trip(port, request_text("GET", path, port, "", extra)));
}
inline Reply post(int port, std::string_view path, std::string_view body,
                  std::string_view type = "application/octet-stream") {
  return parsed(round_trip(
      port, request_text("POST", path, port, body, "Content-Type: " + std::string(type) + "\r\n")));
}

/// A form with files, given by name and content.
inline std::string form_text(const std::multimap<std::string, std::string>& files,
                             std::string_view boundary) {
  std::string text;
  for (const auto& [name, content] : files) {
    text += "--" + std::string(boundary) + "\r\nContent-Disposition: form-data; name=\"" + name +
            "\"; filename=\"" + name + "\"\r\nContent-Type: image/bmp\r\n\r\n" + content + "\r\n";
  }
  return text + "--" + std::string(boundary) + "--\r\n";
}

}  // namespace leafglyph::testing
