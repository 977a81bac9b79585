#include "classify/serve/training_api.h"

#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// The report brings its style, and pictures as data; its script only sorts, and does not run here.
constexpr const char* kReportPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox";

constexpr std::array<const char*, 4> kPhases = {"gathering", "running", "done", "failed"};

}  // namespace

void TrainingApi::add_to(HttpServer& server) {
  server.get("/api/v1/training", [this](const HttpRequest&) { return state(); });
  server.get("/api/v1/training/report", [this](const HttpRequest&) { return report(); });
  server.post("/api/v1/training/begin", [this](const HttpRequest&) {
    training_.begin();
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
  server.post("/api/v1/training/run", [this](const HttpRequest& request) {
    training_.run(request.required("name"));
    return state();
  });
}

HttpReply TrainingApi::report() const {
  std::string page = training_.report();
  if (page.empty()) throw NotFound("no training has ended well");
  return {200,
          "text/html; charset=utf-8",
          std::move(page),
          {{"Content-Security-Policy", kReportPolicy}}};
}

HttpReply TrainingApi::state() const {
  const TrainingState state = training_.state();
  Json json = {{"phase", kPhases[static_cast<std::size_t>(state.phase)]},
               {"photographs", state.photographs}};
  if (state.phase == TrainingState::Phase::kFailed) json["failure"] = state.failure;
  if (state.phase == TrainingState::Phase::kDone) {
    const Interval interval = state.accuracy.interval();
    json["model"] = state.model;
    json["species"] = state.species;
    json["leaves"] = state.leaves;
    json["accuracy"] = {{"share", state.accuracy.share()},
                        {"low", interval.low},
                        {"high", interval.high},
                        {"tested", state.accuracy.tested},
                        {"folds", state.accuracy.folds}};
    json["look"] = state.look;
    json["errors"] = state.errors;
    json["warnings"] = state.warnings;
  }
  return json_reply(std::move(json));
}

}  // namespace leafglyph
