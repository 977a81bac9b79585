// The head of a request, parsed strictly and in linear time: what two readers could read
// differently is refused, and most headers are not looked at.
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

  std::string_view method() const { return method_; }
  /// Path and query as they were sent.
  std::string_view target() const { return target_; }
  /// Whether the protocol is HTTP/1.0, not HTTP/1.1.
  bool is_older() const { return older_; }
  /// None if it was not sent.
  std::optional<std::string_view> value(Header header) const;
  /// Bytes of the body.
  std::uint64_t body_bytes() const { return body_bytes_; }
  /// The boundary of a form (multipart/form-data); empty for another body.
  std::string_view boundary() const { return boundary_; }
  /// Whether the client waits for "100 Continue" before it sends its body.
  bool waits_to_continue() const;
  /// Whether the client expects no further reply on its connection.
  bool ends_connection() const;

 private:
  void split(std::string_view line);
  void add(std::string_view line);
  void check_body();

  std::string text_;
  std::string_view method_, target_;  // refer to text_, as do values_ and boundary_
  bool older_ = false;
  std::array<std::optional<std::string_view>, kHeaders> values_;
  std::uint64_t body_bytes_ = 0;
  std::string_view boundary_;
};

}  // namespace leafglyph
