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
  /// Of all requests together; 0: BodyBudget::share_of_memory when the server is made.
  std::size_t all_bodies_bytes = 0;
  std::chrono::milliseconds request{30'000};  ///< in which a request has to come whole
  std::chrono::milliseconds reply{30'000};    ///< in which a reply has to be taken
  std::chrono::milliseconds idle{15'000};     ///< between two requests of a connection
  /// For what a client that was refused still sends, so that it reads why; anew with every part.
  std::chrono::milliseconds linger{1'000};
};

}  // namespace leafglyph
