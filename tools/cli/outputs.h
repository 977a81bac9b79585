// The files and folders that a command writes, checked before any work.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leafglyph {

struct CommandLine;

/// The target of an option. Text may go to stdout, "-", instead of what the command prints there
/// for people. A file name has an extension of its format, or none, or is a device or pipe.
enum class OutputKind {
  kJson,
  kCsv,
  kHtml,
  kSvg,
  kNpy,
  kNpz,
  kPng,
  kImage,          ///< of any format that images are written in
  kImageOrSvg,     ///< the extension says which
  kImageOrFolder,  ///< checked by the command, once it knows which
  kFolder,
  kModel,    ///< a folder that save_model writes
  kMoments,  ///< F.npy with F.columns.npy and F.npy.txt beside it, or F.csv
};

/// An option of a command and its value.
struct Output {
  const CLI::Option* option;
  const std::string* path;
  OutputKind kind;
};

/// Adds the option `name` to a command, and its target to the outputs of `line`.
CLI::Option* add_output(CLI::App& command, CommandLine& line, const std::string& name,
                        std::string& path, OutputKind kind, const std::string& description);

/// Where the figures of a command go besides stdout.
struct FigureFiles {
  std::string json;
  std::string csv;
};
/// Adds --json and --csv; `what` is "the table".
void add_figure_files(CLI::App& command, CommandLine& line, FigureFiles& files,
                      const std::string& what);
/// Writes a table to the given outputs, as JSON an array with one object per row: numbers are
/// numbers, empty fields null.
void write_figures(const FigureFiles& files, const std::string& csv);

/// Checks the outputs on the command line without changing anything. Throws UsageError when a name
/// is empty, of another format or "-" where no text is written, or when two options name one file
/// or stdout; Error when something cannot be written: no such folder, no permission, something else
/// in the way.
void check_outputs(std::span<const Output> outputs);

/// Whether the text for people is left out because an output goes to stdout.
bool takes_stdout(std::span<const Output> outputs);

/// Writes text to a file, or to stdout for "-"; nothing where `file` is empty.
void write_output(const std::string& file, std::string_view content);
using PutText = std::function<void(std::string_view)>;
/// Writes text to a file in parts, without holding it in memory: `write` writes the parts, one
/// after another. Exceptions of `write` are passed on; an old file then stays.
void write_file_by_parts(const std::string& file, const std::function<void(const PutText&)>& write);

}  // namespace leafglyph
