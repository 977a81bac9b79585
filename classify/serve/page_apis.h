// The API of the page: leaves, characters, moments, training.
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
#include "classify/serve/moment_images.h"
#include "classify/serve/served_model.h"
#include "classify/serve/training.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds the requests for models and leaves in openapi.json to `server`, under /api/v1. `work` runs
/// the computations.
class LeafApi {
 public:
  using Model = std::shared_ptr<ServedModel>;

  LeafApi(std::vector<Model> models, KeptLeaves kept, WorkQueue& work);

  void add_to(HttpServer& server);
  /// Adds a model trained on the page. May be called from any thread.
  void add_model(Model model);
  bool has_model(const std::string& name) const;

 private:
  Model named(const std::string& name) const;
  HttpReply list_models() const;
  HttpReply identify(const HttpRequest& request);
  HttpReply picture(const HttpRequest& request) const;
  HttpReply keep(const HttpRequest& request);
  HttpReply preview(const HttpRequest& request);
  Model model_of(const HttpRequest& request) const;

  mutable std::mutex mutex_;
  std::vector<Model> models_;
  KeptLeaves kept_;
  WorkQueue& work_;
};

/// "prediction": what `leaf classify --json` prints for the photograph; "table": its row of the
/// --csv table; "outline" and "parts": what was found in the photograph; "species": the nearest
/// ones, with training leaves; "channels": the prediction of each channel; "reasons": the evidence
/// for and against the prediction, by kinds for which the page has sentences. Strings are UTF-8
/// (json_text.h).
nlohmann::ordered_json leaf_reply_json(const ServedModel& model, const LeafReply& reply);

/// What `leaf classify --same-plant --json` prints for the leaves together. Throws InputError when
/// none of them has a prediction.
nlohmann::ordered_json plant_reply_json(const LeafModel& model,
                                        std::span<const ClassifiedLeaf> leaves);

/// Adds the requests for characters in openapi.json to `server`, under /api/v1.
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

/// Adds the requests for moments in openapi.json to `server`, under /api/v1.
class MomentApi {
 public:
  MomentApi(const PlanOptions& options, WorkQueue& work) : images_(options), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply reconstruct(const HttpRequest& request);

  MomentImages images_;
  WorkQueue& work_;
};

/// Adds the requests for trainings in openapi.json to `server`, under /api/v1.
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
