#include "classify/serve/page_apis.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "classify/leaf_report/unknown_json.h"
#include "classify/page/html_page.h"
#include "features/base/errors.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// The digest of the page's script, as a content policy writes it.
std::string script_digest(std::string_view page) {
  constexpr std::string_view kBegin = "<script>", kEnd = "</script>";
  const std::size_t begin = page.rfind(kBegin) + kBegin.size();
  const std::string hexadecimal = sha256(page.substr(begin, page.rfind(kEnd) - begin));
  std::string digest;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2) {
    digest += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, /*base=*/16));
  }
  return base64(digest);
}

// The report contains its style, its script (allowed by its digest), and its pictures as data. In a
// sandbox it has no origin and cannot make requests.
std::string report_policy(std::string_view page) {
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" +
         script_digest(page) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-scripts";
}

// Whether the request has ?name=yes.
bool is_said(const HttpRequest& request, const std::string& name) {
  const std::optional<std::string> value = request.value(name);
  if (value && *value != "yes") throw UsageError("'" + name + "' must be yes, or be left out");
  return value.has_value();
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
  server.post("/api/v1/training/run", [this](const HttpRequest& request) {
    training_.run(request.required("name"));
    return state();
  });
}

HttpReply TrainingApi::report() const {
  std::string page = training_.report();
  if (page.empty()) throw NotFound("no training has finished successfully");
  const std::string policy = report_policy(page);
  return {200, "text/html; charset=utf-8", std::move(page), {{"Content-Security-Policy", policy}}};
}

HttpReply TrainingApi::state() const {
  const TrainingState state = training_.state();
  Json json = {{"phase", kPhases[static_cast<std::size_t>(state.phase)]},
               {"photographs", state.photographs},
               {"species", state.species}};
  if (state.phase == TrainingState::Phase::kFailed) json["failure"] = state.failure;
  if (state.phase == TrainingState::Phase::kDone) {
    const Interval interval = state.accuracy.interval();
    json["model"] = state.model;
    json["leaves"] = state.leaves;
    json["accuracy"] = {{"share", state.accuracy.share()},
                        {"low", interval.low},
                        {"high", interval.high},
                        {"tested", state.accuracy.tested},
                        {"folds", state.accuracy.folds}};
    if (state.unknown) json["unknown"] = unknown_json<Json>(*state.unknown);
    json["look"] = state.look;
    json["errors"] = state.errors;
    json["warnings"] = state.warnings;
  }
  return json_reply(std::move(json));
}

}  // namespace leafglyph
