// How long each stage of a stream was busy.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace leafglyph {

enum class Stage { kRead, kDecode, kPrepare, kChannels, kMoments, kWrite };
inline constexpr std::size_t kStages = 6;
std::string_view stage_name(Stage stage);  ///< "read", "decode", ...

/// Adds up the time of every thread in each stage. Safe to use from many threads.
class StageLoad {
 public:
  using Clock = std::chrono::steady_clock;

  void add(Stage stage, Clock::duration time) {
    times_[static_cast<std::size_t>(stage)].fetch_add(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(),
        std::memory_order_relaxed);
  }
  double seconds(Stage stage) const {
    return 1e-9 * static_cast<double>(times_[static_cast<std::size_t>(stage)].load());
  }

  /// Calls work() and adds its time to the stage.
  template <class Work>
  auto time(Stage stage, const Work& work) {
    const Timer timer{*this, stage};
    return work();
  }

 private:
  struct Timer {
    StageLoad& load;
    Stage stage;
    Clock::time_point start = Clock::now();
    ~Timer() { load.add(stage, Clock::now() - start); }
  };

  std::array<std::atomic<std::int64_t>, kStages> times_{};
};

}  // namespace leafglyph
