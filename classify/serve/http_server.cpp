#include "classify/serve/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include "classify/serve/connection_threads.h"
#include "classify/serve/request_stream.h"
#include "classify/support/json_text.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kRequestsPerConnection = 1000;
constexpr int kWaitingConnections = 128;  // that were not accepted yet
constexpr int kSecondsToComeBack = 1;
// Nothing but what this server sends runs or is shown, and no other page may frame it.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr std::string_view kRefusal =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n"
    "Content-Length: 0\r\n\r\n";

// cpp-httplib takes paths for regular expressions.
std::string pattern_of(const std::string& path) {
  std::string pattern;
  for (const char letter : path) {
    if (letter == '.') pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

httplib::Headers security_headers() {
  return {{"Content-Security-Policy", kContentPolicy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

HttpReply fault(int status, const char* kind, const std::string& message) {
  nlohmann::ordered_json json;
  json["error"] = {{"kind", kind}, {"message", message}};
  HttpReply reply = json_reply(std::move(json));
  reply.status = status;
  return reply;
}

HttpReply reply_of(const HttpServer::Handler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const NotFound& error) {
    return fault(404, "not-found", error.what());
  } catch (const BusyError& error) {
    HttpReply reply = fault(503, "busy", error.what());
    reply.headers.emplace_back("Retry-After", std::to_string(kSecondsToComeBack));
    return reply;
  } catch (const UsageError& error) {
    return fault(400, "usage", error.what());
  } catch (const Error& error) {
    const bool input = error.code() == ExitCode::kInput || error.code() == ExitCode::kFormat;
    return fault(input ? 422 : 500, input ? "input" : "failed", error.what());
  } catch (const std::bad_alloc&) {
    return fault(503, "memory", "there is too little memory for this");
  } catch (const std::exception& error) {
    return fault(500, "failed", error.what());
  }
}

void send_reply(httplib::Response& response, const HttpReply& reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    // A header given by the handler takes the place of the default.
    response.headers.erase(name);
    response.set_header(name, value);
  }
  response.set_content(reply.body, reply.type);
}

HttpRequest request_of(const httplib::Request& given) {
  HttpRequest request;
  request.query = {given.params.begin(), given.params.end()};
  request.body = given.body;
  for (const auto& [name, file] : given.files) {
    request.parts.push_back({file.name, file.filename, file.content});
  }
  return request;
}

httplib::Server::Handler answered_by(HttpServer::Handler handler) {
  return
      [handler = std::move(handler)](const httplib::Request& request, httplib::Response& response) {
        send_reply(response, reply_of(handler, request_of(request)));
      };
}

std::optional<std::string> header(const httplib::Request& request, const char* name) {
  if (!request.has_header(name)) return std::nullopt;
  return request.get_header_value(name);
}

void prefer_own_port(socket_t socket) {
  const int yes = 1;  // never SO_REUSEPORT, by which two servers would share a port
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

class HttpServer::Implementation : public httplib::Server {
 public:
  Implementation(const std::string& bind, int port, const HttpLimits& limits) : limits_(limits) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (inet_pton(AF_INET, bind.c_str(), bytes.data()) != 1 &&
        inet_pton(AF_INET6, bind.c_str(), bytes.data()) != 1) {
      throw UsageError("'" + bind + "' is no address to listen on; use 127.0.0.1, ::1 or 0.0.0.0");
    }
    set_socket_options(prefer_own_port);
    set_tcp_nodelay(true);
    errno = 0;
    const int bound = port == 0 ? bind_to_any_port(bind) : bind_to_port(bind, port) ? port : -1;
    if (bound < 0) {
      throw Error(fmt::format("port {} of {} cannot be listened on: {}; choose another --port",
                              port, bind, std::strerror(errno)));
    }
    ::listen(svr_sock_, kWaitingConnections);  // cpp-httplib asks for 5
    address_ = {bind, bound};
    set_payload_max_length(limits_.body_bytes);
    set_keep_alive_max_count(kRequestsPerConnection);
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits_.idle).count());
    set_default_headers(security_headers());
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return screen(request, response);
    });
    set_error_handler(
        Handler([](const httplib::Request&, httplib::Response& response) { explain(response); }));
    new_task_queue = [this] { return new ConnectionThreads(limits_.connections); };
  }

  const ServedAddress& address() const { return address_; }

  void serve() {
    acceptor_ = std::this_thread::get_id();
    listen_after_bind();
    ended_ = true;
  }

  void end() {
    stopping_ = true;
    // cpp-httplib takes no notice of a stop before it has begun.
    while (!is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop();
  }

 private:
  // Refuses what is not for us before a byte of its body is read.
  HandlerResponse screen(const httplib::Request& request, httplib::Response& response) const {
    const auto refuse = [&](int status, const char* kind, const std::string& message) {
      send_reply(response, fault(status, kind, message));
      response.set_header("Connection", "close");
      return HandlerResponse::Handled;
    };
    if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
      return refuse(405, "method", "only GET, HEAD and POST are understood");
    }
    if (request.get_header_value_count("Host") != 1) {
      return refuse(400, "host", "a request names one host");
    }
    const bool navigates = request.method == "GET" &&
                           request.get_header_value("Sec-Fetch-Mode") == "navigate" &&
                           request.get_header_value("Sec-Fetch-Dest") == "document";
    const std::string reason =
        origin_fault(address_, {request.get_header_value("Host"), header(request, "Origin"),
                                header(request, "Sec-Fetch-Site"), navigates});
    if (!reason.empty()) return refuse(403, "origin", reason);
    // A body that unpacks to more than the limit would be unpacked before anybody counts.
    if (request.has_header("Content-Encoding")) {
      return refuse(415, "encoding", "a body is sent as it is, without Content-Encoding");
    }
    return HandlerResponse::Unhandled;
  }

  // What cpp-httplib itself refused has no body yet.
  static void explain(httplib::Response& response) {
    if (!response.body.empty()) return;
    switch (response.status) {
      case 404:
        return send_reply(response, fault(404, "not-found", "there is no such page"));
      case 413:
        return send_reply(response, fault(413, "too-large", "more bytes than are accepted"));
      case 414:
        return send_reply(response, fault(414, "too-long", "the address is too long"));
      case 500:
        return send_reply(response, fault(500, "failed", "the request failed"));
      default:
        return send_reply(response,
                          fault(response.status, "request", "the request is not understood"));
    }
  }

  bool process_and_close_socket(socket_t socket) override {
    if (std::this_thread::get_id() == acceptor_) {
      [[maybe_unused]] const ssize_t sent =
          ::send(socket, kRefusal.data(), kRefusal.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ::shutdown(socket, SHUT_WR);
      std::array<char, 4096> unread{};  // closed with these, the client would lose the refusal
      while (::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT) > 0) continue;
      ::close(socket);
      return false;
    }
    RequestStream stream(socket, limits_);
    bool closed = false;
    for (std::size_t i = 1; !closed && i <= kRequestsPerConnection; ++i) {
      if (!stream.next_request([this] { return stopping_.load(); })) break;
      const bool last = i == kRequestsPerConnection || stopping_;
      std::optional<std::size_t> body;
      const auto begin = [&body](httplib::Request& request) {
        simplify(request);
        body = body_bytes(request);
      };
      if (!process_request(stream, last, closed, begin)) break;
      // What was refused before it was read to its end would be taken for the next request.
      if (!body || stream.body_bytes() < *body) break;
    }
    stream.finish();
    return true;
  }

  // Ranges would make a reply many times as long, and packing one costs more than sending it.
  static void simplify(httplib::Request& request) {
    request.ranges.clear();
    request.headers.erase("Accept-Encoding");
  }

  // None where the length of the body cannot be known before.
  static std::optional<std::size_t> body_bytes(const httplib::Request& request) {
    if (request.has_header("Transfer-Encoding")) return std::nullopt;
    if (!request.has_header("Content-Length")) return 0;
    return request.get_header_value<std::uint64_t>("Content-Length");
  }

  HttpLimits limits_;
  ServedAddress address_;
  std::thread::id acceptor_;
  std::atomic<bool> stopping_{false}, ended_{false};
};

HttpServer::HttpServer(const std::string& bind, int port, const HttpLimits& limits)
    : implementation_(std::make_unique<Implementation>(bind, port, limits)) {}
HttpServer::~HttpServer() = default;

const ServedAddress& HttpServer::address() const { return implementation_->address(); }

std::string HttpServer::url() const {
  std::string host = address().bind;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/", host, address().port);
}

void HttpServer::get(const std::string& path, Handler handler) {
  routes_.push_back({"GET", path});
  implementation_->Get(pattern_of(path), answered_by(std::move(handler)));
}

void HttpServer::post(const std::string& path, Handler handler) {
  routes_.push_back({"POST", path});
  implementation_->Post(pattern_of(path), answered_by(std::move(handler)));
}

void HttpServer::run() { implementation_->serve(); }
void HttpServer::stop() { implementation_->end(); }

}  // namespace leafglyph
