#include "classify/http/request_head.h"

#include <algorithm>
#include <utility>

#include "classify/http/form_data.h"
#include "classify/http/http_message.h"
#include "features/base/numbers.h"

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

constexpr std::size_t kLongestLine = 8190;

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
    if (method_.empty() && !line.empty()) {
      split(line);
    } else if (!line.empty()) {
      add(line);
    }
  }
  if (method_.empty()) refuse_line();
  check_body();
}

// Takes the request line apart: method, target and version, with one blank between each.
void RequestHead::split(std::string_view line) {
  if (line.size() > kLongestLine) throw Refusal(414, "too-long", "the address is too long");
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const bool has_three = first < last && last != std::string_view::npos;
  const std::string_view version = has_three ? line.substr(last + 1) : "";
  method_ = line.substr(0, first);
  target_ = has_three ? line.substr(first + 1, last - first - 1) : "";
  older_ = version == "HTTP/1.0";
  if (!is_token(method_) || target_.empty() || target_.find(' ') != std::string_view::npos ||
      !(older_ || version == "HTTP/1.1")) {
    throw Refusal(400, "request", "the request is not understood");
  }
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
    const auto bytes = number_in<decltype(body_bytes_)>(*given);
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

std::optional<std::string_view> RequestHead::value(Header header) const {
  return values_[static_cast<std::size_t>(header)];
}

bool RequestHead::waits_to_continue() const {
  const auto expected = value(Header::kExpect);
  return body_bytes_ > 0 && expected && lower_case(*expected) == "100-continue";
}

bool RequestHead::ends_connection() const {
  const std::string connection = lower_case(value(Header::kConnection).value_or(""));
  return connection == "close" || (older_ && connection != "keep-alive");
}

}  // namespace leafglyph
