// The exceptions that LeafGlyph throws, which the command turns into one line and an exit code, and
// how a long computation is stopped.
#pragma once

#include <stdexcept>
#include <string>

namespace leafglyph {

/// Exit codes of the command; documented in the README.
enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kInput = 3,
  kFormat = 4,
  kSomeFailed = 5,
  kInterrupted = 130,
};

/// Base of every exception thrown on purpose. The message is one line that names the offending
/// value and says what to do; what() is printable() of it, since names of files and texts of
/// anybody are in it.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ExitCode code = ExitCode::kFailed);
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A wrong argument, option or config value (exit code 2).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, ExitCode::kUsage) {}
};

/// An input that is missing, unreadable or unusable (exit code 3).
class InputError : public Error {
 public:
  explicit InputError(const std::string& message) : Error(message, ExitCode::kInput) {}
};

/// A model or data file that is damaged, of another program or of another version (exit code 4).
class FormatError : public Error {
 public:
  explicit FormatError(const std::string& message) : Error(message, ExitCode::kFormat) {}
};

/// What the machine does not have just now: memory, file descriptors, threads (exit code 1), or
/// what an option does not allow to take of it (exit code 2). No finding about an input, so that no
/// command keeps it as one.
class MachineError : public Error {
 public:
  explicit MachineError(const std::string& message, ExitCode code = ExitCode::kFailed)
      : Error(message, code) {}
};

/// Whether this errno reports such a shortage: EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN.
bool is_shortage(int error);

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
