#include <utility>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf_report/report.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

// Keeps keys in the order of writing.
using Json = nlohmann::ordered_json;

Json summary_json(const Summary& summary) {
  return {{"mean", summary.mean}, {"standard_deviation", summary.deviation}};
}

Json interval_json(const Interval& interval) {
  return {{"low", interval.low}, {"high", interval.high}, {"method", interval.method}};
}

Json protocol_json(const ProtocolSpec& p) {
  if (!p.file.empty()) {
    return {{"description", describe(p)}, {"file", p.file}, {"splits", p.file_splits}};
  }
  Json json = {{"description", describe(p)}, {"kind", name_of(p.kind)}};
  if (p.kind == ProtocolKind::kSplits) json["leaves"] = name_of(p.choice);
  if (p.kind == ProtocolKind::kSplits || p.kind == ProtocolKind::kBlocks) {
    json["train"] = p.train_leaves;
    json["test"] = p.test_leaves;
  }
  if (p.kind == ProtocolKind::kFolds) json["folds"] = p.folds;
  if (p.kind != ProtocolKind::kLeaveOneOut) {
    json["repeats"] = p.repeats;
    json["held_back"] = p.held_back;
    json["seed"] = p.seed;
  }
  return json;
}

Json classes_json(const EvaluationResult& r) {
  Json list = Json::array();
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    const ClassScore& score = r.classes[c];
    list.push_back({{"name", r.class_names[c]},
                    {"scientific_name", r.scientific_names[c]},
                    {"tests", score.tests},
                    {"correct", score.correct},
                    {"recall", score.recall()},
                    {"precision", score.precision()}});
  }
  return list;
}

Json confusion_json(const EvaluationResult& r) {
  const std::size_t classes = r.class_names.size();
  Json rows = Json::array();
  for (std::size_t t = 0; t < classes; ++t) {
    rows.push_back(std::vector<std::size_t>(
        r.confusion.begin() + static_cast<std::ptrdiff_t>(t * classes),
        r.confusion.begin() + static_cast<std::ptrdiff_t>((t + 1) * classes)));
  }
  return rows;
}

Json splits_json(const EvaluationResult& r) {
  Json list = Json::array();
  for (const SplitScore& split : r.splits) {
    list.push_back({{"train", split.train},
                    {"test", split.test},
                    {"top1", split.top1},
                    {"top3", split.top3},
                    {"top5", split.top5},
                    {"macro", split.macro},
                    {"answered", split.answered},
                    {"answered_correct", split.answered_correct},
                    {"unknown", split.unknown},
                    {"rejected", split.rejected}});
  }
  return list;
}

Json mistakes_json(const LeafEvaluation& e) {
  const EvaluationResult& r = e.result;
  Json list = Json::array();
  for (const TestPrediction& prediction : r.predictions) {
    if (prediction.hit(1)) continue;
    Json neighbours = Json::array();
    for (std::size_t i = 0; i < prediction.neighbours.size(); ++i) {
      neighbours.push_back({{"leaf", e.sample_names[prediction.neighbours[i]]},
                            {"distance", prediction.distances[i]}});
    }
    list.push_back({{"split", prediction.split},
                    {"leaf", e.sample_names[prediction.sample]},
                    {"truth", r.class_names[static_cast<std::size_t>(prediction.truth)]},
                    {"prediction", r.class_names[static_cast<std::size_t>(prediction.predicted())]},
                    {"score", prediction.ranking.front().score},
                    {"known", prediction.decision.known()},
                    {"neighbours", std::move(neighbours)}});
  }
  return list;
}

Json rejection_json(const EvaluationResult& r) {
  Json list = Json::array();
  for (const RejectionPoint& point : rejection_curve(r)) {
    list.push_back({{"answered", point.answered},
                    {"correct", summary_json(point.correct)},
                    {"unknown_rejected", summary_json(point.rejected)}});
  }
  return list;
}

// A point of a curve: accuracy at `value` of `key`.
Json curve_point(const char* key, std::size_t value, const Summary& top1,
                 const Interval& interval) {
  Json point = {{key, value}, {"top1", summary_json(top1)}};
  point["top1"]["interval"] = interval_json(interval);
  return point;
}

Json sweep_json(const LeafSweep& sweep) {
  Json list = Json::array();
  for (const SweepPoint& point : sweep.points) {
    list.push_back(
        curve_point("order", static_cast<std::size_t>(point.order), point.top1, point.interval));
    list.back()["columns"] = point.columns;
  }
  return list;
}

Json learning_json(const LearningCurve& curve) {
  Json list = Json::array();
  for (const LearningPoint& point : curve.points) {
    list.push_back(curve_point("training_leaves", point.leaves, point.top1, point.interval));
  }
  return list;
}

Json perturbed_json(std::span<const PerturbedScore> scores) {
  Json list = Json::array();
  for (const PerturbedScore& score : scores) {
    list.push_back({{"name", score.name},
                    {"description", score.description},
                    {"pictures", score.pictures},
                    {"right", score.right},
                    {"unknown", score.unknown},
                    {"refused", score.refused},
                    {"misidentified", score.misidentified},
                    {"wrong", score.wrong},
                    {"wrong_doubted", score.doubted},
                    {"sure", score.sure},
                    {"sure_right", score.sure_right}});
  }
  return list;
}

Json tuning_json(const EvaluationResult& r) {
  Json splits = Json::array();
  for (const TunedSettings& tuned : r.tuned) {
    const LeafSettings& s = tuned.settings;
    splits.push_back({{"order", s.order},
                      {"channels", channels_of(s)},
                      {"shrinkage", s.classifier.pipeline.plda.shrinkage},
                      {"k", s.classifier.k},
                      {"cross_validated_top1", tuned.accuracy}});
  }
  return {{"description", describe(r.tuning, r.layout, r.classifier)}, {"splits", splits}};
}

Json times_json(std::span<const StageTime> times) {
  Json json = Json::object();
  for (const StageTime& time : times) json[time.stage] = time.seconds;
  return json;
}

}  // namespace

std::string json_report(const LeafStudy& study) {
  const LeafEvaluation& e = study.evaluation;
  const EvaluationResult& r = e.result;
  Json json;
  json["format"] = "leafglyph-evaluation";
  json["version"] = 1;
  json["configuration"] = e.config.name;
  json["resolved_configuration"] = to_yaml(e.config);
  json["data"] = e.data_description;
  json["protocol"] = protocol_json(r.protocol);
  if (!r.tuned.empty()) json["tuning"] = tuning_json(r);
  json["columns"] = r.layout.columns();
  json["dropped_columns"] = r.dropped_columns;
  json["classifier"] = describe(r.fitted);
  json["top1"] = summary_json(r.top1);
  json["top1"]["interval"] = interval_json(r.interval);
  json["top3"] = summary_json(r.top3);
  json["top5"] = summary_json(r.top5);
  json["macro"] = summary_json(r.macro);
  json["answered"] = summary_json(r.answered);
  json["answered_correct"] = summary_json(r.answered_correct);
  json["rejected"] = summary_json(r.rejected);
  json["rejection"] = rejection_json(r);
  if (!r.reliability.empty()) {
    json["calibration_error"] = calibration_error(r.reliability);
    for (const ReliabilityBin& bin : r.reliability) {
      json["reliability"].push_back({{"predictions", bin.predictions},
                                     {"right", bin.right},
                                     {"probabilities", bin.probabilities}});
    }
    for (std::size_t w = 0; w < kWords; ++w) {
      const std::string word(name_of(static_cast<Word>(w)));
      json["words"][word] = {{"predictions", r.words[w].predictions}, {"right", r.words[w].right}};
      if (r.unknown_predictions.empty()) continue;
      json["unknown_words"][word] = r.unknown_words[w].predictions;
    }
  }
  if (study.sweep) json["sweep"] = sweep_json(*study.sweep);
  if (study.learning) json["learning_curve"] = learning_json(*study.learning);
  if (study.perturbed) {
    json["perturbed"] = {{"seed", study.perturbed->seed},
                         {"training_leaves", study.perturbed->training_leaves},
                         {"leaves", perturbed_json(study.perturbed->leaves)},
                         {"leafless", perturbed_json(study.perturbed->leafless)}};
  }
  json["splits"] = splits_json(r);
  json["classes"] = classes_json(r);
  json["confusion"] = confusion_json(r);
  json["mistakes"] = mistakes_json(e);
  json["errors"] = e.errors;
  json["warnings"] = e.warnings;
  json["seconds"] = times_json(e.times);
  return json_text(std::move(json)) + "\n";
}

namespace {

Json classified_leaves(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
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

}  // namespace

std::string classification_json(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  return json_text(classified_leaves(model, leaves)) + "\n";
}

std::string plant_json(const LeafModel& model, const PlantPrediction& plant,
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
  json["leaves"] = classified_leaves(model, leaves);
  return json_text(std::move(json)) + "\n";
}

}  // namespace leafglyph
