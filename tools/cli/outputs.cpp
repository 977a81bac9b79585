#include "tools/cli/outputs.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>

#include "classify/leaf/model_folder.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/moments/moment_file.h"
#include "tools/cli/cli.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// The files of an output; none for stdout.
std::vector<fs::path> paths_of(const Output& output) {
  const fs::path path = *output.path;
  if (output.kind == OutputKind::kFileOrStdout && path == "-") return {};
  if (output.kind == OutputKind::kMoments) return moment_file_parts(path);
  return {path};
}

void try_output(const fs::path& path, OutputKind kind) {
  switch (kind) {
    case OutputKind::kFile:
    case OutputKind::kFileOrStdout:
    case OutputKind::kMoments:
      return check_can_write_file(path);
    case OutputKind::kFolder:
      return check_can_make_folder(path);
    case OutputKind::kModel:
      return check_can_save_model(path);
    case OutputKind::kFileOrFolder:
      return;
  }
}

// Anything may be written to a device or pipe twice.
bool holds_one_result(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  return type == fs::file_type::not_found || type == fs::file_type::regular ||
         type == fs::file_type::directory;
}

}  // namespace

CLI::Option* add_output(CLI::App& command, CommandLine& line, const std::string& name,
                        std::string& path, OutputKind kind, const std::string& description) {
  CLI::Option* option = command.add_option(name, path, description);
  line.outputs.push_back({option, &path, kind});
  return option;
}

void check_outputs(std::span<const Output> outputs) {
  std::map<fs::path, std::string> named;
  for (const Output& output : outputs) {
    if (output.option->count() == 0) continue;
    const std::string name = output.option->get_name();
    if (output.path->empty()) throw UsageError(name + " names no file; give it a name");
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

}  // namespace leafglyph
