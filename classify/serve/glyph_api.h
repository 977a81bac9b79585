// The characters of the page: look-alikes, pairs of a list, drawings.
#pragma once

#include <filesystem>

#include "classify/glyph/glyph_config.h"
#include "classify/serve/glyph_search.h"
#include "classify/serve/http_server.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds to `server`, under /api/v1, what openapi.json says of characters.
class GlyphApi {
 public:
  GlyphApi(const GlyphConfig& config, std::filesystem::path cache_folder, WorkQueue& work)
      : search_(config, std::move(cache_folder)), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply characters(const HttpRequest& request) const;
  HttpReply similar(const HttpRequest& request) const;
  HttpReply fonts(const HttpRequest& request) const;
  HttpReply drawn(const HttpRequest& request) const;
  HttpReply pairs(const HttpRequest& request) const;
  HttpReply drawings(const HttpRequest& request) const;

  GlyphSearch search_;
  WorkQueue& work_;
};

}  // namespace leafglyph
