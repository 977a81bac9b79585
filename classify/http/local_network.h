// This computer in the local network, and the code that keeps others there out of a page that a
// phone can reach.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leafglyph {

/// The IPv4 address by which other computers of the network reach this one: of the interfaces that
/// are up, those of containers and virtual machines last. Throws Error when there is none.
std::string local_address();

/// The names by which this computer may be called: "mybox", "mybox.local"; lower case.
std::vector<std::string> own_names();

/// A code that is made at each start and is part of the address that the user opens. The page then
/// keeps it as a cookie.
class AccessCode {
 public:
  /// Nobody needs a code.
  AccessCode() = default;
  /// One of 60 random bits. Throws Error when the system provides no random numbers.
  static AccessCode random();

  bool is_needed() const { return !code_.empty(); }
  /// The part of the address after the '/': "?code=..."; empty if no code is needed.
  std::string query() const;
  /// The header Set-Cookie of the page that was opened with query(). `port` distinguishes the
  /// servers of a computer.
  std::string set_cookie(int port) const;
  /// Whether a request for `target` with the header Cookie has the code.
  bool admits(std::string_view target, std::string_view cookies, int port) const;

 private:
  std::string cookie(int port) const;

  std::string code_;
};

}  // namespace leafglyph
