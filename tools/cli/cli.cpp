#include "tools/cli/cli.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "features/base/limits.h"
#include "features/base/memory.h"
#include "features/base/numbers.h"
#include "features/base/text.h"
#include "features/base/waiting.h"
#include "features/leaf/preprocess.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {

std::size_t CommonOptions::memory_bytes() const {
  return memory.empty() ? 0 : memory_limit_from(memory);
}

PlanOptions CommonOptions::plan_options() const {
  PlanOptions options = for_many_images();
  options.device = device_choice();
  options.log = log_note;
  return options;
}

PlanOptions CommonOptions::plan_options(const MomentSpec& spec, const ArraySize& size,
                                        std::size_t images, Precision precision) const {
  PlanOptions options = plan_options();
  options.precision = precision;
  options.images = images;
  std::string reason;
  options.device = device_for(spec, size, images, options, reason);
  if (!reason.empty()) log_note("device: CPU; " + reason);
  return options;
}

std::ostream& CommandLine::text() const { return takes_stdout(outputs) ? nowhere_ : std::cout; }

CLI::App* add_command(CLI::App& group, CommandLine& line, const std::string& name,
                      const std::string& description, const std::string& example,
                      std::function<ExitCode()> action) {
  CLI::App* command = group.add_subcommand(name, description);
  command->footer("Example:\n  " + example);
  const std::string common = "Everywhere";
  command
      ->add_option("--device", line.common.device,
                   "Device that computes the moments: auto, cpu, cuda, cuda:<i> or cuda:all")
      ->type_name("{auto,cpu,cuda,cuda:all}")
      ->capture_default_str()
      ->group(common);
  command->add_option("--threads", line.common.threads, "Threads to use; 0: all")
      ->capture_default_str()
      ->group(common);
  command
      ->add_option("--memory", line.common.memory,
                   "Memory budget, such as 4G; default: what the machine and the job's control "
                   "group have free")
      ->type_name("SIZE")
      ->check(memory_size())
      ->group(common);
  command->add_flag("--quiet", line.common.quiet, "No progress, no warnings")->group(common);
  // If it were bound to the number, CLI11 2.4 would set that to 0 for each command that does not
  // run.
  command
      ->add_flag_function(
          "-v,--verbose",
          [&line](std::int64_t times) { line.common.verbosity = static_cast<int>(times); },
          "More detail on stderr; twice: even more")
      ->group(common);
  command->callback([&line, action = std::move(action)] { line.action = action; });
  return command;
}

void add_source_aspect_option(CLI::App& command, std::string& text) {
  command.add_option(
      "--source-aspect", text,
      "Width:height, such as 4:3, of photographs whose files were squeezed to squares or any other "
      "shape; 0: not squeezed. Default: what the configuration says of its own data; 0 for other "
      "photographs, whose files may state the shape of their pixels");
}

void add_bits_option(CLI::App& command, int& bits) {
  command
      .add_option("--bits", bits,
                  "Bits of the values in files of more than 8, such as 12, where 4095 is white. "
                  "Default: what a file states, otherwise as many as its highest value needs")
      ->check(whole_number(1, kMaxSampleBits));
}

std::optional<double> source_aspect(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return aspect_from_text(text);
}

// Messages contain names of files and text of configurations, which must not control a terminal.
std::optional<int> terminal_columns() {
  const char* columns = std::getenv("COLUMNS");
  if (const auto stated = number_in<int>(columns == nullptr ? "" : columns)) return stated;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? std::optional<int>(size.ws_col) : std::nullopt;
}

void print_error(const std::string& message) {
  write_last(STDERR_FILENO, "leafglyph: " + printable(message) + "\n");
}
void print_errors(std::span<const std::string> messages, const std::string& what) {
  constexpr std::size_t kShown = 10;
  if (messages.empty()) return;
  const bool is_quiet = !spdlog::should_log(spdlog::level::warn);
  const std::size_t shown = is_quiet ? 0 : std::min(kShown, messages.size());
  for (const std::string& message : messages.first(shown)) print_error(message);
  if (const std::size_t left = messages.size() - shown; left > 0) {
    print_error(fmt::format("{}{} {}", left, shown == 0 ? "" : " more", what));
  }
}
void log_warning(const std::string& message) { spdlog::warn("{}", printable(message)); }
void log_warnings(std::span<const std::string> messages) {
  for (const std::string& message : messages) log_warning(message);
}
void log_image_notes(const std::string& image, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) log_warning(image + ": " + note);
}
void log_note(const std::string& message) { spdlog::info("{}", printable(message)); }

}  // namespace leafglyph
