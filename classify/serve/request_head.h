// The head of a request, parsed strictly and in linear time. cpp-httplib sees only the parts that
// it needs: version 0.11.4 (Debian 12) matches ranges and forms with std::regex, which a client can
// make slow, accepts header lines with invalid ends, and does not limit the trailers of chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

/// The headers that are used; others are ignored.
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
  kCookie,
};
inline constexpr std::size_t kHeaders = 12;

class RequestHead {
 public:
  /// `text` runs from the request line to the empty line. Throws Refusal for an invalid line, for
  /// one of the headers above given twice, for a length that is not a number, for a body without a
  /// length or with an encoding, and for a form without a boundary.
  explicit RequestHead(std::string text);
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;

  std::string_view method() const { return line_.substr(0, line_.find(' ')); }
  /// Path and query as they were sent.
  std::string_view target() const;
  /// None if it was not sent.
  std::optional<std::string_view> value(Header header) const;
  /// Bytes of the body.
  std::uint64_t body_bytes() const { return body_bytes_; }
  /// Whether the client waits for "100 Continue" before it sends its body.
  bool waits_to_continue() const;

  /// The header in which passed_on() gives the boundary of a form (multipart/form-data).
  static constexpr const char* kFormBoundary = "Form-Boundary";
  /// The number in a Content-Length; none if it is not one.
  static std::optional<std::uint64_t> length(std::string_view value);
  /// The head for cpp-httplib: the request line, Connection, Content-Length, and kFormBoundary if
  /// the body is a form.
  std::string passed_on() const;

 private:
  void add(std::string_view line);
  void check_body();

  std::string text_;
  std::string_view line_;  // first line of text_, without its end; values_ refer to text_, too
  std::array<std::optional<std::string_view>, kHeaders> values_;
  std::uint64_t body_bytes_ = 0;
  std::string_view boundary_;
};

}  // namespace leafglyph
