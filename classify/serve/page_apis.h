// The API of the page: leaves, characters, moments, training.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "classify/glyph/glyph_config.h"
#include "classify/http/http_server.h"
#include "classify/serve/glyph_sets.h"
#include "classify/serve/kept_leaves.h"
#include "classify/serve/model_shelf.h"
#include "classify/serve/moment_images.h"
#include "classify/serve/served_model.h"
#include "classify/serve/served_recogniser.h"
#include "classify/serve/stroke_order.h"
#include "classify/serve/training.h"
#include "classify/serve/work_queue.h"

namespace leafglyph {

/// Adds the requests for leaves in openapi.json to `server`, under /api/v1. `work` runs
/// the computations.
class LeafApi {
 public:
  LeafApi(const ModelShelf& shelf, const KeptLeaves& kept, WorkQueue& work)
      : shelf_(shelf), kept_(kept), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply identify(const HttpRequest& request);
  HttpReply picture(const HttpRequest& request) const;
  static HttpReply examples();
  HttpReply example(const HttpRequest& request);
  HttpReply drawn(const HttpRequest& request);
  HttpReply picture_of(const std::function<Photograph()>& draw, int side);
  HttpReply keep(const HttpRequest& request);
  HttpReply preview(const HttpRequest& request);
  ModelShelf::Model model_of(const HttpRequest& request) const;

  const ModelShelf& shelf_;
  const KeptLeaves& kept_;
  WorkQueue& work_;
};

/// Adds the requests for the models themselves in openapi.json to `server`, under /api/v1.
class ShelfApi {
 public:
  ShelfApi(ModelShelf& shelf, const KeptLeaves& kept, WorkQueue& work)
      : shelf_(shelf), kept_(kept), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply list() const;
  HttpReply archive(const HttpRequest& request) const;
  HttpReply notebook(const HttpRequest& request) const;
  HttpReply report(const HttpRequest& request) const;

  ModelShelf& shelf_;
  const KeptLeaves& kept_;
  WorkQueue& work_;
};

const std::string& class_name(const LeafModel& model, int label);

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

/// How many training leaves the folds identified correctly, with the interval.
nlohmann::ordered_json accuracy_json(const CrossValidatedShare& accuracy);

/// What is kept of a model: when it was trained, added to and renamed; which species its folds
/// mixed up; which photographs need attention. Strings are UTF-8.
nlohmann::ordered_json notebook_json(const LeafModel& model);

/// The report of a model's training: html_check in a sandbox, because its text may be a stranger's.
/// Throws NotFound when the model has none.
HttpReply report_reply(const LeafModel& model);

/// Adds the requests for characters in openapi.json to `server`, under /api/v1.
class GlyphApi {
 public:
  GlyphApi(const GlyphConfig& config, std::filesystem::path cache_folder,
           std::filesystem::path strokes, WorkQueue& work)
      : sets_(config, std::move(cache_folder)), order_(std::move(strokes)), work_(work) {}

  void add_to(HttpServer& server);

 private:
  const GlyphSets::Search& search(const HttpRequest& request) const;
  HttpReply characters(const HttpRequest& request) const;
  HttpReply similar(const HttpRequest& request) const;
  HttpReply fonts(const HttpRequest& request) const;
  HttpReply drawn(const HttpRequest& request) const;
  HttpReply pairs(const HttpRequest& request) const;
  HttpReply drawings(const HttpRequest& request) const;
  HttpReply anki(const HttpRequest& request) const;
  HttpReply strokes(const HttpRequest& request) const;

  mutable GlyphSets sets_;
  const StrokeOrder order_;
  WorkQueue& work_;
};

/// Adds the requests for recognition in openapi.json to `server`, under /api/v1.
class RecogniseApi {
 public:
  RecogniseApi(std::filesystem::path model, std::filesystem::path caches,
               std::function<void(const std::string&)> warn, WorkQueue& work)
      : recogniser_(std::move(model), std::move(caches), std::move(warn)), work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply state();
  HttpReply recognise(const HttpRequest& request);

  ServedRecogniser recogniser_;
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
  TrainingApi(LeafConfig config, std::filesystem::path data, const LeafRun& run, ModelShelf& shelf,
              const KeptLeaves& kept, WorkQueue& work)
      : training_(std::move(config), std::move(data), run, shelf),
        shelf_(shelf),
        kept_(kept),
        work_(work) {}

  void add_to(HttpServer& server);

 private:
  HttpReply state() const;
  HttpReply report() const;

  Training training_;
  const ModelShelf& shelf_;
  const KeptLeaves& kept_;
  WorkQueue& work_;
};

}  // namespace leafglyph
