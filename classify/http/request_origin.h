// Whether a request comes from the page itself. Other web sites can make a browser send requests to
// this computer, and can point their own host names at it (DNS rebinding).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// Where the server listens.
struct ServedAddress {
  std::string bind;  ///< an address: "127.0.0.1", "::1", "0.0.0.0", "192.168.1.7"
  int port = 0;
  std::vector<std::string> names = {};  ///< by which this computer may be called; lower case
};

bool is_loopback(std::string_view address);  ///< "127.x.x.x", "::1"

/// What a browser says about the origin of a request.
struct RequestOrigin {
  std::string host;                       ///< the header Host
  std::optional<std::string> origin;      ///< the header Origin
  std::optional<std::string> fetch_site;  ///< the header Sec-Fetch-Site
  bool opens_page = false;  ///< a followed link or a typed address (Sec-Fetch-Mode: navigate, GET)
};

/// Why the request is refused; empty if it is allowed. The host must have the port of the server
/// and be an address, "localhost" or one of its names, never another name. If the server listens on
/// a loopback address, the host must be a loopback host. An Origin must match the host. Requests
/// from other sites are refused, except links that open the page.
std::string origin_fault(const ServedAddress& served, const RequestOrigin& request);

}  // namespace leafglyph
