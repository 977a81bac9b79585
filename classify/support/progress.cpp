#include "classify/support/progress.h"

#include <fmt/format.h>
#include <cmath>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <utility>

namespace leafglyph {
namespace {

using Clock = std::chrono::steady_clock;

void on_signal(int signal) {
  if (request_interruption()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

constexpr auto kFirstShown = std::chrono::seconds(1);
constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(10);
constexpr int kBarWidth = 30;

std::string duration_text(double seconds) {
  const auto whole = std::lround(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

void catch_interruptions() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

ProgressStyle progress_style_for_stderr(bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  return ::isatty(STDERR_FILENO) == 1 ? ProgressStyle::kBar : ProgressStyle::kLines;
}

struct Progress::State {
  std::string label;
  std::size_t total;
  ProgressStyle style;
  ProgressListener listener;
  Clock::time_point start = Clock::now();
  std::atomic<std::size_t> done{0};
  std::mutex drawing = {};
  Clock::time_point next = start + kFirstShown;
  bool drawn = false;

  void draw(Clock::time_point now) {
    const std::size_t count = done.load();
    const double elapsed = std::chrono::duration<double>(now - start).count();
    const double rate = static_cast<double>(count) / elapsed;
    drawn = true;
    if (total == 0) {
      const bool bar = style == ProgressStyle::kBar;
      std::fprintf(stderr, "%s%s: %zu, %.4g/s%s", bar ? "\r\033[K" : "", label.c_str(), count, rate,
                   bar ? "" : "\n");
      std::fflush(stderr);
      return;
    }
    const double share = static_cast<double>(count) / static_cast<double>(total);
    const std::string left =
        rate > 0 ? duration_text(static_cast<double>(total - count) / rate) : "?";
    if (style == ProgressStyle::kBar) {
      const int filled = static_cast<int>(share * kBarWidth);
      const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                              std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
      std::fprintf(stderr, "\r\033[K%s [%s] %zu/%zu  %.4g/s  %s left", label.c_str(), bar.c_str(),
                   count, total, rate, left.c_str());
    } else {
      std::fprintf(stderr, "%s: %zu of %zu, %.4g/s, %s left\n", label.c_str(), count, total, rate,
                   left.c_str());
    }
    std::fflush(stderr);
  }
};

Progress::Progress(std::string label, std::size_t total, ProgressStyle style,
                   ProgressListener listener)
    : state_(new State{std::move(label), total, style, std::move(listener)}) {}

Progress::~Progress() {
  if (state_->drawn && state_->style == ProgressStyle::kBar) std::fputs("\r\033[K", stderr);
}

void Progress::advance(std::size_t steps) {
  const std::size_t done = state_->done += steps;
  if (state_->listener) state_->listener(state_->label, done, state_->total);
  if (state_->style == ProgressStyle::kNone) return;
  const auto now = Clock::now();
  const std::unique_lock lock(state_->drawing, std::try_to_lock);
  if (!lock.owns_lock() || now < state_->next) return;
  state_->next =
      now + (state_->style == ProgressStyle::kBar ? Clock::duration(kBarInterval) : kLineInterval);
  state_->draw(now);
}

}  // namespace leafglyph
