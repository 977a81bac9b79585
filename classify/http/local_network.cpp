#include "classify/http/local_network.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <openssl/crypto.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "classify/http/form_data.h"
#include "classify/http/request_origin.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Networks inside this computer, which a phone does not reach.
bool is_virtual(std::string_view interface) {
  constexpr std::array<std::string_view, 5> kNames = {"docker", "br-", "veth", "virbr", "lxc"};
  return std::ranges::any_of(kNames,
                             [&](std::string_view name) { return interface.starts_with(name); });
}

std::string text_of(const sockaddr& address) {
  std::array<char, INET_ADDRSTRLEN> text{};
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  return text.data();
}

constexpr std::size_t kLetters = 12;
// Without letters that are mistaken for digits.
constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstuvwxyz023456789";
static_assert(kAlphabet.size() == 32);

// How long this takes does not show where two texts of the same length differ.
bool is_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

std::string local_address() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) first = nullptr;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(first, &::freeifaddrs);
  std::vector<std::pair<bool, std::string>> found;
  for (const ifaddrs* one = all.get(); one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    const std::string address = text_of(*one->ifa_addr);
    if ((one->ifa_flags & IFF_UP) == 0 || is_loopback(address)) continue;
    found.emplace_back(is_virtual(one->ifa_name), address);
  }
  if (found.empty()) {
    throw Error("this computer has no address in a network; connect it, or leave out --bind lan");
  }
  std::ranges::stable_sort(found, {}, &std::pair<bool, std::string>::first);
  return found.front().second;
}

std::vector<std::string> own_names() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return {};
  const std::string whole = lower_case(name.data());
  const std::string first = whole.substr(0, whole.find('.'));
  std::vector<std::string> names = {first, first + ".local"};
  if (whole != first) names.push_back(whole);
  return names;
}

AccessCode AccessCode::random() {
  std::array<std::uint8_t, kLetters> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error("the system provides no random numbers for an access code");
  }
  AccessCode made;
  for (const std::uint8_t byte : bytes) made.code_ += kAlphabet[byte % kAlphabet.size()];
  return made;
}

std::string AccessCode::query() const { return is_needed() ? "?code=" + code_ : ""; }

std::string AccessCode::cookie(int port) const {
  return fmt::format("leafglyph-{}={}", port, code_);
}

std::string AccessCode::set_cookie(int port) const {
  return cookie(port) + "; Path=/; HttpOnly; SameSite=Strict";
}

bool AccessCode::admits(std::string_view target, std::string_view cookies, int port) const {
  if (!is_needed() || is_equal(target, "/" + query())) return true;
  const std::string wanted = cookie(port);
  while (!cookies.empty()) {
    const std::size_t end = cookies.find("; ");
    if (is_equal(cookies.substr(0, end), wanted)) return true;
    cookies.remove_prefix(end == std::string_view::npos ? cookies.size() : end + 2);
  }
  return false;
}

}  // namespace leafglyph
