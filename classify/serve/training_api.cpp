#include "classify/serve/page_apis.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "classify/leaf/unknown_share.h"
#include "classify/page/page_template.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// Whether the request has ?name=yes.
bool is_said(const HttpRequest& request, const std::string& name) {
  const std::optional<std::string> value = request.value(name);
  if (value && *value != "yes") throw UsageError("'" + name + "' must be yes, or be left out");
  return value.has_value();
}

Json sent_json(const TrainingCounts& sent) {
  Json list = Json::array();
  for (std::size_t i = 0; i < sent.species.size(); ++i) {
    list.push_back({{"species", sent.species[i]},
                    {"latin", is_latin_folder(sent.species[i])},
                    {"photographs", sent.of_each[i]}});
  }
  return list;
}

Json skipped_json(const SkippedFiles& skipped) {
  return {{"count", skipped.count}, {"names", skipped.names}};
}

constexpr std::array<const char*, 4> kPhases = {"gathering", "running", "done", "failed"};

}  // namespace

void TrainingApi::add_to(HttpServer& server) {
  server.get("/api/v1/training", [this](const HttpRequest&) { return state(); });
  server.get("/api/v1/training/report", [this](const HttpRequest&) { return report(); });
  server.post("/api/v1/training/begin", [this](const HttpRequest& request) {
    training_.begin(is_said(request, "discard"));
    return state();
  });
  server.post("/api/v1/training/photograph", [this](const HttpRequest& request) {
    work_.run([&] {
      training_.add(request.required("species"), request.value("name").value_or(""), request.body);
    });
    return state();
  });
  server.post("/api/v1/training/archive", [this](const HttpRequest& request) {
    work_.run([&] { training_.add_archive(request.body); });
    return state();
  });
  server.post("/api/v1/training/names", [this](const HttpRequest& request) {
    work_.run([&] { training_.add_names(request.body); });
    return state();
  });
  server.post("/api/v1/training/kept", [this](const HttpRequest&) {
    work_.run([&] {
      for (const std::string& photograph : kept_.photographs()) {
        const std::filesystem::path path{photograph};
        training_.add(path.parent_path().string(), path.filename().string(),
                      read_file(kept_.folder() / path));
      }
    });
    return state();
  });
  server.post("/api/v1/training/earlier", [this](const HttpRequest&) {
    work_.run([&] { training_.add_earlier(); });
    return state();
  });
  server.post("/api/v1/training/run", [this](const HttpRequest& request) {
    training_.run(request.required("name"));
    return state();
  });
  server.post("/api/v1/training/grow", [this](const HttpRequest& request) {
    training_.grow(request.required("model"), kept_.photographs());
    return state();
  });
  server.post("/api/v1/training/cancel", [this](const HttpRequest&) {
    training_.cancel();
    return state();
  });
}

// Also of a training before the server was started again.
HttpReply TrainingApi::report() const {
  const std::string name = training_.state().model;
  ModelShelf::Model model = name.empty() ? nullptr : shelf_.find(name);
  if (!model) model = shelf_.newest();
  if (!model) throw NotFound("no training has finished successfully");
  HttpReply reply;
  work_.run([&] { reply = report_reply(model->model()); });
  return reply;
}

HttpReply TrainingApi::state() const {
  const TrainingState state = training_.state();
  const TrainingCounts& sent = state.sent;
  Json json = {{"phase", kPhases[static_cast<std::size_t>(state.phase)]},
               {"photographs", sent.photographs},
               {"species", sent.species.size()},
               {"sent", sent_json(sent)},
               {"loose", skipped_json(sent.loose)},
               {"others", skipped_json(sent.others)}};
  if (const EarlierPhotographs earlier = training_.earlier(); !earlier.photographs.empty()) {
    json["earlier"] = {{"photographs", earlier.photographs.size()},
                       {"folder", earlier.folders.front().string()}};
  }
  if (state.phase == TrainingState::Phase::kRunning && state.step_total > 0) {
    json["step"] = {{"name", state.step}, {"done", state.step_done}, {"total", state.step_total}};
  }
  if (state.phase == TrainingState::Phase::kFailed) json["failure"] = state.failure;
  if (state.phase == TrainingState::Phase::kDone) {
    json["species"] = state.species;
    json["model"] = state.model;
    json["leaves"] = state.leaves;
    json["added"] = state.added;
    json["accuracy"] = accuracy_json(state.accuracy);
    if (state.unknown) json["unknown"] = unknown_json<Json>(*state.unknown);
    json["look"] = state.look;
    json["errors"] = state.errors;
    json["warnings"] = state.warnings;
  }
  return json_reply(std::move(json));
}

}  // namespace leafglyph
