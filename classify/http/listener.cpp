#include "classify/http/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr int kWaitingConnections = 128;  // connections that are not accepted yet

// An address with a port, as the calls of sockets take it.
union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress socket_address(const std::string& address, int port) {
  SocketAddress result;
  std::memset(&result, 0, sizeof result);
  const in_port_t number = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, address.c_str(), &result.v4.sin_addr) == 1) {
    result.v4.sin_family = AF_INET;
    result.v4.sin_port = number;
  } else if (inet_pton(AF_INET6, address.c_str(), &result.v6.sin6_addr) == 1) {
    result.v6.sin6_family = AF_INET6;
    result.v6.sin6_port = number;
  } else {
    throw UsageError("'" + address +
                     "' is not an address to listen on; use 127.0.0.1, ::1 or 0.0.0.0");
  }
  return result;
}

void set_option(const Descriptor& socket, int level, int option, int value) {
  ::setsockopt(socket.number(), level, option, &value, sizeof value);
}

[[noreturn]] void fail(const std::string& address, int port) {
  throw Error(fmt::format("port {} of {} cannot be listened on: {}; choose another --port", port,
                          address, std::strerror(errno)));
}

Descriptor listening_socket(const std::string& address, int port) {
  const SocketAddress place = socket_address(address, port);
  const bool is_v4 = place.any.sa_family == AF_INET;
  Descriptor socket(::socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) fail(address, port);
  // Not SO_REUSEPORT, with which two servers could share a port.
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);  // connections inherit it
  if (!is_v4) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (::bind(socket.number(), &place.any, is_v4 ? sizeof place.v4 : sizeof place.v6) != 0 ||
      ::listen(socket.number(), kWaitingConnections) != 0) {
    fail(address, port);
  }
  return socket;
}

int port_of(const Descriptor& socket) {
  SocketAddress address{};
  socklen_t size = sizeof address;
  ::getsockname(socket.number(), &address.any, &size);
  return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

}  // namespace

Listener::Listener(const std::string& address, int port)
    : socket_(listening_socket(address, port)), port_(port_of(socket_)) {}

Descriptor Listener::accept() const {
  constexpr std::chrono::milliseconds kPause(1);
  while (true) {
    Descriptor connection(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (stopped_) return Descriptor();
    if (connection.is_open()) return connection;
    // The client has gone, or there are too many open files just now.
    std::this_thread::sleep_for(kPause);
  }
}

void Listener::stop() {
  stopped_ = true;
  ::shutdown(socket_.number(), SHUT_RDWR);
}

}  // namespace leafglyph
