#include "tools/cli/outputs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "classify/character/character_model.h"
#include "classify/leaf/model_folder.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/lines.h"
#include "features/base/text.h"
#include "features/base/waiting.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_file.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// A format with its own kind of output.
struct Format {
  OutputKind kind;
  std::string_view name;
  std::string_view extension;
  bool is_text;
};

constexpr std::array<Format, 9> kFormats = {{{OutputKind::kJson, "JSON", ".json", true},
                                             {OutputKind::kCsv, "CSV", ".csv", true},
                                             {OutputKind::kHtml, "HTML", ".html", true},
                                             {OutputKind::kSvg, "SVG", ".svg", true},
                                             {OutputKind::kNpy, "a .npy array", ".npy", false},
                                             {OutputKind::kNpz, "a .npz archive", ".npz", false},
                                             {OutputKind::kParquet, "Parquet", ".parquet", false},
                                             {OutputKind::kHocr, "hOCR", ".hocr", true},
                                             {OutputKind::kPng, "PNG", ".png", false}}};

const Format* format_of(OutputKind kind) {
  const auto found = std::ranges::find(kFormats, kind, &Format::kind);
  return found == kFormats.end() ? nullptr : &*found;
}

bool is_text(OutputKind kind) {
  const Format* format = format_of(kind);
  return format != nullptr && format->is_text;
}

bool is_stdout(const Output& output) {
  return output.option->count() > 0 && *output.path == "-" && is_text(output.kind);
}

// The files of an output; none for stdout.
std::vector<fs::path> paths_of(const Output& output) {
  const fs::path path = *output.path;
  if (is_stdout(output)) return {};
  if (output.kind == OutputKind::kMoments) return moment_file_parts(path);
  return {path};
}

bool is_kind_of_folder(OutputKind kind) {
  return kind == OutputKind::kFolder || kind == OutputKind::kModel ||
         kind == OutputKind::kCharacters;
}

void try_output(const fs::path& path, OutputKind kind) {
  switch (kind) {
    case OutputKind::kFolder:
      return check_can_make_folder(path);
    case OutputKind::kModel:
      return check_can_save_model(path);
    case OutputKind::kCharacters:
      return check_can_save_characters(path);
    case OutputKind::kImageOrFolder:
      return;
    case OutputKind::kImage:
      check_image_format(path, SampleDepth::k8Bit);
      return check_can_write_file(path);
    case OutputKind::kImageOrSvg:
      if (path.extension() != ".svg") check_image_format(path, SampleDepth::k8Bit);
      return check_can_write_file(path);
    default:
      return check_can_write_file(path);
  }
}

// False for devices and pipes, to which two results may be written.
bool holds_one_result(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  return type == fs::file_type::not_found || type == fs::file_type::regular ||
         type == fs::file_type::directory;
}

void check_name(const Output& output) {
  const std::string name = output.option->get_name();
  if (output.path->empty()) throw UsageError(name + " names no file; give it a name");
  if (is_stdout(output)) return;
  if (*output.path == "-") {
    throw UsageError(name + " - : this does not go to standard output; give it a name");
  }
  const Format* format = format_of(output.kind);
  if (format == nullptr || !holds_one_result(*output.path)) return;
  std::string extension = fs::path(*output.path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char letter) { return std::tolower(letter); });
  if (extension.empty() || extension == format->extension) return;
  throw UsageError(name + " " + *output.path + ": the file is " + std::string(format->name) +
                   "; name it with " + std::string(format->extension));
}

nlohmann::ordered_json json_value(const std::string& cell, ColumnType type) {
  if (cell.empty()) return nullptr;
  if (type != ColumnType::kNumber) return escape_bytes(cell);
  const auto value = nlohmann::ordered_json::parse(cell, nullptr, /*allow_exceptions=*/false);
  return value.is_number() ? value : nlohmann::ordered_json(cell);  // inf and nan
}

std::string json_rows(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  const std::size_t count = table.rows();
  for (std::size_t row = 0; row < count; ++row) {
    nlohmann::ordered_json object;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      const TableColumn& column = table.columns()[c];
      object[escape_bytes(column.name)] = json_value(table.cell(row, c), column.type);
    }
    rows.push_back(std::move(object));
  }
  return rows.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

CLI::Option* add_output(CLI::App& command, CommandLine& line, const std::string& name,
                        std::string& path, OutputKind kind, const std::string& description) {
  CLI::Option* option = command.add_option(name, path, description);
  option->type_name(is_kind_of_folder(kind) ? "FOLDER" : is_text(kind) ? "FILE|-" : "FILE");
  line.outputs.push_back({option, &path, kind});
  if (name == "--csv") {
    command
        .add_option("--csv-for", line.csv_for,
                    "Who reads the CSV: programs, or excel, which opens it by a click only with "
                    "a byte order mark and Windows' ends of lines")
        ->check(one_of({"programs", "excel"}))
        ->capture_default_str()
        ->needs(option);
  }
  return option;
}

void add_figure_files(CLI::App& command, CommandLine& line, FigureFiles& files,
                      const std::string& what) {
  add_output(command, line, "--json", files.json, OutputKind::kJson,
             "Write " + what + " as JSON; -: to stdout, instead of text");
  add_output(command, line, "--csv", files.csv, OutputKind::kCsv,
             "Write " + what + " as CSV; -: to stdout, instead of text");
}

void write_figures(const FigureFiles& files, const Table& table) {
  if (!files.csv.empty()) write_output(files.csv, table.csv());
  if (!files.json.empty()) write_output(files.json, json_rows(table));
}

void check_outputs(const CommandLine& line) {
  const std::span<const Output> outputs = line.outputs;
  std::map<fs::path, std::string> named;
  std::string on_stdout;
  for (const Output& output : outputs) {
    if (output.option->count() == 0) continue;
    const std::string name = output.option->get_name();
    check_name(output);
    if (is_stdout(output)) {
      if (output.kind == OutputKind::kCsv && line.csv_for == "excel") {
        throw UsageError("--csv-for excel needs a file, not standard output");
      }
      if (!on_stdout.empty()) {
        throw UsageError(on_stdout + " and " + name +
                         " both name standard output; give one a file");
      }
      on_stdout = name;
    }
    for (const fs::path& path : paths_of(output)) {
      std::error_code ignored;
      const fs::path whole = fs::weakly_canonical(fs::absolute(path), ignored);
      const auto [other, is_new] = named.emplace(whole, name);
      if (!is_new && holds_one_result(path)) {
        throw UsageError(other->second + " and " + name + " both name " + path.string() +
                         "; give each its own file");
      }
    }
  }
  for (const Output& output : outputs) {
    if (output.option->count() == 0) continue;
    for (const fs::path& path : paths_of(output)) try_output(path, output.kind);
  }
}

void finish_outputs(const CommandLine& line) {
  if (line.csv_for != "excel") return;
  for (const Output& output : line.outputs) {
    if (output.kind != OutputKind::kCsv || output.option->count() == 0) continue;
    const FileHandle written = open_input(*output.path);
    WaitingInput bytes(::fileno(written.get()), *output.path);
    std::istream rows(&bytes);
    write_file_by_parts(*output.path, [&](const PutText& put) {
      put("\xef\xbb\xbf");
      for (std::string row; next_line(rows, row, *output.path, kMaxTextBytes);) put(row + "\r\n");
    });
  }
}

bool takes_stdout(std::span<const Output> outputs) {
  return std::ranges::any_of(outputs, is_stdout);
}

void write_output(const std::string& file, std::string_view content) {
  if (file.empty()) return;
  if (file == "-") {
    std::cout << content;
  } else {
    write_file(file, content);
  }
}

}  // namespace leafglyph
