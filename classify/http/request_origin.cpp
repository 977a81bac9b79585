#include "classify/http/request_origin.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace leafglyph {
namespace {

constexpr std::string_view kHttpPort = "80";

struct HostAndPort {
  std::string name;  // lower case, of IPv6 without brackets
  std::string port;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return result;
}

std::optional<HostAndPort> split_host(std::string_view host) {
  std::size_t end = host.find(':');
  HostAndPort result;
  if (host.starts_with('[')) {
    const std::size_t bracket = host.find(']');
    if (bracket == std::string_view::npos) return std::nullopt;
    result.name = lower(host.substr(1, bracket - 1));
    end = bracket + 1 == host.size() ? std::string_view::npos : bracket + 1;
    if (end != std::string_view::npos && host[end] != ':') return std::nullopt;
  } else {
    result.name = lower(host.substr(0, end));
  }
  result.port = end == std::string_view::npos ? kHttpPort : host.substr(end + 1);
  return result;
}

bool is_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return inet_pton(AF_INET, name.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1;
}

}  // namespace

bool is_loopback(std::string_view address) {
  const std::string text(address);
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string origin_fault(const ServedAddress& served, const RequestOrigin& request) {
  const std::optional<HostAndPort> host = split_host(request.host);
  if (!host || host->port != std::to_string(served.port)) {
    return "the request is for another host or port";
  }
  const bool local = host->name == "localhost" || is_loopback(host->name);
  const bool known =
      is_address(host->name) || std::ranges::find(served.names, host->name) != served.names.end();
  if (!local && (is_loopback(served.bind) || !known)) {
    return "open the page by its address, not by a name";
  }
  if (request.origin && lower(*request.origin) != "http://" + lower(request.host)) {
    return "the request was sent by another page";
  }
  const bool same =
      !request.fetch_site || *request.fetch_site == "same-origin" || *request.fetch_site == "none";
  if (!same && !request.opens_page) return "the request was sent for another site";
  return "";
}

}  // namespace leafglyph
