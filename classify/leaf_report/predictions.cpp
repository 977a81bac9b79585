// Predictions for single leaves and plants, as text, JSON and table.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/leaf_report/report.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = PageValues;

std::string in_words(const LeafModel& model, int label, const Decision& decision,
                     const std::optional<double>& probability) {
  const std::string& nearest = model.class_names[static_cast<std::size_t>(label)];
  const std::string share = probability ? fmt::format("{:.0f} %", 100 * *probability) : "";
  if (!decision.known())
    return "unknown; nearest: " + nearest + (share.empty() ? "" : " (" + share + ")");
  if (share.empty()) return nearest;
  return fmt::format("{}; {} ({})", nearest, name_of(*decision.word()), share);
}

// Cells of a leaf in a table of predictions.
void add_leaf(const LeafModel& model, const ClassifiedLeaf& leaf, std::size_t top, Table& table) {
  table.add(shown_name(leaf));
  if (leaf.prediction) {
    const auto word = leaf.prediction->decision.word();
    table.add(predicted_name(model, *leaf.prediction), word ? name_of(*word) : "",
              leaf.prediction->probability);
  } else {
    table.add("", "", "");
  }
  table.add(leaf.error);
  for (std::size_t i = 0; i < top; ++i) {
    if (leaf.prediction && i < leaf.prediction->ranking.size()) {
      const RankedClass& ranked = leaf.prediction->ranking[i];
      const auto label = static_cast<std::size_t>(ranked.label);
      table.add(model.class_names[label], model.scientific_names[label], ranked.score,
                static_cast<double>(ranked.distance));
    } else {
      table.add("", "", "", "");
    }
  }
}

}  // namespace

std::string predicted_name(const LeafModel& model, const Prediction& prediction) {
  return prediction.decision.known()
             ? model.class_names[static_cast<std::size_t>(prediction.ranking.front().label)]
             : "unknown";
}

std::string prediction_in_words(const LeafModel& model, const Prediction& prediction) {
  return in_words(model, prediction.ranking.front().label, prediction.decision,
                  prediction.probability);
}

std::string plant_text(const LeafModel& model, const PlantPrediction& plant,
                       std::span<const ClassifiedLeaf> leaves) {
  std::string text =
      fmt::format("one plant, {} {}: {}\n", plant.leaves, plant.leaves == 1 ? "leaf" : "leaves",
                  in_words(model, plant.ranking.front().label, plant.decision, plant.probability));
  for (const std::size_t i : plant.contradicting) {
    text += fmt::format("  but {} by itself is {}\n", shown_name(leaves[i]),
                        prediction_in_words(model, *leaves[i].prediction));
  }
  for (const PlantClass& ranked : plant.ranking) {
    text += fmt::format("  votes {} of {}  {}\n", ranked.voters, plant.voters,
                        model.class_names[static_cast<std::size_t>(ranked.label)]);
  }
  return escape_bytes(text) + classification_text(model, leaves);
}

std::string classification_text(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  std::string text;
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    text += shown_name(leaf) + ": " + prediction_in_words(model, *leaf.prediction) + "\n";
    for (const RankedClass& ranked : leaf.prediction->ranking) {
      const auto label = static_cast<std::size_t>(ranked.label);
      if (leaf.prediction->probability) text += fmt::format("  {:5.1f} %", 100 * ranked.score);
      text += fmt::format("  votes {} of {}  distance {:.4g}  {}", ranked.voters,
                          model.classifier.spec().k, static_cast<double>(ranked.distance),
                          model.class_names[label]);
      if (!model.scientific_names[label].empty()) {
        text += " (" + model.scientific_names[label] + ")";
      }
      text += "\n";
    }
  }
  return escape_bytes(text);
}

Json classification_document(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  Json list = Json::array();
  for (const ClassifiedLeaf& leaf : leaves) {
    Json entry = {{"image", leaf.file.string()}};
    if (leaf.number > 0) {
      entry["leaf"] = leaf.number;
      entry["box"] = {leaf.box.left, leaf.box.top, leaf.box.width, leaf.box.height};
    }
    if (!leaf.prediction) {
      entry["error"] = leaf.error;
      list.push_back(std::move(entry));
      continue;
    }
    const Prediction& prediction = *leaf.prediction;
    entry["prediction"] = predicted_name(model, prediction);
    entry["known"] = prediction.decision.known();
    entry["outlier_score"] = prediction.outlier_score;
    if (const auto word = prediction.decision.word()) entry["word"] = name_of(*word);
    if (prediction.probability) entry["probability"] = *prediction.probability;
    Json classes = Json::array();
    for (const RankedClass& ranked : prediction.ranking) {
      const auto label = static_cast<std::size_t>(ranked.label);
      classes.push_back({{"class", model.class_names[label]},
                         {"scientific_name", model.scientific_names[label]},
                         {"score", ranked.score},
                         {"votes", ranked.voters},
                         {"distance", ranked.distance}});
    }
    entry["classes"] = std::move(classes);
    Json neighbours = Json::array();
    for (const Neighbour& neighbour : prediction.neighbours) {
      neighbours.push_back({{"leaf", model.sample_names[static_cast<std::size_t>(neighbour.row)]},
                            {"distance", neighbour.distance}});
    }
    entry["neighbours"] = std::move(neighbours);
    entry["warnings"] = leaf.warnings;
    list.push_back(std::move(entry));
  }
  return list;
}

Json plant_document(const LeafModel& model, const PlantPrediction& plant,
                    std::span<const ClassifiedLeaf> leaves) {
  const std::string& nearest =
      model.class_names[static_cast<std::size_t>(plant.ranking.front().label)];
  const bool known = plant.decision.known();
  Json json = {{"prediction", known ? nearest : "unknown"}, {"nearest", nearest}, {"known", known}};
  if (plant.probability) {
    json["probability"] = *plant.probability;
    json["word"] = name_of(*plant.decision.word());
  }
  json["classes"] = Json::array();
  for (const PlantClass& ranked : plant.ranking) {
    json["classes"].push_back({{"class", model.class_names[static_cast<std::size_t>(ranked.label)]},
                               {"votes", ranked.voters}});
  }
  json["contradicting"] = plant.contradicting;
  json["leaves"] = classification_document(model, leaves);
  return json;
}

Table classification_table(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                           std::size_t top) {
  top = std::min(top, model.class_names.size());
  std::string columns = "image:name prediction:name word:text probability:.4f error:name";
  for (std::size_t i = 1; i <= top; ++i) {
    columns +=
        fmt::format(" class_{0}:name scientific_name_{0}:name score_{0}:.6f distance_{0}:.6f", i);
  }
  Table table(columns);
  for (const ClassifiedLeaf& leaf : leaves) add_leaf(model, leaf, top, table);
  return table;
}

}  // namespace leafglyph
