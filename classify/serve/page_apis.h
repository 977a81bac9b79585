// What the page asks the server for: leaves, characters, moments, training.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "classify/glyph/glyph_config.h"
#include "classify/serve/glyph_search.h"
#include "classify/serve/http_server.h"
#include "classify/serve/kept_leaves.h"
#include "classify/serve/leaf_answerer.h"
#include "classify/serve/moment_images.h"
#include "classify/serve/training.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds to `server`, under /api/v1, what openapi.json says of models and leaves. Answers are worked
/// out by `work`.
class LeafApi {
 public:
  using Model = std::shared_ptr<LeafAnswerer>;

  LeafApi(std::vector<Model> models, KeptLeaves kept, WorkQueue& work);

  void add_to(HttpServer& server);
  /// A model that was trained since; may be called from any thread.
  void add_model(Model model);
  bool has_model(const std::string& name) const;

 private:
  Model named(const std::string& name) const;
  HttpReply list_models() const;
  HttpReply answer(const HttpRequest& request);
  HttpReply picture(const HttpRequest& request) const;
  HttpReply keep(const HttpRequest& request);
  HttpReply preview(const HttpRequest& request);
  Model model_of(const HttpRequest& request) const;

  mutable std::mutex mutex_;
  std::vector<Model> models_;
  KeptLeaves kept_;
  WorkQueue& work_;
};

/// "answer": what `leaf classify --json` prints of the photograph; "table": its line of --csv;
/// "outline", "parts": what was found on the photograph; "species": the nearest ones with training
/// leaves; "channels": what each answers by itself; "reasons": what speaks for and against the
/// answer, by kinds that the page has sentences for. Its strings are UTF-8 (json_text.h).
nlohmann::ordered_json leaf_reply_json(const LeafAnswerer& model, const LeafReply& reply);

/// What `leaf classify --same-plant --json` prints of the leaves together. Throws InputError when
/// none of them has an answer.
nlohmann::ordered_json plant_reply_json(const LeafModel& model,
                                        std::span<const ClassifiedLeaf> leaves);

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

/// Adds to `server`, under /api/v1, what openapi.json says of moments.
class MomentApi {
 public:
  MomentApi(const PlanOptions& options, WorkQueue& work) : images_(options), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply reconstruct(const HttpRequest& request);

  MomentImages images_;
  WorkQueue& work_;
};

/// Adds to `server`, under /api/v1, what openapi.json says of trainings.
class TrainingApi {
 public:
  TrainingApi(LeafConfig config, std::filesystem::path data, std::filesystem::path saved,
              const LeafRun& run, Training::Models models, WorkQueue& work)
      : training_(std::move(config), std::move(data), std::move(saved), run, std::move(models)),
        work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply state() const;
  HttpReply report() const;

  Training training_;
  WorkQueue& work_;
};

}  // namespace leafglyph
