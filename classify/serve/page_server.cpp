#include "classify/serve/page_server.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>
#include <utility>

#include "classify/page/html_assets.h"
#include "classify/page/html_page.h"
#include "classify/serve/http_server.h"
#include "classify/serve/page_apis.h"
#include "classify/serve/page_files.h"
#include "classify/serve/work_queue.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace fs = std::filesystem;
namespace {

// Gives "leaf.model" for "models/leaf.model/".
std::string model_name(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

// Models that were trained on the page. One that cannot be read does not stop the page.
void add_trained(const ServeOptions& options, std::set<std::string>& names,
                 std::vector<LeafApi::Model>& models) {
  if (!is_folder(options.trained())) return;
  for (const std::string& name : names_in_folder(options.trained())) {
    const fs::path folder = options.trained() / name;
    const auto is_same = [&](const fs::path& given) {
      std::error_code ignored;
      return fs::equivalent(given, folder, ignored);
    };
    if (!is_folder(folder) || std::ranges::any_of(options.models, is_same)) continue;
    try {
      if (names.contains(name)) {
        throw UsageError(folder.string() +
                         ": a model given with --model has the same name; rename one");
      }
      models.push_back(std::make_shared<ServedModel>(name, load_model(folder), options.run));
      names.insert(name);
    } catch (const std::exception& error) {
      options.run.warn(std::string("a trained model is left out: ") + error.what());
    }
  }
}

std::vector<LeafApi::Model> load_models(const ServeOptions& options) {
  std::vector<LeafApi::Model> models;
  std::set<std::string> names;
  for (const fs::path& folder : options.models) {
    const std::string name = model_name(folder);
    if (!names.insert(name).second) {
      throw UsageError("two models are called '" + name + "'; rename the folder of one");
    }
    models.push_back(std::make_shared<ServedModel>(name, load_model(folder), options.run));
  }
  add_trained(options, names, models);
  return models;
}

void add_file(HttpServer& server, const std::string& path, const std::string& type,
              std::string content) {
  server.get(path, [type, content = std::move(content)](const HttpRequest&) {
    return HttpReply{200, type, content, {}};
  });
}

void add_page(HttpServer& server) {
  const std::string script = "text/javascript; charset=utf-8";
  const auto file = [&](const std::string& path, const std::string& type, std::string_view bytes) {
    add_file(server, path, type, std::string(bytes));
  };
  file("/", "text/html; charset=utf-8", serve_index());
  file("/page.css", "text/css; charset=utf-8",
       std::string(page_style()) + std::string(interactive_style()) + std::string(serve_style()));
  file("/icon.svg", "image/svg+xml", page_icon());
  file("/strings.json", "application/json", with_character_strings(serve_strings()));
  file("/sentences.json", "application/json", serve_sentences());
  file("/drawing_pad.js", script, drawing_pad_script());
  file("/language.js", script, language_script());
  file("/practice.js", script, practice_script());
  file("/main.js", script, serve_main());
  file("/text.js", script, serve_text());
  file("/api.js", script, serve_api_script());
  file("/leaves.js", script, serve_leaves());
  file("/moments.js", script, serve_moments());
  file("/training.js", script, serve_training());
  file("/characters.js", script, serve_characters());
  file("/api/v1/openapi.json", "application/json", serve_openapi());
}

}  // namespace

struct PageServer::Parts {
  HttpServer server;
  WorkQueue work;
  LeafApi leaves;
  MomentApi moments;
  GlyphApi glyphs;
  TrainingApi training;

  // Two threads prepare a photograph hardly faster than one, so that it is better to process
  // several photographs at once.
  explicit Parts(const ServeOptions& options)
      : server(options.bind, options.port, options.limits),
        work(static_cast<std::size_t>(thread_count()), options.waiting, /*threads=*/1),
        leaves(load_models(options), KeptLeaves(options.kept()), work),
        moments(options.run.engine, work),
        glyphs(options.glyphs, options.glyph_cache, work),
        training(parse_leaf_config(serve_training_config(), "leaf.yaml"), options.data,
                 options.trained(), options.run, offered_models(options.run), work) {
    TrainingFolder::clear_leftovers(options.data);
    add_page(server);
    leaves.add_to(server);
    moments.add_to(server);
    glyphs.add_to(server);
    training.add_to(server);
  }

  Training::Models offered_models(const LeafRun& run) {
    return {[this](const std::string& name) { return leaves.has_model(name); },
            [this, run](const std::string& name, const fs::path& folder) {
              leaves.add_model(std::make_shared<ServedModel>(name, load_model(folder), run));
            }};
  }
};

fs::path default_data_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  const char* home = std::getenv("HOME");
  if (data != nullptr && *data != '\0') return fs::path(data) / "leafglyph";
  if (home != nullptr && *home != '\0') return fs::path(home) / ".local" / "share" / "leafglyph";
  return "leafglyph-data";
}

PageServer::PageServer(const ServeOptions& options) : parts_(std::make_unique<Parts>(options)) {}
// Stops work in progress that nobody will see the result of, mainly the tables of characters.
PageServer::~PageServer() {
  const bool before = request_interruption();
  parts_.reset();
  if (!before) withdraw_interruption();
}

std::string PageServer::url() const { return parts_->server.url(); }
const std::vector<HttpRoute>& PageServer::routes() const { return parts_->server.routes(); }
void PageServer::run() { parts_->server.run(); }
void PageServer::stop() { parts_->server.stop(); }

}  // namespace leafglyph
