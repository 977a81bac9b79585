// What the command's groups share: options, the chosen action, output.
#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/image/sample_range.h"
#include "gpu/plans.h"
#include "tools/cli/outputs.h"

namespace CLI {
class App;
}

namespace leafglyph {

/// Descriptions of options that several commands share.
inline constexpr const char* kPeakHelp =
    "Value of white for PSNR and SSIM; default: 255 for 8-bit, 65535 for 16-bit samples, the "
    "largest one for float";
inline constexpr const char* kGreyHelp =
    "How colours become grey: rec601, mean, gamma22 or gamma18, as image editors convert sRGB to "
    "Gray Gamma 2.2 or 1.8, or R,G,B, the weights of red, green and blue";
inline constexpr const char* kUnroundedHelp =
    "Compare the values without rounding them to whole samples; without it, the image is compared "
    "as a file stores it";
inline constexpr const char* kFloatHelp =
    "Single precision where an algorithm supports it; -v reports what ran";
inline constexpr const char* kMaskHelp =
    "Pixels that belong to the disk: centre (those whose sub-pixel centres lie in it) or whole "
    "(those whose four corners do); default: centre for sub-regions, whole for the other methods";

/// Options that every command takes.
struct CommonOptions {
  std::string device = "auto";
  int threads = 0;
  std::string memory;
  bool quiet = false;
  int verbosity = 0;

  /// --memory in bytes; 0 without it. Throws UsageError.
  std::size_t memory_bytes() const;
  DeviceChoice device_choice() const { return device_from_name(device); }
  ProgressStyle progress_style() const { return progress_style_for_stderr(quiet); }
  /// Plan options with the chosen device, the log and double precision, for many images.
  PlanOptions plan_options() const;
  /// The same for a command whose only plan transforms `images` images, which is the plan's hint:
  /// device auto stays on the cores if these are likely to be done first (device_for), and the log
  /// says so.
  PlanOptions plan_options(const MomentSpec& spec, const ArraySize& size, std::size_t images,
                           Precision precision = Precision::kDouble) const;
};

/// One run of the command: the parser fills `common` and sets `action`. `outputs` lists the outputs
/// of every command.
struct CommandLine {
  CommonOptions common;
  std::vector<Output> outputs;
  std::string csv_for = "programs";  ///< --csv-for
  std::function<ExitCode()> action;

  /// The stream for text that people read: stdout, or nowhere if an output goes to stdout.
  std::ostream& text() const;

 private:
  mutable std::ostream nowhere_{nullptr};
};

/// Adds `name` to `group` with the common options and an example in its --help. `action` runs after
/// parsing, with logging, threads and interruption set up; an exception becomes one line on stderr
/// and the exit code.
CLI::App* add_command(CLI::App& group, CommandLine& line, const std::string& name,
                      const std::string& description, const std::string& example,
                      std::function<ExitCode()> action);

/// The value of --unrounded.
inline Rounding rounding_of(bool unrounded) {
  return unrounded ? Rounding::kNone : Rounding::kSamples;
}

/// Adds --source-aspect, the original aspect ratio of photographs that were squeezed.
/// Every command that reads photographs of leaves has it.
void add_source_aspect_option(CLI::App& command, std::string& text);
void add_bits_option(CLI::App& command, int& bits);
/// Warns of what a reader of an image may not expect.
void log_image_notes(const std::string& image, const std::vector<std::string>& notes);
/// The value of --source-aspect; std::nullopt if it was not given. Throws UsageError.
std::optional<double> source_aspect(const std::string& text);

void add_leaf_commands(CLI::App& app, CommandLine& line);
/// Adds the leaf commands that generate leaves and show their preparation.
void add_leaf_data_commands(CLI::App& leaf, CommandLine& line);
/// Adds the leaf command that identifies leaves.
void add_leaf_classify(CLI::App& leaf, CommandLine& line);
/// Adds the leaf commands that describe a model and add photographs to it.
void add_leaf_model_commands(CLI::App& leaf, CommandLine& line);
void add_doctor_command(CLI::App& app, CommandLine& line);
void add_features_commands(CLI::App& app, CommandLine& line);
void add_index_commands(CLI::App& app, CommandLine& line);
void add_glyph_commands(CLI::App& app, CommandLine& line);
void add_serve_command(CLI::App& app, CommandLine& line);
/// Adds `help` and `completion`, which read the commands of `app` when they run.
void add_help_commands(CLI::App& app, CommandLine& line);
/// Returns the group, so that more commands can be added to it.
CLI::App* add_moments_commands(CLI::App& app, CommandLine& line);

void add_draw_command(CLI::App& moments, CommandLine& line);
void add_moment_compare_command(CLI::App& moments, CommandLine& line);
void add_moment_fit_command(CLI::App& moments, CommandLine& line);
void add_moment_filter_command(CLI::App& moments, CommandLine& line);
void add_moment_local_command(CLI::App& moments, CommandLine& line);
void add_moment_volume_command(CLI::App& moments, CommandLine& line);
void add_reconstruct_command(CLI::App& moments, CommandLine& line);
void add_tables_command(CLI::App& moments, CommandLine& line);

/// The width of the terminal that stdout is, or what COLUMNS says; none if neither is there.
std::optional<int> terminal_columns();

/// Prints a help text, wrapped at terminal_columns.
void print_help(const std::string& help);

/// Prints an error as one line on stderr.
void print_error(const std::string& message);
/// Prints the first ten and how many more there are; with --quiet their number alone, of `what`.
void print_errors(std::span<const std::string> messages, const std::string& what);

/// Prints log lines on stderr: warnings always (with --quiet only errors), notes with -v.
void log_warning(const std::string& message);
void log_note(const std::string& message);
void log_warnings(std::span<const std::string> messages);

}  // namespace leafglyph
