// How long the stages of a job took.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace leafglyph {

/// Seconds spent in the stages of a job.
struct StageTime {
  std::string stage;
  double seconds = 0;
};

/// Times one stage after another.
class StageClock {
 public:
  explicit StageClock(std::vector<StageTime>& times) : times_(times) {}
  void finish(const std::string& stage) {
    const auto now = std::chrono::steady_clock::now();
    times_.push_back({stage, std::chrono::duration<double>(now - start_).count()});
    start_ = now;
  }

 private:
  std::vector<StageTime>& times_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace leafglyph
