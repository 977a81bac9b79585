#include "classify/serve/http_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "classify/serve/form_data.h"
#include "classify/serve/http_library.h"
#include "classify/serve/http_limits.h"
#include "classify/serve/local_network.h"
#include "classify/serve/request_head.h"
#include "classify/serve/request_stream.h"
#include "classify/support/json_text.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kRequestsPerConnection = 1000;
constexpr int kWaitingConnections = 128;  // connections that are not accepted yet
constexpr int kSecondsToComeBack = 1;
// Allows only content from this server, and no frames in other pages.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
// The path that cpp-httplib routes by. It treats paths as regular expressions, so it must never see
// the client's path.
constexpr const char* kEveryPath = "/";

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

HttpReply refused(const Refusal& why) {
  HttpReply reply = fault(why.status(), why.kind(), why.what());
  if (why.status() == 503) {
    reply.headers.emplace_back("Retry-After", std::to_string(kSecondsToComeBack));
  }
  return reply;
}

// The reply of `answer`, or a reply for its exception.
HttpReply reply_of(const std::function<HttpReply()>& answer) {
  try {
    return answer();
  } catch (const Refusal& why) {
    return refused(why);
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

// Gives one piece to cpp-httplib, which sends it as a chunk and asks for the next one. Returns
// false to close the connection before the end.
bool send_piece(const std::function<std::string()>& next, httplib::DataSink& sink) {
  try {
    const std::string piece = next();
    if (piece.empty()) {
      sink.done();
      return true;
    }
    return sink.write(piece.data(), piece.size());
  } catch (const std::exception&) {
    return false;
  }
}

void send_reply(httplib::Response& response, HttpReply reply) {
  response.status = reply.status;
  for (const auto& [name, value] : reply.headers) {
    // A header from the handler replaces the default.
    response.headers.erase(name);
    response.set_header(name, value);
  }
  if (reply.pieces) {
    response.set_header("Accept-Ranges", "none");
    response.set_chunked_content_provider(
        reply.type, [next = std::move(reply.pieces)](std::size_t, httplib::DataSink& sink) {
          return send_piece(next, sink);
        });
    return;
  }
  response.set_header("Content-Type", reply.type);
  response.body = std::move(reply.body);
}

// The same as text, for requests that cpp-httplib does not handle. The connection ends afterwards.
std::string text_of(const HttpReply& reply) {
  std::string text = fmt::format("HTTP/1.1 {} \r\nConnection: close\r\nContent-Type: {}\r\n",
                                 reply.status, reply.type);
  const auto add = [&](const auto& headers) {
    for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  };
  add(security_headers());
  add(reply.headers);
  return text + fmt::format("Content-Length: {}\r\n\r\n", reply.body.size()) + reply.body;
}

HttpRequest request_of(const httplib::Request& given, std::string_view body) {
  HttpRequest request;
  request.query = {given.params.begin(), given.params.end()};
  if (given.has_header(RequestHead::kFormBoundary)) {
    request.parts = form_parts(body, given.get_header_value(RequestHead::kFormBoundary));
  } else {
    request.body = body;
  }
  return request;
}

// Reads the body into its only copy.
std::string read_body(const httplib::ContentReader& read, std::size_t bytes) {
  std::string body;
  body.reserve(bytes);
  const bool whole = bytes == 0 || read([&](const char* part, std::size_t size) {
                       body.append(part, size);
                       return true;
                     });
  if (!whole) throw Refusal(408, "request", "the body did not arrive completely, or not in time");
  return body;
}

std::optional<std::string> text_of(std::optional<std::string_view> value) {
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

void prefer_own_port(socket_t socket) {
  const int yes = 1;  // not SO_REUSEPORT, with which two servers could share a port
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

/// The handler of a path.
struct Route {
  HttpServer::Handler handler;
  BodyKind body = BodyKind::kBytes;
};

class HttpServer::Implementation : public LibraryServer {
 public:
  Implementation(const std::string& bind, int port, const HttpLimits& limits,
                 const AccessCode& code)
      : limits_(limits),
        code_(code),
        bodies_(limits.all_bodies_bytes != 0 ? limits.all_bodies_bytes
                                             : BodyBudget::share_of_memory(limits.body_bytes)) {
    std::array<unsigned char, sizeof(in6_addr)> bytes{};
    if (inet_pton(AF_INET, bind.c_str(), bytes.data()) != 1 &&
        inet_pton(AF_INET6, bind.c_str(), bytes.data()) != 1) {
      throw UsageError("'" + bind +
                       "' is not an address to listen on; use 127.0.0.1, ::1 or 0.0.0.0");
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
    address_ = {bind, bound, is_loopback(bind) ? std::vector<std::string>{} : own_names()};
    set_payload_max_length(limits_.body_bytes);
    set_keep_alive_max_count(kRequestsPerConnection);
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits_.idle).count());
    set_default_headers(security_headers());
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      return answer_without_body(request, response);
    });
    Post(kEveryPath,
         [this](const httplib::Request& request, httplib::Response& response,
                const httplib::ContentReader& read) { answer_with_body(request, response, read); });
    set_error_handler(
        Handler([](const httplib::Request&, httplib::Response& response) { explain(response); }));
    new_task_queue = [this] { return new ConnectionThreads(limits_.connections); };
  }

  const ServedAddress& address() const { return address_; }
  const AccessCode& code() const { return code_; }

  void add(const std::string& method, const std::string& path, Route route) {
    routes_[{method, path}] = std::move(route);
  }

  void serve() {
    acceptor_ = std::this_thread::get_id();
    listen_after_bind();
    ended_ = true;
  }

  void end() {
    stopping_ = true;
    // cpp-httplib ignores a stop before it has started.
    while (!is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop();
  }

 private:
  // Refuses requests that are not meant for this server.
  void screen(const RequestHead& head) const {
    const std::string_view method = head.method();
    if (method != "GET" && method != "HEAD" && method != "POST") {
      throw Refusal(405, "method", "only GET, HEAD and POST are supported");
    }
    const auto host = head.value(Header::kHost);
    if (!host) throw Refusal(400, "host", "a request must name exactly one host");
    const bool navigates = method == "GET" && head.value(Header::kFetchMode) == "navigate" &&
                           head.value(Header::kFetchDestination) == "document";
    const std::string reason =
        origin_fault(address_, {std::string(*host), text_of(head.value(Header::kOrigin)),
                                text_of(head.value(Header::kFetchSite)), navigates});
    if (!reason.empty()) throw Refusal(403, "origin", reason);
    if (!code_.admits(head.target(), head.value(Header::kCookie).value_or(""), address_.port)) {
      throw Refusal(403, "code", "open the address that LeafGlyph printed, with its code");
    }
    if (head.body_bytes() > limits_.body_bytes) {
      throw Refusal(413, "too-large", "more bytes than are accepted");
    }
  }

  const Route& route_of(const std::string& method, const std::string& path) const {
    const auto found = routes_.find({method, path});
    if (found == routes_.end()) throw NotFound("there is no such page");
    return found->second;
  }

  // Only the body of a POST is read.
  HandlerResponse answer_without_body(const httplib::Request& request,
                                      httplib::Response& response) const {
    if (request.method == "POST") return HandlerResponse::Unhandled;
    send_reply(response, reply_of([&] {
                 HttpReply reply = route_of("GET", request.target).handler(request_of(request, ""));
                 if (reply.pieces && request.version != "HTTP/1.1") {
                   throw Refusal(505, "version", "this needs HTTP/1.1");
                 }
                 return reply;
               }));
    return HandlerResponse::Handled;
  }

  // Checks the path and reserves memory first, so that requests refused for these have no body
  // read.
  void answer_with_body(const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& read) {
    const std::uint64_t length =
        RequestHead::length(request.get_header_value("Content-Length")).value_or(0);
    bool was_read = length == 0;
    send_reply(response, reply_of([&] {
                 const Route& route = route_of("POST", request.target);
                 if (request.has_header(RequestHead::kFormBoundary) &&
                     route.body != BodyKind::kBytesOrForm) {
                   throw Refusal(415, "form",
                                 "forms are not accepted here; send the bytes as the body");
                 }
                 const BodyBudget::Share share(bodies_, length);
                 was_read = true;
                 const std::string body = read_body(read, length);
                 return route.handler(request_of(request, body));
               }));
    if (!was_read) response.set_header("Connection", "close");
  }

  // Replies with which cpp-httplib itself refused a request have no body yet.
  static void explain(httplib::Response& response) {
    if (!response.body.empty()) return;
    switch (response.status) {
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
    if (std::this_thread::get_id() == acceptor_) return turn_away(socket);
    RequestStream stream(socket, limits_, [this] { return stopping_.load(); });
    for (std::size_t i = 1; i <= kRequestsPerConnection; ++i) {
      if (!stream.next_request()) break;
      try {
        if (!serve_request(stream, i == kRequestsPerConnection || stopping_)) break;
      } catch (const Refusal& why) {
        const std::string text = text_of(refused(why));
        stream.write(text.data(), text.size());
        break;
      }
    }
    stream.finish();
    return true;
  }

  // Returns false if the connection must end afterwards. Throws Refusal for requests that
  // cpp-httplib never sees.
  bool serve_request(RequestStream& stream, bool last) {
    std::optional<std::string> text = stream.read_head();
    if (!text) return false;
    const RequestHead head(*std::move(text));
    screen(head);
    stream.pass_on(head);
    const bool goes_on = answer_request(stream, last, [](httplib::Request& request) {
      request.target = std::exchange(request.path, kEveryPath);
    });
    if (!goes_on) return false;
    // The unread rest of a refused request would be taken for the next request.
    return stream.body_bytes() == head.body_bytes();
  }

  // Runs on the accepting thread, because no other thread is free for this connection.
  static bool turn_away(socket_t socket) {
    const std::string text = text_of(refused(BusyError()));
    [[maybe_unused]] const ssize_t sent =
        ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    ::shutdown(socket, SHUT_WR);
    std::array<char, 4096> unread{};  // closed with these, the client would lose the refusal
    while (::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT) > 0) continue;
    ::close(socket);
    return false;
  }

  HttpLimits limits_;
  AccessCode code_;
  BodyBudget bodies_;
  std::map<std::pair<std::string, std::string>, Route> routes_;  // by method and path
  ServedAddress address_;
  std::thread::id acceptor_;
  std::atomic<bool> stopping_{false}, ended_{false};
};

HttpServer::HttpServer(const std::string& bind, int port, const HttpLimits& limits,
                       const AccessCode& code)
    : implementation_(std::make_unique<Implementation>(bind, port, limits, code)) {}
HttpServer::~HttpServer() = default;

const ServedAddress& HttpServer::address() const { return implementation_->address(); }

std::string HttpServer::url() const {
  std::string host = address().bind;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/{}", host, address().port, implementation_->code().query());
}

void HttpServer::get(const std::string& path, Handler handler) {
  routes_.push_back({"GET", path});
  implementation_->add("GET", path, {std::move(handler)});
}

void HttpServer::post(const std::string& path, Handler handler, BodyKind body) {
  routes_.push_back({"POST", path});
  implementation_->add("POST", path, {std::move(handler), body});
}

void HttpServer::run() { implementation_->serve(); }
void HttpServer::stop() { implementation_->end(); }

}  // namespace leafglyph
