#include "classify/serve/page_apis.h"

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "classify/leaf_report/report.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFraction = 1e4;  // outlines are stored to a tenth of a pixel

double rounded(double value) { return std::round(value * kFraction) / kFraction; }

Json outline_json(const OutlinePoints& outline) {
  Json list = Json::array();
  for (const OutlinePoint& point : outline) list.push_back({rounded(point.x), rounded(point.y)});
  return list;
}

Json parts_json(const OutlineSink& outlines) {
  Json list = Json::array();
  for (const FoundPart& part : outlines.parts()) {
    list.push_back({{"outline", outline_json(part.outline)}, {"share", part.share}});
  }
  return list;
}

bool has_picture(const LeafModel& model, std::size_t row) {
  return row < model.pictures.size() && !model.pictures[row].jpeg.empty();
}

Json species_json(const LeafModel& model, const LeafReply& reply) {
  Json list = Json::array();
  const std::vector<RankedClass>& ranking = reply.leaf.prediction->ranking;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    Json leaves = Json::array();
    for (const NearLeaf& near : reply.near[i]) {
      Json leaf = {{"leaf", near.row}, {"name", model.sample_names[near.row]}};
      if (near.distance) leaf["distance"] = *near.distance;
      leaf["picture"] = has_picture(model, near.row);
      leaves.push_back(std::move(leaf));
    }
    list.push_back(
        {{"name", class_name(model, ranking[i].label)},
         {"scientific_name", model.scientific_names[static_cast<std::size_t>(ranking[i].label)]},
         {"score", ranking[i].score},
         {"votes", ranking[i].voters},
         {"distance", ranking[i].distance},
         {"leaves", std::move(leaves)}});
  }
  return list;
}

Json channels_json(const LeafModel& model, const LeafReply& reply) {
  const int best = reply.leaf.prediction->ranking.front().label;
  Json list = Json::array();
  for (const PartPrediction& part : reply.parts) {
    if (!part.prediction) continue;
    const RankedClass& first = part.prediction->ranking.front();
    list.push_back({{"channel", part.part},
                    {"prediction", class_name(model, first.label)},
                    {"votes", first.voters},
                    {"agrees", first.label == best}});
  }
  return list;
}

// Reasons for (true) or against (false) the first species.
Json reasons_json(const LeafModel& model, const LeafReply& reply) {
  const Prediction& prediction = *reply.leaf.prediction;
  const LeafEvidence& evidence = reply.evidence;
  Json list = Json::array();
  const auto add = [&](std::optional<bool> speaks_for, const char* kind,
                       const Json& values = Json::object()) {
    if (!speaks_for) return;
    list.push_back({{"for", *speaks_for}, {"kind", kind}});
    list.back().update(values);
  };
  if (!prediction.decision.known()) add(false, "novel");
  add(evidence.votes, "votes",
      {{"votes", prediction.ranking.front().voters}, {"of", prediction.neighbours.size()}});
  if (evidence.second) {
    add(evidence.second, "second",
        {{"species", class_name(model, prediction.ranking[1].label)},
         {"times", evidence.second_times}});
  }
  add(evidence.typical, evidence.typical == true ? "typical" : "odd",
      {{"share", evidence.typical_share}});
  add(evidence.channels, "channels", {{"agree", evidence.agreeing}, {"of", evidence.asked}});
  for (const std::string& warning : reply.leaf.warnings) {
    add(false, "warning", {{"text", warning}});
  }
  return list;
}

}  // namespace

const std::string& class_name(const LeafModel& model, int label) {
  return model.class_names[static_cast<std::size_t>(label)];
}

Json leaf_reply_json(const ServedModel& served, const LeafReply& reply) {
  const LeafModel& model = served.model();
  const std::span leaf(&reply.leaf, 1);
  Json json;
  const Table table = classification_table(model, leaf, ServedModel::kSpecies);
  json["table"] = {{"head", table.csv_names()}, {"line", table.csv_rows()}};  // the page joins them
  json["outline"] = outline_json(reply.outline);
  json["parts"] = parts_json(reply.outlines);
  if (reply.leaf.near_leaflets > 0) json["near_leaflets"] = reply.leaf.near_leaflets;
  if (reply.leaf.prediction) {
    json["species"] = species_json(model, reply);
    json["channels"] = channels_json(model, reply);
    json["reasons"] = reasons_json(model, reply);
  }
  json["prediction"] = std::move(classification_document(model, leaf).front());
  escape_strings(json);
  return json;
}

Json plant_reply_json(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  Json json = plant_document(model, same_plant(model, leaves), leaves);
  escape_strings(json);
  return json;
}

}  // namespace leafglyph
