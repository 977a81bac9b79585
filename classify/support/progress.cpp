#include "classify/support/progress.h"

#include <fmt/format.h>
#include <cmath>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <utility>

#include "features/base/waiting.h"

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
      write_last(STDERR_FILENO, fmt::format("{}{}: {}, {:.4g}/s{}", bar ? "\r\033[K" : "", label,
                                            count, rate, bar ? "" : "\n"));
      return;
    }
    const double share = static_cast<double>(count) / static_cast<double>(total);
    const std::string left =
        rate > 0 ? duration_text(static_cast<double>(total - count) / rate) : "?";
    if (style == ProgressStyle::kBar) {
      const int filled = static_cast<int>(share * kBarWidth);
      const std::string bar = std::string(static_cast<std::size_t>(filled), '#') +
                              std::string(static_cast<std::size_t>(kBarWidth - filled), '.');
      write_last(STDERR_FILENO, fmt::format("\r\033[K{} [{}] {}/{}  {:.4g}/s  {} left", label, bar,
                                            count, total, rate, left));
    } else {
      write_last(STDERR_FILENO,
                 fmt::format("{}: {} of {}, {:.4g}/s, {} left\n", label, count, total, rate, left));
    }
  }
};

Progress::Progress(std::string label, std::size_t total, ProgressStyle style,
                   ProgressListener listener)
    : state_(new State{std::move(label), total, style, std::move(listener)}) {}

Progress::~Progress() {
  if (state_->drawn && state_->style == ProgressStyle::kBar) {
    write_last(STDERR_FILENO, "\r\033[K");
  }
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
