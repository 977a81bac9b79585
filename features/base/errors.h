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

/// Base of every exception thrown on purpose. The message is one line with the offending value and
/// what to do; what() is printable() of it, since it may contain names of files and other people's
/// text.
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

/// The machine is short of memory, file descriptors or threads (exit code 1), or an option limits
/// them (exit code 2). This says nothing about an input, so that no command records it as a bad
/// input.
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

/// Asks every long computation of this process to end with Interrupted; returns whether that was
/// requested before. May be called from any thread and from a signal handler. The library installs
/// no handler: a program that never calls this is never interrupted.
bool request_interruption() noexcept;

/// Withdraws the request, for a program that goes on to compute something else.
void withdraw_interruption() noexcept;

/// Whether the computation should end. As cheap as reading a number.
bool interrupted() noexcept;

/// Throws Interrupted when interrupted(). Jobs of parallel_for may call it; inside your own OpenMP
/// section, skip the remaining work while interrupted() holds, and throw after the section.
void throw_if_interrupted();

}  // namespace leafglyph
