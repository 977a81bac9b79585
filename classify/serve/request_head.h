// The head of a request, read strictly and in linear time. cpp-httplib gets to see only what it
// needs of it: version 0.11.4 matches ranges and forms by std::regex, which a client can make slow,
// takes lines for headers that end otherwise than HTTP says, and counts no trailers of chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

/// The headers that are looked at; others are left out.
enum class Header {
  kHost,
  kOrigin,
  kFetchSite,
  kFetchMode,
  kFetchDestination,
  kConnection,
  kExpect,
  kContentLength,
  kContentType,
  kContentEncoding,
  kTransferEncoding,
};
inline constexpr std::size_t kHeaders = 11;

class RequestHead {
 public:
  /// `text`: from the request line to the empty line. Throws Refusal for lines that are not as
  /// HTTP has them, a header of the above that comes twice, a length that is not a number, a body
  /// without a length or packed, and forms without a boundary.
  explicit RequestHead(std::string text);
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;

  std::string_view method() const { return line_.substr(0, line_.find(' ')); }
  /// None where it was not sent.
  std::optional<std::string_view> value(Header header) const;
  /// Bytes of the body.
  std::uint64_t body_bytes() const { return body_bytes_; }
  /// Whether the client waits for "100 Continue" before it sends its body.
  bool waits_to_continue() const;

  /// The name under which passed_on() has the boundary of a form (multipart/form-data).
  static constexpr const char* kFormBoundary = "Form-Boundary";
  /// The head as cpp-httplib is to see it: the request line, Connection, Content-Length, and
  /// kFormBoundary where the body is a form.
  std::string passed_on() const;

 private:
  void add(std::string_view line);
  void check_body();

  std::string text_;
  std::string_view line_;  // the first of it, without its end, as are the values
  std::array<std::optional<std::string_view>, kHeaders> values_;
  std::uint64_t body_bytes_ = 0;
  std::string_view boundary_;
};

}  // namespace leafglyph
