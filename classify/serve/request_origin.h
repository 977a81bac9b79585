// Whether a request comes from the page itself: other web sites can make a browser send requests to
// this computer, and give it host names of theirs (DNS rebinding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leafglyph {

/// Where the server listens.
struct ServedAddress {
  std::string bind;  ///< an address: "127.0.0.1", "::1", "0.0.0.0", "192.168.1.7"
  int port = 0;
};

bool is_loopback(std::string_view address);  ///< "127.x.x.x", "::1"

/// What a browser says about the origin of a request.
struct RequestOrigin {
  std::string host;                       ///< the header Host
  std::optional<std::string> origin;      ///< the header Origin
  std::optional<std::string> fetch_site;  ///< the header Sec-Fetch-Site
  bool opens_page = false;  ///< a link or an address typed in (Sec-Fetch-Mode: navigate, GET)
};

/// Why the request is refused; empty if it is allowed. The host must be an address or "localhost",
/// with the port of the server, never another name; on a loopback address it must be a loopback
/// host. An Origin must be that host; requests from other sites are refused, but links that open
/// the page are allowed.
std::string origin_fault(const ServedAddress& served, const RequestOrigin& request);

}  // namespace leafglyph
