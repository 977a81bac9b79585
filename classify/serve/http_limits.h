// Limits on each client, and on all clients together: memory for bodies, threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "classify/serve/http_library.h"
#include "features/base/limits.h"

namespace leafglyph {

struct HttpLimits {
  std::size_t connections =
      kMaxConnections;  ///< at once; a further one is asked to come back later
  std::size_t header_bytes = kMaxRequestHeaderBytes;
  std::size_t body_bytes = kMaxRequestBytes;
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

/// Starts threads on demand. A connection beyond the limit is run on the accepting thread, which
/// refuses it.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}

  EnqueueResult enqueue(std::function<void()> connection) override;
  /// Waits until every connection has ended.
  void shutdown() override;

 private:
  bool take(std::function<void()>& connection);  // false: too many
  void serve();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t busy_ = 0;
  bool stopping_ = false;
};

}  // namespace leafglyph
