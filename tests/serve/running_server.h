// A server with a few paths that runs during a test.
#pragma once

#include <stdexcept>
#include <string>
#include <thread>

#include "classify/http/http_server.h"
#include "features/base/errors.h"

namespace leafglyph::testing {

/// Small sizes and short times, so that tests reach them.
inline HttpLimits small_limits() {
  HttpLimits limits;
  limits.connections = 8;
  limits.header_bytes = 4096;
  limits.body_bytes = 10'000;
  limits.request = limits.reply = std::chrono::milliseconds(300);
  limits.linger = std::chrono::milliseconds(100);
  return limits;
}

/// A server with an echo and a few failing handlers.
class RunningServer {
 public:
  explicit RunningServer(const HttpLimits& limits = small_limits())
      : server_("127.0.0.1", 0, limits) {
    server_.get("/page.css", [](const HttpRequest&) {
      return HttpReply{200, "text/css", "a{}", {}};
    });
    server_.get("/value", [](const HttpRequest& r) {
      return HttpReply{200, "text/plain", std::to_string(r.number("n", 1, 9, 5)), {}};
    });
    server_.get("/fault", [](const HttpRequest& r) -> HttpReply {
      const std::string kind = r.required("kind");
      if (kind == "input") throw InputError("x.png: is not an image");
      if (kind == "busy") throw BusyError();
      if (kind == "missing") throw NotFound("no such leaf");
      throw std::runtime_error("<b>");
    });
    server_.post(
        "/echo",
        [](const HttpRequest& r) {
          std::string body(r.body);
          for (const HttpPart& part : r.parts) {
            body += std::string(part.name) + "=" + std::string(part.content) + ";";
          }
          return HttpReply{200, "text/plain", body, {}};
        },
        BodyKind::kBytesOrForm);
    server_.post("/bytes", [](const HttpRequest& r) {
      return HttpReply{200, "text/plain", std::string(r.body), {}};
    });
  }
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  HttpServer& server() { return server_; }
  int start() {
    thread_ = std::thread([this] { server_.run(); });
    return server_.address().port;
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_.stop();
    thread_.join();
  }

 private:
  HttpServer server_;
  std::thread thread_;
};

}  // namespace leafglyph::testing
