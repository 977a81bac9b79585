// The memory of the bodies of all requests together.
#pragma once

#include <cstddef>
#include <mutex>

namespace leafglyph {

/// Bytes that requests hold from before their bodies are read until they are answered.
class BodyBudget {
 public:
  /// A quarter of the memory that is free for this process now (memory.h), but at least what one
  /// body of `largest` bytes needs.
  static std::size_t share_of_memory(std::size_t largest);

  explicit BodyBudget(std::size_t bytes) : left_(bytes) {}
  BodyBudget(const BodyBudget&) = delete;
  BodyBudget& operator=(const BodyBudget&) = delete;

  /// Bytes of the budget, given back at the end.
  class Share {
   public:
    /// Throws BusyError when fewer are left.
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

}  // namespace leafglyph
