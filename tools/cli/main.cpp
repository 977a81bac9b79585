// The command `leafglyph`: parses, runs one action, and turns errors into a line and an exit code.
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>

#include "classify/support/versions.h"
#include "features/base/files.h"
#include "features/base/mapped_file.h"
#include "features/base/matrix_product.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/base/waiting.h"
#include "features/image_io/opencv_runtime.h"
#include "gpu/cuda/visible_gpus.h"
#include "tools/cli/cli.h"
#include "tools/cli/command_texts.h"
#include "tools/cli/config_options.h"

namespace {

using leafglyph::CommandLine;
using leafglyph::ExitCode;

// Lines are dropped that an interrupted command would have to wait for.
using Stderr = spdlog::sinks::stderr_color_sink_mt;
class LogLines : public Stderr {
 public:
  void log(const spdlog::details::log_msg& message) override {
    if (leafglyph::takes_a_line(STDERR_FILENO)) Stderr::log(message);
  }
};

void set_up_log(const leafglyph::CommonOptions& common) {
  const auto logger = std::make_shared<spdlog::logger>("leafglyph", std::make_shared<LogLines>());
  logger->set_pattern("leafglyph: %^%l%$: %v");
  logger->set_level(common.quiet            ? spdlog::level::err
                    : common.verbosity >= 2 ? spdlog::level::debug
                    : common.verbosity == 1 ? spdlog::level::info
                                            : spdlog::level::warn);
  spdlog::set_default_logger(logger);
}

int report(const std::string& message, ExitCode code) {
  leafglyph::print_error(message);
  return static_cast<int>(code);
}

int run(const CommandLine& line) {
  set_up_log(line.common);
  leafglyph::set_default_thread_count(line.common.threads);
  leafglyph::set_memory_limit(line.common.memory_bytes());
  leafglyph::keep_opencv_to_its_caller();
  const leafglyph::DeviceChoice device = line.common.device_choice();  // refuses a wrong name
  const bool is_one_gpu = device.kind == leafglyph::DeviceChoice::Kind::kCuda && device.index >= 0;
  if (is_one_gpu) leafglyph::gpu::see_only(device.index);
  leafglyph::catch_interruptions();
  leafglyph::guard_mapped_files();
  leafglyph::check_outputs(line);
  const ExitCode code = line.action();
  leafglyph::finish_outputs(line);
  if (!std::cout.flush()) {
    leafglyph::throw_if_interrupted();
    return report("standard output cannot be written", ExitCode::kFailed);
  }
  return static_cast<int>(code);
}

// Parses and runs. LeafGlyph's own errors come out as exceptions.
int parse_and_run(int argc, char** argv) {
  CLI::App app(
      "Leaf recognition and look-alike Chinese characters from orthogonal image "
      "moments",
      "leafglyph");
  app.set_version_flag("-V,--version", "leafglyph " + leafglyph::version());
  app.require_subcommand(1);
  app.footer("Exit codes: " + std::string(leafglyph::kExitCodes) + ".");
  CommandLine line;
  leafglyph::add_leaf_commands(app, line);
  leafglyph::add_doctor_command(app, line);
  leafglyph::add_features_commands(app, line);
  leafglyph::add_index_commands(app, line);
  leafglyph::add_glyph_commands(app, line);
  leafglyph::add_serve_command(app, line);
  CLI::App* moments = leafglyph::add_moments_commands(app, line);
  leafglyph::add_moment_compare_command(*moments, line);
  leafglyph::add_moment_filter_command(*moments, line);
  leafglyph::add_moment_fit_command(*moments, line);
  leafglyph::add_moment_local_command(*moments, line);
  leafglyph::add_moment_volume_command(*moments, line);
  leafglyph::add_config_commands(app, line);
  leafglyph::add_help_commands(app, line);
  leafglyph::check_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_name() == "CallForHelp") {
      leafglyph::print_help(app.help());
      return 0;
    }
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    return report(leafglyph::usage_message(app, error), ExitCode::kUsage);
  }
  return run(line);
}

// OpenBLAS chooses its kernels when it is loaded, before main. If it took the processor for a much
// older one, the program starts once more with a better choice in the environment. A choice made by
// the user stays.
void start_with_better_kernels(char** argv) {
  const std::string kernels = leafglyph::better_product_kernels();
  if (kernels.empty()) return;
  ::setenv("OPENBLAS_CORETYPE", kernels.c_str(), /*overwrite=*/0);
  // A bundle's process is its loader, so the launcher starts it again.
  const char* launcher = std::getenv("LEAFGLYPH_LAUNCHER");
  ::execv(launcher != nullptr ? launcher : "/proc/self/exe", argv);
  // If this fails, products are slower but just as accurate.
}

// A library that cannot start a thread may throw where nothing can catch it.
[[noreturn]] void end_with_a_line() {
  std::string reason = "it ended without a reason";
  try {
    const std::exception_ptr thrown = std::current_exception();
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
    reason = "it threw something that is not an exception";
  }
  leafglyph::print_error("a library failed: " + reason);
  leafglyph::remove_unfinished_outputs();
  ::_exit(static_cast<int>(ExitCode::kFailed));
}

}  // namespace

int main(int argc, char** argv) {
  start_with_better_kernels(argv);
  std::set_terminate(end_with_a_line);
  const leafglyph::WaitingOutput output(std::cout, STDOUT_FILENO);
  try {
    return parse_and_run(argc, argv);
  } catch (const leafglyph::Error& error) {
    return report(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return report("out of memory", ExitCode::kFailed);
  } catch (const std::exception& error) {
    return report(error.what(), ExitCode::kFailed);
  }
}
