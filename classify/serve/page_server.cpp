#include "classify/serve/page_server.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/http/http_server.h"
#include "classify/http/local_network.h"
#include "classify/page/html_page.h"
#include "classify/serve/page_apis.h"
#include "classify/serve/page_files.h"
#include "classify/serve/qr_code.h"
#include "classify/serve/work_queue.h"
#include "features/base/errors.h"
#include "features/base/partial.h"
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

// The page itself keeps the access code with which it was opened.
void add_index(HttpServer& server, const AccessCode& code) {
  const int port = server.address().port;
  server.get("/", [code, port](const HttpRequest&) {
    HttpReply reply{200, "text/html; charset=utf-8", std::string(serve_index()), {}};
    if (code.is_needed()) reply.headers.emplace_back("Set-Cookie", code.set_cookie(port));
    return reply;
  });
}

// The address for phones, and its QR code; nothing on a loopback address.
void add_address(HttpServer& server, const std::string& lan_url) {
  server.get("/api/v1/address", [lan_url](const HttpRequest&) {
    nlohmann::ordered_json json = {{"address", lan_url}};
    const QrCode code = lan_url.empty() ? QrCode{} : qr_code(lan_url);
    if (code.side > 0) json["qr"] = {{"side", code.side}, {"path", code.path()}};
    return json_reply(std::move(json));
  });
}

void add_page(HttpServer& server) {
  const std::string script = "text/javascript; charset=utf-8";
  const auto file = [&](const std::string& path, const std::string& type, std::string_view bytes) {
    add_file(server, path, type, std::string(bytes));
  };
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
  file("/folder_picture.js", script, serve_folder_picture());
  file("/record.js", script, serve_record());
  file("/notebook.js", script, serve_notebook());
  file("/moments.js", script, serve_moments());
  file("/training.js", script, serve_training());
  file("/characters.js", script, serve_characters());
  file("/pictures.js", script, serve_pictures());
  file("/api/v1/openapi.json", "application/json", serve_openapi());
}

}  // namespace

struct PageServer::Parts {
  AccessCode code;
  HttpServer server;
  std::string lan_url;
  WorkQueue work;
  ModelShelf shelf;
  KeptLeaves kept;
  LeafApi leaves;
  ShelfApi models;
  MomentApi moments;
  GlyphApi glyphs;
  RecogniseApi recognition;
  TrainingApi training;

  // Two threads prepare a photograph hardly faster than one, so that it is better to process
  // several photographs at once.
  explicit Parts(const ServeOptions& options)
      : code(options.lan ? AccessCode::random() : AccessCode()),
        server(options.lan ? "0.0.0.0" : options.bind, options.port, options.limits, code),
        lan_url(options.lan ? fmt::format("http://{}:{}/{}", local_address(), server.address().port,
                                          code.query())
                            : ""),
        work(static_cast<std::size_t>(thread_count()), options.waiting, /*threads=*/1),
        shelf(options.models, options.trained(), options.installed, options.run),
        kept(options.kept()),
        leaves(shelf, kept, work),
        models(shelf, kept, work),
        moments(options.run.engine, work),
        glyphs(options.glyphs, options.glyph_cache, options.strokes, work),
        recognition(options.glyph_model, options.glyph_cache, options.run.warn, work),
        training(parse_leaf_config(serve_training_config(), "leaf.yaml"), options.data, options.run,
                 shelf, kept, work) {
    clear_all_leftovers(options.data);
    add_index(server, code);
    add_address(server, lan_url);
    add_page(server);
    leaves.add_to(server);
    models.add_to(server);
    moments.add_to(server);
    glyphs.add_to(server);
    recognition.add_to(server);
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
std::string PageServer::lan_url() const { return parts_->lan_url; }
const std::vector<HttpRoute>& PageServer::routes() const { return parts_->server.routes(); }
void PageServer::run() { parts_->server.run(); }
void PageServer::stop() { parts_->server.stop(); }

}  // namespace leafglyph
