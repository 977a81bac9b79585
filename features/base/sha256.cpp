#include "features/base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <span>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"

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

void check(int done) {
  if (done != 1) {
    throw Error("OpenSSL cannot compute SHA-256 here; see its configuration (openssl.cnf)");
  }
}

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() = default;
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  check(state_->context != nullptr &&
        EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  check(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()));
}

std::string Sha256::digest() {
  std::array<std::uint8_t, 32> digest;
  check(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr));
  return hexadecimal(digest);
}

std::string sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.digest();
}

void check_digest(std::string_view found, std::string_view expected,
                  const std::filesystem::path& file, const std::string& what,
                  const std::string& remedy) {
  if (found == expected) return;
  throw FormatError(file.string() + ": " + what + ", so it is damaged or was changed; " + remedy);
}

std::string sha256_of_blocks(std::string_view bytes) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  // A thread that waits for the others slows them down for longer than it would take to help.
  constexpr std::size_t kSerialBlocks = 32;
  std::vector<std::string> blocks((bytes.size() + kBlock - 1) / kBlock);
  parallel_for({blocks.size(), 1, kSerialBlocks},
               [&](std::size_t b) { blocks[b] = sha256(bytes.substr(b * kBlock, kBlock)); });
  std::string all;
  for (const std::string& block : blocks) all += block;
  return sha256(all);
}

}  // namespace leafglyph
