// The socket on which a server waits for connections.
#pragma once

#include <atomic>
#include <string>

#include "features/base/partial.h"

namespace leafglyph {

class Listener {
 public:
  /// Listens on `address` and `port`; 0 picks a free port. Throws UsageError when `address` is not
  /// one, Error when it cannot listen there.
  Listener(const std::string& address, int port);

  int port() const { return port_; }
  /// Waits for the next connection; not open after stop().
  Descriptor accept() const;
  /// Ends accept(), also if it is called later. May be called from any thread.
  void stop();

 private:
  Descriptor socket_;
  int port_;
  std::atomic<bool> stopped_{false};
};

}  // namespace leafglyph
