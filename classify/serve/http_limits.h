// What a client may ask for.
#pragma once

#include <chrono>
#include <cstddef>

namespace leafglyph {

struct HttpLimits {
  std::size_t connections = 128;  ///< at once; a further one is told to come back
  std::size_t header_bytes = std::size_t{32} << 10;
  std::size_t body_bytes = std::size_t{64} << 20;
  std::chrono::milliseconds request{30'000};  ///< in which a request has to come whole
  std::chrono::milliseconds reply{30'000};    ///< in which a reply has to be taken
  std::chrono::milliseconds idle{15'000};     ///< between two requests of a connection
  std::chrono::milliseconds linger{1'000};    ///< for reading what was sent before a close
};

}  // namespace leafglyph
