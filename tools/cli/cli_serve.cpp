// `leafglyph serve`: the page in a browser, served from this computer.
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "classify/serve/page_server.h"
#include "classify/serve/qr_code.h"
#include "classify/support/named_configuration.h"
#include "features/base/files.h"
#include "tools/cli/cli.h"
#include "tools/cli/glyph_options.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

struct ServeCommand {
  std::vector<std::string> models;
  std::string bind = "127.0.0.1";
  int port = 8080;
  std::string data;
  std::string glyph_model;
  std::string strokes;
  ConfigChoice config;
  bool open = false;
};

/// Blocks the signals that end the server, in this thread and those that it starts. The signals are
/// waited for instead, because a handler would also end the requests in progress.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Whether a signal arrives within a tenth of a second.
  bool came() const {
    const timespec tenth{0, 100'000'000};
    return sigtimedwait(&signals_, nullptr, &tenth) > 0;
  }

 private:
  sigset_t signals_;
  sigset_t before_;
};

void open_browser(const std::string& url) {
  std::string program = "xdg-open", address = url;
  const std::array<char*, 3> arguments = {program.data(), address.data(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, &attributes, arguments.data(), environ) != 0) {
    log_warning("there is no xdg-open; open " + url + " yourself");
  }
  posix_spawnattr_destroy(&attributes);
}

// Prints where the page is. A signal that arrives while nobody reads that ends the command.
void announce(const PageServer& server, bool lan, const HeldSignals& signals) {
  const std::future<void> printed = std::async(std::launch::async, [&] {
    std::cout << "LeafGlyph is at " << server.url() << " (Ctrl-C ends it)" << std::endl;
    if (!lan) return;
    std::cout << "On a phone in the same network: " << server.lan_url() << "\n"
              << qr_code(server.lan_url()).text() << std::flush;
  });
  while (printed.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    if (signals.came()) request_interruption();
  }
  throw_if_interrupted();
}

// Serves until a signal arrives, then completes the requests in progress. A second signal ends
// these as well.
ExitCode serve_until_signal(PageServer& server, const HeldSignals& signals) {
  std::future<void> served = std::async(std::launch::async, [&server] { server.run(); });
  const auto ended = [&served] {
    return served.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  };
  while (!ended() && !signals.came()) continue;
  server.stop();
  while (!ended()) {
    if (signals.came()) request_interruption();
  }
  served.get();
  return interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
}

// Ends the server. A training may be in a computation that cannot be interrupted: since its models
// are complete or absent and its photographs stay, it is not waited for.
void end(std::unique_ptr<PageServer> server, ExitCode code) {
  constexpr std::chrono::milliseconds kPatience(500);
  std::future<void> ended = std::async(std::launch::async, [&server] { server.reset(); });
  if (ended.wait_for(kPatience) == std::future_status::ready) return ended.get();
  std::cout.flush();
  remove_unfinished_outputs();
  ::_exit(static_cast<int>(code));
}

ExitCode serve(const CommandLine& line, const ServeCommand& command) {
  const HeldSignals signals;
  std::signal(SIGPIPE, SIG_IGN);  // it goes on when nobody reads its warnings any more
  ServeOptions options;
  options.lan = command.bind == "lan";
  if (!options.lan) options.bind = command.bind;
  options.port = command.port;
  options.models = {command.models.begin(), command.models.end()};
  // Debian's packages of models put them beside the configurations.
  options.installed = configuration_folder().parent_path() / "models";
  options.glyphs = chosen_config(command.config);
  options.glyph_model = command.glyph_model;
  options.strokes = command.strokes;
  options.data = command.data.empty() ? default_data_folder() : std::filesystem::path(command.data);
  options.run.engine = line.common.plan_options();
  options.run.note = log_note;
  options.run.warn = log_warning;
  auto server = std::make_unique<PageServer>(options);
  announce(*server, options.lan, signals);
  if (command.open) open_browser(server->url());
  const ExitCode code = serve_until_signal(*server, signals);
  end(std::move(server), code);
  return code;
}

}  // namespace

void add_serve_command(CLI::App& app, CommandLine& line) {
  const auto options = std::make_shared<ServeCommand>();
  CLI::App* command =
      add_command(app, line, "serve", "Identify leaves and look up characters in your browser",
                  "leafglyph serve --model leaf.model --open",
                  [&line, options] { return serve(line, *options); });
  takes_one_each(command->add_option("--model", options->models,
                                     "Folder written by leaf train; may be repeated"));
  command->add_option("--glyph-model", options->glyph_model,
                      "Folder written by glyph train, which recognises characters on the page; "
                      "default: made from Debian's fonts when it is first needed");
  command->add_option("--strokes", options->strokes,
                      "Folder of the npm package hanzi-writer-data, unpacked: worksheets then show "
                      "the order of strokes");
  command->add_option("--port", options->port, "Port to listen on; 0: any free port")
      ->check(whole_number(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--bind", options->bind,
                   "Address to listen on. lan: for phones in the same network, which need the "
                   "printed address with its code. Any other address than 127.0.0.1 and ::1 lets "
                   "everybody in who can reach it")
      ->capture_default_str();
  command->add_option(
      "--data", options->data,
      "Folder for your data: leaves/ (photographs whose species you gave), models/ (what "
      "you trained) and waiting/ (photographs that wait for a training); default: leafglyph in "
      "$XDG_DATA_HOME or ~/.local/share");
  add_config_options(*command, options->config, kGlyphConfigHelp);
  command->add_flag("--open", options->open, "Open the page in the browser");
}

}  // namespace leafglyph
