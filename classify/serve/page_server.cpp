#include "classify/serve/page_server.h"

#include <cstdlib>
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
  file("/shelf.js", script, serve_shelf());
  file("/leaves.js", script, serve_leaves());
  file("/leaf_card.js", script, serve_leaf_card());
  file("/models.js", script, serve_models());
  file("/moments.js", script, serve_moments());
  file("/training.js", script, serve_training());
  file("/characters.js", script, serve_characters());
  file("/api/v1/openapi.json", "application/json", serve_openapi());
}

}  // namespace

struct PageServer::Parts {
  HttpServer server;
  WorkQueue work;
  ModelShelf shelf;
  KeptLeaves kept;
  LeafApi leaves;
  ShelfApi models;
  MomentApi moments;
  GlyphApi glyphs;
  TrainingApi training;

  // Two threads prepare a photograph hardly faster than one, so that it is better to process
  // several photographs at once.
  explicit Parts(const ServeOptions& options)
      : server(options.bind, options.port, options.limits),
        work(static_cast<std::size_t>(thread_count()), options.waiting, /*threads=*/1),
        shelf(options.models, options.trained(), options.run),
        kept(options.kept()),
        leaves(shelf, kept, work),
        models(shelf, kept, work),
        moments(options.run.engine, work),
        glyphs(options.glyphs, options.glyph_cache, work),
        training(parse_leaf_config(serve_training_config(), "leaf.yaml"), options.data, options.run,
                 shelf, kept, work) {
    TrainingFolder::clear_leftovers(options.data);
    add_page(server);
    leaves.add_to(server);
    models.add_to(server);
    moments.add_to(server);
    glyphs.add_to(server);
    training.add_to(server);
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
