#include "classify/serve/request_head.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "classify/serve/form_data.h"
#include "classify/serve/http_message.h"

namespace leafglyph {
namespace {

constexpr std::array<std::string_view, kHeaders> kNames = {"host",
                                                           "origin",
                                                           "sec-fetch-site",
                                                           "sec-fetch-mode",
                                                           "sec-fetch-dest",
                                                           "connection",
                                                           "expect",
                                                           "content-length",
                                                           "content-type",
                                                           "content-encoding",
                                                           "transfer-encoding",
                                                           "cookie"};

bool is_text(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return letter == '\t' || (byte >= 0x20 && byte != 0x7F);
}

[[noreturn]] void refuse_line() {
  throw Refusal(400, "request", "a header line of the request is not valid HTTP");
}

}  // namespace

RequestHead::RequestHead(std::string text) : text_(std::move(text)) {
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = rest.find("\r\n");
    if (end == std::string_view::npos) refuse_line();
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (!std::ranges::all_of(line, is_text)) refuse_line();
    if (line_.empty()) {
      line_ = line;
    } else if (!line.empty()) {
      add(line);
    }
  }
  if (line_.empty()) refuse_line();
  check_body();
}

void RequestHead::add(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) refuse_line();
  const std::string name = lower_case(line.substr(0, colon));
  const auto known = std::ranges::find(kNames, name);
  if (known == kNames.end()) return;
  auto& value = values_[static_cast<std::size_t>(known - kNames.begin())];
  if (value) throw Refusal(400, "request", "the header " + name + " is sent twice");
  value = trimmed(line.substr(colon + 1));
}

void RequestHead::check_body() {
  if (value(Header::kTransferEncoding)) {
    throw Refusal(411, "length", "a body needs a Content-Length and must not be chunked");
  }
  // A compressed body could unpack to more than the limit before it is counted.
  if (value(Header::kContentEncoding)) {
    throw Refusal(415, "encoding", "a body must not have a Content-Encoding");
  }
  if (const auto given = value(Header::kContentLength)) {
    const auto bytes = length(*given);
    if (!bytes) throw Refusal(400, "request", "the Content-Length is not a number");
    body_bytes_ = *bytes;
  }
  if (const auto type = value(Header::kContentType); type && is_form(*type)) {
    boundary_ = form_boundary(*type);
    if (boundary_.empty()) {
      throw Refusal(400, "request", "the Content-Type of a form must name its boundary");
    }
  }
}

std::optional<std::uint64_t> RequestHead::length(std::string_view value) {
  std::uint64_t bytes = 0;
  const char* end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, bytes);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return bytes;
}

std::string_view RequestHead::target() const {
  const std::string_view rest = line_.substr(std::min(line_.size(), method().size() + 1));
  return rest.substr(0, rest.find(' '));
}

std::optional<std::string_view> RequestHead::value(Header header) const {
  return values_[static_cast<std::size_t>(header)];
}

bool RequestHead::waits_to_continue() const {
  const auto expected = value(Header::kExpect);
  return expected && lower_case(*expected) == "100-continue";
}

std::string RequestHead::passed_on() const {
  std::string text(line_);
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append("\r\n").append(name).append(": ").append(value);
  };
  if (const auto connection = value(Header::kConnection)) add("Connection", *connection);
  if (value(Header::kContentLength)) add("Content-Length", std::to_string(body_bytes_));
  if (!boundary_.empty()) add(kFormBoundary, boundary_);
  return text + "\r\n\r\n";
}

}  // namespace leafglyph
