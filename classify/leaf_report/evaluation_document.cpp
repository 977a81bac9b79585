#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/leaf_report/report.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = PageValues;

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

Json pairs_json(const EvaluationResult& r) {
  const std::size_t classes = r.class_names.size();
  Json list = Json::array();
  for (std::size_t t = 0; t < classes; ++t) {
    for (std::size_t a = 0; a < classes; ++a) {
      const std::size_t count = r.confusion[t * classes + a];
      if (t == a || count == 0) continue;
      list.push_back({{"truth", r.class_names[t]},
                      {"prediction", r.class_names[a]},
                      {"count", count},
                      {"tests", r.classes[t].tests}});
    }
  }
  sort_by(list, "count");
  return list;
}

Json classes_json(const EvaluationResult& r, const Json& pairs) {
  Json list = Json::array();
  for (std::size_t c = 0; c < r.classes.size(); ++c) {
    const ClassScore& score = r.classes[c];
    list.push_back({{"name", r.class_names[c]},
                    {"scientific_name", r.scientific_names[c]},
                    {"tests", score.tests},
                    {"correct", score.correct},
                    {"recall", score.recall()},
                    {"precision", score.precision()}});
    const auto most = std::ranges::find_if(pairs, [&](const Json& pair) {
      return pair["truth"].get_ref<const std::string&>() == r.class_names[c];
    });
    if (most == pairs.end()) continue;
    list.back()["most_taken_for"] = {{"class", (*most)["prediction"]}, {"count", (*most)["count"]}};
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
    if (sweep.config.data.source != DataSource::kFlavia) continue;
    const auto published =
        std::ranges::find(published_sweep(), point.order, &PublishedPoint::order);
    if (published != published_sweep().end()) {
      list.back()["published"] = published->percent / 100.0;
    }
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
    Json& shares = list.back()["shares"];
    for (const char* key : {"right", "unknown", "refused", "misidentified", "sure"}) {
      shares[key] = score.share(list.back()[key].get<std::size_t>());
    }
    if (score.sure > 0) shares["sure_right"] = score.right_of_sure();
    shares["wrong_doubted"] = score.wrong_doubted();
  }
  return list;
}

Json tuning_json(const EvaluationResult& r) {
  Json splits = Json::array(), chosen = Json::array();
  std::map<std::string, std::size_t> counts;
  for (const TunedSettings& tuned : r.tuned) {
    const LeafSettings& s = tuned.settings;
    splits.push_back({{"order", s.order},
                      {"channels", channels_of(s)},
                      {"shrinkage", s.classifier.pipeline.plda.shrinkage},
                      {"k", s.classifier.k},
                      {"cross_validated_top1", tuned.accuracy}});
    ++counts[describe(tuned, r.tuning)];
  }
  for (const auto& [settings, count] : counts) {
    chosen.push_back({{"settings", settings}, {"splits", count}});
  }
  sort_by(chosen, "splits");
  return {{"description", describe(r.tuning, r.layout, r.classifier)},
          {"splits", splits},
          {"chosen", chosen}};
}

Json preparation_json(const LeafConfig& config) {
  const PrepareSpec p = preparation_for(config, config.data.source_aspect);
  Json json = {{"geometry", name_of(p.geometry)},
               {"size", p.size},
               {"area", p.area},
               {"stalks_cut", p.petiole == Petiole::kCut}};
  if (p.source_aspect > 0) json["squeezed_from"] = aspect_text(p.source_aspect);
  return json;
}

// How sure the predictions are, and whether they may be.
void add_words(const EvaluationResult& r, Json& json) {
  if (r.reliability.empty()) return;
  add_reliability(r.reliability, json);
  json["words"] = words_document(r.words, r.predictions.size());
  if (r.unknown_predictions.empty()) return;
  for (std::size_t w = 0; w < kWords; ++w) {
    const std::string word(name_of(static_cast<Word>(w)));
    json["unknown_words"][word] = r.unknown_words[w].predictions;
    json["held_back"]["words"][word] = r.unknown_words[w].share(r.unknown_predictions.size());
  }
}

// The leaves of classes held back, of which the first split holds back `classes`.
void add_held_back(const EvaluationResult& r, Json& json) {
  if (r.unknown_predictions.empty()) return;
  std::set<int> classes;
  for (const TestPrediction& prediction : r.unknown_predictions) {
    if (prediction.split == r.unknown_predictions.front().split) classes.insert(prediction.truth);
  }
  json["held_back"]["classes"] = classes.size();
  json["held_back"]["predictions"] = r.unknown_predictions.size();
  for (const Json& point : json["rejection"]) {
    if (percent(point["answered"].get<double>()) == "95.00") json["held_back"]["at_95"] = point;
  }
}

Json published_json(const PublishedPoint& point) {
  return {{"order", point.order}, {"top1", point.percent / 100.0}};
}

// The sweep, and the published figures beside it.
void add_sweep(const LeafSweep& sweep, Json& json) {
  json["sweep"] = sweep_json(sweep);
  if (sweep.config.data.source != DataSource::kFlavia) return;
  for (const PublishedPoint& point : published_sweep()) {
    json["published_sweep"].push_back(published_json(point));
  }
}

void add_curves(const LeafStudy& study, Json& json) {
  Json seconds = Json::object();
  if (study.sweep) {
    add_sweep(*study.sweep, json);
    seconds["order sweep"] = study.sweep->times.back().seconds;
  }
  if (study.learning) {
    json["learning_curve"] = learning_json(*study.learning);
    seconds["learning curve"] = study.learning->seconds;
  }
  if (study.perturbed) {
    json["perturbed"] = {{"seed", study.perturbed->seed},
                         {"training_leaves", study.perturbed->training_leaves},
                         {"leaves", perturbed_json(study.perturbed->leaves)},
                         {"leafless", perturbed_json(study.perturbed->leafless)}};
    seconds["perturbed pictures"] = study.perturbed->seconds;
  }
  json["seconds_of_curves"] = std::move(seconds);
}

Json times_json(std::span<const StageTime> times) {
  Json json = Json::object();
  for (const StageTime& time : times) json[time.stage] = time.seconds;
  return json;
}

}  // namespace

Json sweep_document(const LeafSweep& sweep) {
  Json json = {{"configuration", sweep.config.name},
               {"data", sweep.data_description},
               {"protocol", protocol_json(sweep.config.protocol)},
               {"features", describe(sweep.config.features)},
               {"classifier", describe(sweep.config.classifier)},
               {"tuned", sweep.tuned},
               {"seconds", times_json(sweep.times)}};
  add_sweep(sweep, json);
  return json;
}

Json evaluation_document(const LeafStudy& study) {
  const LeafEvaluation& e = study.evaluation;
  const EvaluationResult& r = e.result;
  const Json pairs = pairs_json(r);
  Json json;
  json["format"] = "leafglyph-evaluation";
  json["version"] = 1;
  json["configuration"] = e.config.name;
  json["resolved_configuration"] = to_yaml(e.config);
  json["data"] = e.data_description;
  json["drawn"] = e.config.data.source == DataSource::kGenerated;
  json["flavia"] = e.config.data.source == DataSource::kFlavia;
  json["protocol"] = protocol_json(r.protocol);
  if (!r.tuned.empty()) json["tuning"] = tuning_json(r);
  json["preparation"] = preparation_json(e.config);
  json["features"] = describe(e.config.features);
  json["columns"] = r.layout.columns();
  json["dropped_columns"] = r.dropped_columns;
  json["classifier"] = describe(r.fitted);
  json["outlier_score"] = describe_outlier_score(r.fitted);
  json["leaves"] = e.dataset.samples.size();
  json["predictions"] = r.predictions.size();
  json["wrong_leaves"] = mistaken_leaves(r).size();
  json["top1"] = summary_json(r.top1);
  json["top1"]["interval"] = interval_json(r.interval);
  json["top3"] = summary_json(r.top3);
  json["top5"] = summary_json(r.top5);
  json["macro"] = summary_json(r.macro);
  if (const PublishedPoint* published = published_for(e.config)) {
    json["published"] = published_json(*published);
  }
  if (r.classifier.answered_share < 1.0) json["answered_share"] = r.classifier.answered_share;
  json["answered"] = summary_json(r.answered);
  json["answered_correct"] = summary_json(r.answered_correct);
  json["rejected"] = summary_json(r.rejected);
  json["rejection"] = rejection_json(r);
  add_held_back(r, json);
  add_words(r, json);
  add_curves(study, json);
  json["splits"] = splits_json(r);
  json["classes"] = classes_json(r, pairs);
  json["confused_pairs"] = pairs;
  json["confusion"] = confusion_json(r);
  json["mistakes"] = mistakes_json(e);
  json["errors"] = e.errors;
  json["warnings"] = e.warnings;
  json["seconds"] = times_json(e.times);
  return json;
}

}  // namespace leafglyph
