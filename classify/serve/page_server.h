// `leafglyph serve`: the page with its API.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/glyph/lookalike_cache.h"
#include "classify/http/http_limits.h"
#include "classify/http/http_message.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

struct ServeOptions {
  std::string bind = "127.0.0.1";
  /// Listens on every address, for phones in the local network, and needs an access code.
  bool lan = false;
  int port = 8080;  ///< 0 chooses a free port
  std::vector<std::filesystem::path> models;
  std::filesystem::path installed = {};  ///< folder of models that packages brought; empty: none
  GlyphConfig glyphs = {};
  std::filesystem::path glyph_cache =
      default_cache_folder();              ///< for tables and recogniser; empty: none
  std::filesystem::path glyph_model = {};  ///< a recogniser of characters; empty: UsualCharacters
  std::filesystem::path strokes = {};      ///< StrokeOrder's folder
  std::filesystem::path data;  ///< what users upload; created with the first photograph or training
  LeafRun run;
  HttpLimits limits = {};
  std::size_t waiting = 64;  ///< jobs, such as photographs, that may wait for a worker

  /// Photographs whose species a user gave.
  std::filesystem::path kept() const { return data / "leaves"; }
  /// Models of trainings.
  std::filesystem::path trained() const { return data / "models"; }
};

/// $XDG_DATA_HOME/leafglyph, or its default in the home folder; "leafglyph-data" if there is
/// neither.
std::filesystem::path default_data_folder();

class PageServer {
 public:
  /// Reads the models, then those trained on the page, last the installed ones, and listens.
  /// Unreadable models in trained() and installed are left out with a warning. Removes what killed
  /// servers left in `data`. Throws UsageError when two models have the same name, and what
  /// load_model, StrokeOrder and HttpServer throw.
  explicit PageServer(const ServeOptions& options);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  std::string url() const;
  /// The address for other devices of the local network; empty without ServeOptions::lan.
  std::string lan_url() const;
  /// The handlers: the files of the page and the API.
  const std::vector<HttpRoute>& routes() const;
  /// Serves until stop(), which may be called from any thread; answers requests in progress.
  void run();
  void stop();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace leafglyph
