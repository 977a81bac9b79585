// How a long computation is stopped: one flag that the computation looks at.
#pragma once

#include "features/base/errors.h"

namespace leafglyph {

/// Thrown by throw_if_interrupted(); the command exits with 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted", ExitCode::kInterrupted) {}
};

/// Asks every long computation of this process to end with Interrupted; returns whether that had
/// been asked before. May be called from any thread and from a signal handler. The library installs
/// no handler: a program that never calls this is never interrupted.
bool request_interruption() noexcept;

/// Takes the request back, for a program that goes on to compute something else.
void withdraw_interruption() noexcept;

/// Whether the computation should end. Costs no more than reading a number.
bool interrupted() noexcept;

/// Throws Interrupted when interrupted(). Jobs of parallel_for may call it; inside an OpenMP
/// section of one's own skip the remaining work while interrupted() holds, and throw behind it.
void throw_if_interrupted();

}  // namespace leafglyph
