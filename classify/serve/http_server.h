// The HTTP server of the page: cpp-httplib behind limits, only for requests to this server's own
// addresses and from its own pages.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "classify/serve/http_limits.h"
#include "classify/serve/http_message.h"
#include "classify/serve/local_network.h"
#include "classify/serve/request_origin.h"

namespace leafglyph {

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
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  const ServedAddress& address() const;
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
  /// May be called from any thread after run() has started.
  void stop();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
  std::vector<HttpRoute> routes_;
};

}  // namespace leafglyph
