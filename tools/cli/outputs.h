// The files and folders that a command writes, tried before any work.
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

/// What an option names. Text may go to stdout, "-", in the place of what the command prints there
/// for people. A file is named with an extension of its format, with none, or is a device or pipe.
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
  kImageOrFolder,  ///< the command tries it, once it knows which
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

/// Where the figures of a command go beside stdout.
struct FigureFiles {
  std::string json;
  std::string csv;
};
/// Adds --json and --csv; `what` is "the table".
void add_figure_files(CLI::App& command, CommandLine& line, FigureFiles& files,
                      const std::string& what);
/// Writes a table to those that were given, as JSON an array of an object a row: numbers are
/// numbers, empty fields null.
void write_figures(const FigureFiles& files, const std::string& csv);

/// Tries the outputs that were given on the command line; everything stays as it is. Throws
/// UsageError when a name is empty, of another format or "-" where no text is written, or when two
/// options name one file or stdout; Error when something cannot be written: no such folder, no
/// rights, something else in the way.
void check_outputs(std::span<const Output> outputs);

/// Whether what the command prints for people is left out, since an output goes to stdout.
bool takes_stdout(std::span<const Output> outputs);

/// Writes text to a file, or to stdout for "-"; nothing where `file` is empty.
void write_output(const std::string& file, std::string_view content);
using PutText = std::function<void(std::string_view)>;
/// Writes text to a file that comes part by part and is not held: `write` puts the parts, one after
/// another. What it throws is thrown on; an old file stays then.
void write_file_by_parts(const std::string& file, const std::function<void(const PutText&)>& write);

}  // namespace leafglyph
