#include "classify/serve/access_code.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>

#include <array>
#include <cstdint>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kLetters = 12;
// Without letters that are mistaken for digits.
constexpr std::string_view kAlphabet = "abcdefghjkmnpqrstuvwxyz023456789";
static_assert(kAlphabet.size() == 32);

// How long this takes does not show where two texts of the same length differ.
bool is_equal(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

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
