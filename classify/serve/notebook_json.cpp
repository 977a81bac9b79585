#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "classify/serve/page_apis.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// What the model was first trained on.
Json trained_json(const LeafModel& model) {
  std::span<const int> labels = model.classifier.labels();
  for (const AddedLeaves& added : model.history.added) {
    labels = labels.first(labels.size() - std::min(labels.size(), added.leaves));
  }
  return {{"date", model.history.date},
          {"what", "trained"},
          {"photographs", labels.size()},
          {"species", std::set<int>(labels.begin(), labels.end()).size()}};
}

// Additions with the same date are those of one training.
Json added_json(const std::vector<AddedLeaves>& added) {
  Json list = Json::array();
  for (const AddedLeaves& more : added) {
    if (list.empty() || list.back()["date"] != more.date) {
      list.push_back({{"date", more.date},
                      {"what", "added"},
                      {"photographs", 0},
                      {"corrected", 0},
                      {"species", Json::array()}});
    }
    Json& entry = list.back();
    entry["photographs"] = entry["photographs"].get<std::size_t>() + more.leaves;
    entry["corrected"] = entry["corrected"].get<std::size_t>() + more.corrected;
    entry["species"].push_back(more.species);
  }
  return list;
}

Json history_list(const LeafModel& model) {
  Json list = Json::array({trained_json(model)});
  for (Json& added : added_json(model.history.added)) list.push_back(std::move(added));
  for (const RenamedModel& renamed : model.history.renamed) {
    list.push_back(
        {{"date", renamed.date}, {"what", "renamed"}, {"from", renamed.from}, {"to", renamed.to}});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Json& a, const Json& b) { return a["date"] < b["date"]; });
  return list;
}

Json confusions_json(const LeafModel& model, const std::vector<Confusion>& confusions) {
  Json list = Json::array();
  for (const Confusion& pair : confusions) {
    const CheckedClass& checked = model.history.classes[static_cast<std::size_t>(pair.truth)];
    list.push_back({{"species", class_name(model, pair.truth)},
                    {"taken_for", class_name(model, pair.prediction)},
                    {"photographs", pair.leaves},
                    {"tested", checked.tested}});
  }
  return list;
}

Json look_json(const LeafModel& model, const std::vector<LookAt>& look) {
  Json list = Json::array();
  for (const LookAt& at : look) {
    Json json = {{"what", name_of(at.look)}, {"text", at.text}};
    if (at.row) {
      json["name"] = model.sample_names[*at.row];
      if (!model.pictures[*at.row].jpeg.empty()) json["pictured"] = *at.row;
    }
    if (at.looks_like) json["looks_like"] = class_name(model, *at.looks_like);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json notebook_json(const LeafModel& model) {
  Json json = {{"history", history_list(model)}, {"report", model.check != nullptr}};
  if (model.check) {
    const LeafCheck check = model.check();
    json["confusions"] = confusions_json(model, check.confusions);
    json["look"] = look_json(model, check.look);
  }
  escape_strings(json);
  return json;
}

}  // namespace leafglyph
