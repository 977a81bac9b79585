// Whether a request comes from the page itself: other web sites may make a browser send requests
// to this computer, and give it names of theirs (DNS rebinding).
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

/// What a browser says of where a request comes from.
struct RequestOrigin {
  std::string host;                       ///< the header Host
  std::optional<std::string> origin;      ///< the header Origin
  std::optional<std::string> fetch_site;  ///< the header Sec-Fetch-Site
  bool opens_page = false;  ///< a link or an address typed in (Sec-Fetch-Mode: navigate, GET)
};

/// Why the request is refused; empty where it is not. The host has to be an address or
/// "localhost", with the port served: a name of somebody else's is never one. On a loopback address
/// only loopback hosts will do. An Origin has to be that host; what says that it was sent for
/// another site is refused, but links that open the page are not.
std::string origin_fault(const ServedAddress& served, const RequestOrigin& request);

}  // namespace leafglyph
