// The digest that protects files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace leafglyph {

/// SHA-256 (FIPS 180-4) of bytes that arrive in parts. Throws Error if OpenSSL is configured
/// without it.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// The digest of all parts in 64 hexadecimal digits; add() may not be called afterwards.
  std::string digest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of `bytes`.
std::string sha256(std::string_view bytes);

/// The digest of the digests of blocks of 1 MiB of the bytes, on all threads.
std::string sha256_of_blocks(std::string_view bytes);

/// Throws FormatError, "FILE: WHAT, so it is damaged or was changed; REMEDY", unless the digest of
/// what was read, or what has it within, is as expected.
void check_digest(std::string_view found, std::string_view expected,
                  const std::filesystem::path& file, const std::string& what,
                  const std::string& remedy);

/// The size and digest of a file's content.
struct FileDigest {
  std::uint64_t bytes = 0;
  std::string sha256;  ///< empty for a file that could not be read
  friend bool operator==(const FileDigest&, const FileDigest&) = default;
};

}  // namespace leafglyph
