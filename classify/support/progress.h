// Progress on stderr, and interruption by Ctrl-C.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "features/base/errors.h"

namespace leafglyph {

/// From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) only call
/// request_interruption(). A second signal ends the process at once. SIGXFSZ, sent for a file
/// beyond ulimit -f, is ignored: writing then fails as on a full disk.
void catch_interruptions();

/// How progress is shown.
enum class ProgressStyle {
  kNone,
  kLines,  ///< a line now and then, for logs
  kBar,    ///< one line that is redrawn, with rate and time left, for terminals
};

/// kBar when stderr is a terminal, otherwise kLines; kNone when `quiet`.
ProgressStyle progress_style_for_stderr(bool quiet);

/// Receives what a job does, such as "features", and how many of its steps are done. Called from
/// the job's threads. What it throws ends the job.
using ProgressListener =
    std::function<void(const std::string& label, std::size_t done, std::size_t total)>;

/// Shows the progress of a job of `total` steps (0: unknown) on stderr. A job that ends within a
/// second shows nothing. advance() may be called from any thread, and throws what `listener`
/// throws.
class Progress {
 public:
  Progress(std::string label, std::size_t total, ProgressStyle style,
           ProgressListener listener = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t steps = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leafglyph
