#include "features/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <span>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest;
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(), digest.data(),
                   nullptr) != 1) {
    throw Error("OpenSSL computes no SHA-256 here; see its configuration (openssl.cnf)");
  }
  return hexadecimal(digest);
}

}  // namespace leafglyph
