#include "classify/http/reply_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

namespace leafglyph {
namespace {

// Allows only content from this server, and no frames in other pages.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

using Headers = std::map<std::string, std::string>;

Headers default_headers() {
  return {{"Content-Security-Policy", kContentPolicy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

// The reason phrases of the statuses that are used; programs ignore them.
constexpr std::array<std::pair<int, const char*>, 16> kReasons = {
    {{200, "OK"},
     {400, "Bad Request"},
     {403, "Forbidden"},
     {404, "Not Found"},
     {405, "Method Not Allowed"},
     {408, "Request Timeout"},
     {409, "Conflict"},
     {411, "Length Required"},
     {413, "Payload Too Large"},
     {414, "URI Too Long"},
     {415, "Unsupported Media Type"},
     {422, "Unprocessable Entity"},
     {431, "Request Header Fields Too Large"},
     {500, "Internal Server Error"},
     {503, "Service Unavailable"},
     {505, "HTTP Version Not Supported"}}};

const char* reason(int status) {
  const auto found = std::ranges::find(kReasons, status, &std::pair<int, const char*>::first);
  return found == kReasons.end() ? "" : found->second;
}

}  // namespace

std::string reply_head(const HttpReply& reply, const std::string& keep_alive) {
  Headers headers = default_headers();
  headers.emplace(keep_alive.empty() ? std::pair("Connection", std::string("close"))
                                     : std::pair("Keep-Alive", keep_alive));
  headers["Content-Type"] = reply.type;
  if (reply.pieces) {
    headers["Accept-Ranges"] = "none";
    headers["Transfer-Encoding"] = "chunked";
  } else {
    headers["Content-Length"] = std::to_string(reply.body.size());
  }
  for (const auto& [name, value] : reply.headers) headers[name] = value;
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason(reply.status));
  for (const auto& [name, value] : headers) {
    if ((name + value).find_first_of("\r\n") != std::string::npos) {
      throw std::logic_error("a header of a reply has a line break");
    }
    text += name + ": " + value + "\r\n";
  }
  return text + "\r\n";
}

std::string chunk(std::string_view piece) {
  return fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

}  // namespace leafglyph
