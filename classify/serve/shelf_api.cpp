#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "classify/leaf/unknown_share.h"
#include "classify/leaf_report/report.h"
#include "classify/serve/page_apis.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// The first training leaf of each class that has a picture.
std::vector<std::optional<std::size_t>> pictured_leaves(const LeafModel& model) {
  std::vector<std::optional<std::size_t>> leaves(model.class_names.size());
  const std::span<const int> labels = model.classifier.labels();
  for (std::size_t i = 0; i < model.pictures.size(); ++i) {
    std::optional<std::size_t>& leaf = leaves[static_cast<std::size_t>(labels[i])];
    if (!leaf && !model.pictures[i].jpeg.empty()) leaf = i;
  }
  return leaves;
}

Json species_json(const LeafModel& model) {
  std::vector<std::size_t> leaves(model.class_names.size());
  for (const int label : model.classifier.labels()) ++leaves[static_cast<std::size_t>(label)];
  const std::vector<std::optional<std::size_t>> pictured = pictured_leaves(model);
  Json list = Json::array();
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    Json species = {{"name", model.class_names[c]},
                    {"latin", is_latin_folder(model.class_names[c])},
                    {"scientific_name", model.scientific_names[c]},
                    {"chinese_name", model.chinese_names[c]},
                    {"leaves", leaves[c]}};
    if (pictured[c]) species["pictured"] = *pictured[c];
    if (!model.history.classes.empty()) {
      const CheckedClass& checked = model.history.classes[c];
      species["tested"] = checked.tested;
      species["right"] = checked.right;
      if (checked.taken_for >= 0) {
        species["taken_for"] = model.class_names[static_cast<std::size_t>(checked.taken_for)];
      }
    }
    list.push_back(std::move(species));
  }
  return list;
}

Json model_json(const ServedModel& served, bool own, const std::vector<std::string>& kept) {
  const LeafModel& model = served.model();
  Json json = {{"name", served.name()},         {"own", own},
               {"drawn", model.history.drawn},  {"report", model.check != nullptr},
               {"date", model.history.date},    {"leaves", model.sample_names.size()},
               {"species", species_json(model)}};
  if (model.history.accuracy) json["accuracy"] = accuracy_json(*model.history.accuracy);
  if (model.history.unknown) json["unknown"] = unknown_json<Json>(*model.history.unknown);
  const std::vector<std::string> names = model.sample_names.all();
  const std::set<std::string_view> known(names.begin(), names.end());
  json["kept_new"] = std::ranges::count_if(
      kept, [&](const std::string& photograph) { return !known.contains(photograph); });
  return json;
}

}  // namespace

nlohmann::ordered_json accuracy_json(const CrossValidatedShare& accuracy) {
  const Interval interval = accuracy.interval();
  return {{"share", accuracy.share()},
          {"low", interval.low},
          {"high", interval.high},
          {"tested", accuracy.tested},
          {"folds", accuracy.folds}};
}

void ShelfApi::add_to(HttpServer& server) {
  server.get("/api/v1/models", [this](const HttpRequest&) { return list(); });
  server.get("/api/v1/models/archive", [this](const HttpRequest& r) { return archive(r); });
  server.get("/api/v1/models/notebook", [this](const HttpRequest& r) { return notebook(r); });
  server.get("/api/v1/models/report", [this](const HttpRequest& r) { return report(r); });
  server.post("/api/v1/models/drawn", [this](const HttpRequest&) {
    work_.run([&] { shelf_.add_drawn(); });
    return list();
  });
  server.post("/api/v1/models/rename", [this](const HttpRequest& request) {
    shelf_.rename(request.required("model"), request.required("name"));
    return list();
  });
  server.post("/api/v1/models/remove", [this](const HttpRequest& request) {
    shelf_.remove(request.required("model"));
    return list();
  });
}

HttpReply ShelfApi::list() const {
  const std::vector<std::string> kept = kept_.photographs();
  Json list = Json::array();
  for (const ModelShelf::Offered& offered : shelf_.all()) {
    list.push_back(model_json(*offered.model, offered.own, kept));
  }
  return json_reply({{"models", std::move(list)},
                     {"kept", kept_.folder().string()},
                     {"kept_photographs", kept.size()}});
}

HttpReply ShelfApi::notebook(const HttpRequest& request) const {
  const ModelShelf::Model model = shelf_.get(request.required("model"));
  HttpReply reply;
  work_.run([&] { reply = json_reply(notebook_json(model->model())); });
  return reply;
}

HttpReply ShelfApi::report(const HttpRequest& request) const {
  const ModelShelf::Model model = shelf_.get(request.required("model"));
  HttpReply reply;
  work_.run([&] { reply = report_reply(model->model()); });
  return reply;
}

HttpReply ShelfApi::archive(const HttpRequest& request) const {
  HttpReply reply{200, "application/zip", "", {{"Content-Disposition", "attachment"}}};
  const std::string name = request.required("model");
  work_.run([&] { reply.pieces = shelf_.archive(name); });
  return reply;
}

}  // namespace leafglyph
