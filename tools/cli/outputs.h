// The files and folders that a command writes, tried before any work.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leafglyph {

struct CommandLine;

/// What an option names.
enum class OutputKind {
  kFile,
  kFileOrStdout,  ///< "-" is stdout
  kFileOrFolder,  ///< the command tries it, once it knows which
  kFolder,
  kModel,    ///< a folder that save_model writes
  kMoments,  ///< F.npy with F.columns.npy and F.npy.txt beside it, or F.csv
};

/// An option of a command and where the parser puts its value.
struct Output {
  const CLI::Option* option;
  const std::string* path;
  OutputKind kind;
};

/// Adds the option `name` to a command, and what it names to the outputs of `line`.
CLI::Option* add_output(CLI::App& command, CommandLine& line, const std::string& name,
                        std::string& path, OutputKind kind, const std::string& description);

/// Tries the outputs that were given on the command line; everything stays as it is. Throws
/// UsageError when a name is empty or two options name one file, Error when something cannot be
/// written: no such folder, no rights, something else in the way.
void check_outputs(std::span<const Output> outputs);

}  // namespace leafglyph
