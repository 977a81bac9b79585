// The files and folders that a command writes, checked before any work.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "features/base/table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace leafglyph {

struct CommandLine;

/// What an option writes. Text may go to stdout ("-"); it then replaces what the command prints
/// there for people. A file name has the extension of its format or none; devices and pipes may
/// have any name.
enum class OutputKind {
  kJson,
  kCsv,
  kHtml,
  kSvg,
  kNpy,
  kNpz,
  kParquet,
  kPng,
  kHocr,
  kImage,          ///< in any format that images can be written in
  kImageOrSvg,     ///< SVG if the extension is .svg
  kImageOrFolder,  ///< the command checks it, once it knows which of the two it is
  kFolder,
  kModel,       ///< a folder that save_model writes
  kCharacters,  ///< a folder that save_characters writes
  kSums,        ///< a file of sums_file()
  kMoments,     ///< F.npy with F.columns.npy and F.npy.txt beside it, or F.csv
};

/// An option of a command and its value.
struct Output {
  const CLI::Option* option;
  const std::string* path;
  OutputKind kind;
};

/// Adds the option `name` to a command, and registers it in the outputs of `line`. With --csv comes
/// --csv-for.
CLI::Option* add_output(CLI::App& command, CommandLine& line, const std::string& name,
                        std::string& path, OutputKind kind, const std::string& description);

/// The files of --json and --csv, for the figures of a command; empty if not requested.
struct FigureFiles {
  std::string json;
  std::string csv;
};
/// Adds --json and --csv; `what` is "the table".
void add_figure_files(CLI::App& command, CommandLine& line, FigureFiles& files,
                      const std::string& what);
/// Writes a table to the requested files. As JSON it is an array with one object per row; empty
/// cells are null, and numbers that are not finite are text.
void write_figures(const FigureFiles& files, const Table& table);

/// Checks the outputs on the command line without changing anything. Throws UsageError if a name is
/// empty, has the extension of a different format, or is "-" although the output is not text, and
/// if two options name the same file or both name stdout, or CSV for excel goes there. Throws Error
/// if something cannot be written: the folder does not exist, permission is denied, or something
/// else is in the way.
void check_outputs(const CommandLine& line);

/// Gives the files of CSV that a command has written the byte order mark and the ends of lines by
/// which spreadsheets know UTF-8, if --csv-for excel asks for them.
void finish_outputs(const CommandLine& line);

/// Whether an output goes to stdout. The text for people is then not printed.
bool takes_stdout(std::span<const Output> outputs);

/// Writes text to a file, or to stdout for "-". Does nothing if `file` is empty.
void write_output(const std::string& file, std::string_view content);

}  // namespace leafglyph
