// Limits on each client, and on all clients together: memory for bodies, threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "features/base/partial.h"

namespace leafglyph {

struct HttpLimits {
  std::size_t connections = 128;  ///< at once; a further one is asked to come back later
  std::size_t header_bytes = std::size_t{32} << 10;
  std::size_t body_bytes = std::size_t{64} << 20;  ///< a photograph of kMaxDecodedPixels has fewer
  /// Total for all requests; 0: BodyBudget::share_of_memory when the server is created.
  std::size_t all_bodies_bytes = 0;
  std::chrono::milliseconds request{30'000};  ///< for a request to arrive completely
  std::chrono::milliseconds reply{30'000};    ///< for reply_bytes of a reply, or all, to be read
  std::size_t reply_bytes = std::size_t{1} << 20;
  std::chrono::milliseconds idle{15'000};  ///< between two requests of a connection
  /// How long to read what a refused client still sends, so that it can read the reason; starts
  /// again with every part that arrives.
  std::chrono::milliseconds linger{1'000};
};

/// Budget of bytes for request bodies. A request reserves its bytes before its body is read, and
/// returns them when it is answered.
class BodyBudget {
 public:
  /// A quarter of the free memory of this process (memory.h), but at least one body of `largest`
  /// bytes.
  static std::size_t share_of_memory(std::size_t largest);

  explicit BodyBudget(std::size_t bytes) : left_(bytes) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  /// Bytes of the budget; the destructor returns them.
  class Share {
   public:
    /// Throws BusyError when fewer bytes are left.
    Share(BodyBudget& budget, std::size_t bytes);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    BodyBudget& budget_;
    std::size_t bytes_;
  };

 private:
  std::mutex mutex_;
  std::size_t left_;
};

/// The threads on which connections are served; started on demand.
class ConnectionThreads {
 public:
  /// Serves at most `most` connections at once.
  ConnectionThreads(std::size_t most, std::function<void(Descriptor)> serve)
      : most_(most), serve_(std::move(serve)) {}
  /// Waits until every connection has ended.
  ~ConnectionThreads();
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  /// Has the connection served. Returns false, and leaves it, if no thread can be had for it.
  bool take(Descriptor& connection);

 private:
  void work();

  std::size_t most_;
  std::function<void(Descriptor)> serve_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Descriptor> waiting_;
  std::vector<std::thread> threads_;
  std::size_t busy_ = 0;
  bool stopping_ = false;
};

}  // namespace leafglyph
