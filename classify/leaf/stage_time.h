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

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Times one stage after another.
class StageClock {
 public:
  explicit StageClock(std::vector<StageTime>& times) : times_(times) {}
  void finish(const std::string& stage) {
    times_.push_back({stage, watch_.seconds()});
    watch_ = Stopwatch();
  }

 private:
  std::vector<StageTime>& times_;
  Stopwatch watch_;
};

}  // namespace leafglyph
