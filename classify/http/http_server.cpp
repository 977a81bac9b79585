#include "classify/http/http_server.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <new>
#include <optional>

#include "classify/http/form_data.h"
#include "classify/http/reply_writer.h"
#include "classify/http/request_head.h"
#include "classify/http/request_stream.h"
#include "classify/http/request_target.h"
#include "features/base/errors.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kRequestsPerConnection = 1000;
constexpr int kSecondsToComeBack = 1;

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

std::optional<std::string> text_of(std::optional<std::string_view> value) {
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

// Asks a client to come back for which no thread is free. Waits for nothing.
void turn_away(const Descriptor& connection) {
  const HttpReply reply = refused(BusyError());
  const std::string text = reply_head(reply, /*keep_alive=*/"") + reply.body;
  [[maybe_unused]] const ssize_t sent =
      ::send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  ::shutdown(connection.number(), SHUT_WR);
  // Closed with bytes unread, the client would lose the refusal. One that goes on sending loses it:
  // this is the thread that accepts.
  constexpr int kMostReads = 256;
  std::array<char, 4096> unread{};
  for (int i = 0; i < kMostReads; ++i) {
    if (::recv(connection.number(), unread.data(), unread.size(), MSG_DONTWAIT) <= 0) break;
  }
}

}  // namespace

HttpServer::HttpServer(const std::string& bind, int port, const HttpLimits& limits,
                       const AccessCode& code)
    : limits_(limits),
      code_(code),
      bodies_(limits.all_bodies_bytes != 0 ? limits.all_bodies_bytes
                                           : BodyBudget::share_of_memory(limits.body_bytes)),
      listener_(bind, port),
      address_{bind, listener_.port(),
               is_loopback(bind) ? std::vector<std::string>{} : own_names()} {}

std::string HttpServer::url() const {
  std::string host = address_.bind;
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/{}", host, address_.port, code_.query());
}

void HttpServer::get(const std::string& path, Handler handler) {
  add({"GET", path}, std::move(handler), BodyKind::kBytes);
}

void HttpServer::post(const std::string& path, Handler handler, BodyKind body) {
  add({"POST", path}, std::move(handler), body);
}

void HttpServer::add(const HttpRoute& route, Handler handler, BodyKind body) {
  routes_.push_back(route);
  handlers_[{route.method, route.path}] = {std::move(handler), body};
}

void HttpServer::run() {
  ConnectionThreads threads(limits_.connections, [this](Descriptor connection) {
    serve_connection(std::move(connection));
  });
  for (Descriptor next = listener_.accept(); next.is_open(); next = listener_.accept()) {
    if (!threads.take(next)) turn_away(next);
  }
}

void HttpServer::stop() {
  stopping_ = true;
  listener_.stop();
}

// Refuses requests that are not meant for this server.
void HttpServer::screen(const RequestHead& head) const {
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

const HttpServer::Route& HttpServer::route_of(const std::string& method,
                                              const std::string& path) const {
  const auto found = handlers_.find({method, path});
  if (found == handlers_.end()) throw NotFound("there is no such page");
  return found->second;
}

// Only the body of a POST is read, and only after its path was checked and memory for it reserved.
HttpReply HttpServer::answer(RequestStream& stream, const RequestHead& head) {
  const bool posts = head.method() == "POST";
  RequestTarget target = decoded_target(head.target());
  const Route& route = route_of(posts ? "POST" : "GET", target.path);
  HttpRequest request;
  request.query = std::move(target.query);
  if (!posts) return route.handler(request);
  const bool is_form = !head.boundary().empty();
  if (is_form && route.body != BodyKind::kBytesOrForm) {
    throw Refusal(415, "form", "forms are not accepted here; send the bytes as the body");
  }
  const BodyBudget::Share share(bodies_, head.body_bytes());
  const std::string body = stream.read_body(head);
  if (is_form) {
    request.parts = form_parts(body, head.boundary());
  } else {
    request.body = body;
  }
  return route.handler(request);
}

// Returns false if the client does not take the whole reply, or the server stops before its end.
// Throws what a piece throws.
bool HttpServer::send(RequestStream& stream, const HttpReply& reply, bool with_body,
                      bool ends) const {
  const auto idle = std::chrono::duration_cast<std::chrono::seconds>(limits_.idle);
  const std::string keep_alive =
      fmt::format("timeout={}, max={}", idle.count(), kRequestsPerConnection);
  if (!stream.write(reply_head(reply, ends ? "" : keep_alive))) return false;
  if (!with_body) return true;
  if (!reply.pieces) return stream.write(reply.body);
  while (!stopping_) {
    const std::string piece = reply.pieces();
    if (!stream.write(chunk(piece))) return false;
    if (piece.empty()) return true;
  }
  return false;
}

// Returns false if the connection must end afterwards. Throws Refusal for requests that are not
// answered, after which it must end, too.
bool HttpServer::serve_request(RequestStream& stream, bool last) {
  std::optional<std::string> text = stream.read_head();
  if (!text) return false;
  const RequestHead head(*std::move(text));
  screen(head);
  const HttpReply reply = reply_of([&] {
    HttpReply answered = answer(stream, head);
    if (answered.pieces && head.is_older()) throw Refusal(505, "version", "this needs HTTP/1.1");
    return answered;
  });
  // The unread rest of a body would be taken for the next request.
  const bool unread = stream.body_bytes() < head.body_bytes();
  const bool ends = last || unread || head.ends_connection();
  return send(stream, reply, /*with_body=*/head.method() != "HEAD", ends) && !ends;
}

void HttpServer::serve_requests(RequestStream& stream) {
  try {
    for (std::size_t i = 1; i <= kRequestsPerConnection; ++i) {
      if (!stream.next_request()) return;
      if (!serve_request(stream, i == kRequestsPerConnection || stopping_)) return;
    }
  } catch (const Refusal& why) {
    send(stream, refused(why), /*with_body=*/true, /*ends=*/true);
  }
}

void HttpServer::serve_connection(Descriptor connection) {
  try {
    RequestStream stream(std::move(connection), limits_, stopping_);
    try {
      serve_requests(stream);
    } catch (const std::exception&) {
      // A piece of a reply cannot be made: the client sees the connection end before the reply.
    }
    stream.finish();
  } catch (const std::exception&) {
    // Without memory for it, the connection is closed.
  }
}

}  // namespace leafglyph
