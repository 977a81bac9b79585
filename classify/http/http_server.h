// An HTTP/1.1 server behind limits, only for requests to this server's own addresses and from its
// own pages: no TLS, no ranges, no compression, no chunked requests.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "classify/http/http_limits.h"
#include "classify/http/http_message.h"
#include "classify/http/listener.h"
#include "classify/http/local_network.h"
#include "classify/http/request_origin.h"

namespace leafglyph {

class RequestHead;
class RequestStream;

class HttpServer {
 public:
  /// Called on many threads at once. An exception becomes a reply with the message in JSON: a
  /// Refusal gives its own status, UsageError 400, InputError and FormatError 422, anything else
  /// 500.
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  /// Listens on `bind` and `port`; 0 picks a free port. Requests need `code`, if that is needed.
  /// Throws UsageError when `bind` is not an address, Error when it cannot listen there.
  HttpServer(const std::string& bind, int port, const HttpLimits& limits = {},
             const AccessCode& code = {});
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  const ServedAddress& address() const { return address_; }
  /// "http://127.0.0.1:8080/", with an address that a browser on this computer can open, and the
  /// access code.
  std::string url() const;

  /// Handles GET or POST of a path. Call before run().
  void get(const std::string& path, Handler handler);
  void post(const std::string& path, Handler handler, BodyKind body = BodyKind::kBytes);
  /// The methods and paths that have a handler.
  const std::vector<HttpRoute>& routes() const { return routes_; }

  /// Serves until stop(), then answers requests in progress and closes idle connections.
  void run();
  /// May be called from any thread.
  void stop();

 private:
  struct Route {
    Handler handler;
    BodyKind body;
  };

  void add(const HttpRoute& route, Handler handler, BodyKind body);
  const Route& route_of(const std::string& method, const std::string& path) const;
  void screen(const RequestHead& head) const;
  HttpReply answer(RequestStream& stream, const RequestHead& head);
  bool send(RequestStream& stream, const HttpReply& reply, bool with_body, bool ends) const;
  bool serve_request(RequestStream& stream, bool last);
  void serve_requests(RequestStream& stream);
  void serve_connection(Descriptor connection);

  HttpLimits limits_;
  AccessCode code_;
  BodyBudget bodies_;
  Listener listener_;
  ServedAddress address_;
  std::vector<HttpRoute> routes_;
  std::map<std::pair<std::string, std::string>, Route> handlers_;  // by method and path
  std::atomic<bool> stopping_{false};
};

}  // namespace leafglyph
