// What a client may ask for.
#pragma once

#include <chrono>
#include <cstddef>

#include "features/base/limits.h"

namespace leafglyph {

struct HttpLimits {
  std::size_t connections = kMaxConnections;  ///< at once; a further one is told to come back
  std::size_t header_bytes = kMaxRequestHeaderBytes;
  std::size_t body_bytes = kMaxRequestBytes;
  std::chrono::milliseconds request{30'000};  ///< in which a request has to come whole
  std::chrono::milliseconds reply{30'000};    ///< in which a reply has to be taken
  std::chrono::milliseconds idle{15'000};     ///< between two requests of a connection
  std::chrono::milliseconds linger{1'000};    ///< for reading what was sent before a close
};

}  // namespace leafglyph
