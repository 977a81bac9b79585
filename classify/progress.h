// Progress on stderr, and interruption by Ctrl-C.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "features/errors.h"

namespace leafglyph {

/// Thrown by throw_if_interrupted(); the command exits with 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted", ExitCode::kInterrupted) {}
};

/// From now on SIGINT and SIGTERM only set a flag, which long loops look at. A second signal ends
/// the process at once.
void catch_interruptions();

/// Throws Interrupted once a signal has arrived. In jobs of parallel_for it may be called; inside
/// another OpenMP section skip the remaining work while interrupted() holds and throw behind it.
void throw_if_interrupted();
bool interrupted();

/// How progress is shown.
enum class ProgressStyle {
  kNone,
  kLines,  ///< a line now and then, for logs
  kBar,    ///< one line that is redrawn, with rate and time left, for terminals
};

/// kBar when stderr is a terminal, else kLines; kNone when `quiet`.
ProgressStyle progress_style_for_stderr(bool quiet);

/// Shows how far a job of `total` steps is, on stderr. A job that ends within a second shows
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
