// Progress on stderr, and interruption by Ctrl-C.
#pragma once

#include <cstddef>
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

/// Shows the progress of a job of `total` steps on stderr. A job that ends within a second shows
/// nothing. advance() may be called from any thread.
class Progress {
 public:
  Progress(std::string label, std::size_t total, ProgressStyle style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::size_t steps = 1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leafglyph
