
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/unknown_share.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

PageValues pictures_of(const LeafModel& model) {
  std::size_t count = 0, bytes = 0;
  for (std::size_t leaf = 0; leaf < model.pictures.size(); ++leaf) {
    const SmallPicture picture = model.pictures[leaf];
    count += !picture.jpeg.empty();
    bytes += picture.jpeg.size();
  }
  return {{"count", count},
          {"bytes", bytes},
          {"leaves", model.pictures.size()},
          {"longer_side", kModelPictureSide},
          {"kilobytes", static_cast<double>(bytes) / 1000.0}};
}

std::string refusal(const LeafModel& model) {
  if (std::isinf(model.classifier.threshold())) return "every leaf is given a name";
  return fmt::format("by the {}, so that {:g} % of known leaves are answered",
                     describe_outlier_score(model.classifier.spec()),
                     100 * model.classifier.spec().answered_share);
}

}  // namespace

std::string accuracy_in_words(const CrossValidatedShare& accuracy) {
  if (accuracy.tested == 0) return "not measured: with one species there is nothing to mistake";
  const Interval interval = accuracy.interval();
  return fmt::format("{} % of {} training leaves, by {} folds (95 % interval {} to {} %)",
                     percent(accuracy.share()), accuracy.tested, accuracy.folds,
                     percent(interval.low), percent(interval.high));
}

std::string size_in_words(std::uint64_t bytes, std::size_t leaves) {
  if (bytes == 0) return "not saved";
  const auto size = static_cast<double>(bytes);
  return fmt::format("{:.1f} MB, {:.1f} KB per leaf", size / 1e6,
                     size / 1e3 / static_cast<double>(leaves));
}

std::string unknown_in_words(const LeafModel& model) {
  return in_words(model.history.unknown, model.class_names.size(),
                  !std::isinf(model.classifier.threshold()));
}

std::string words_in_words(const WordLimits& limits) {
  if (limits == WordLimits{}) return "";
  const auto from = [](const char* word, double limit) {
    return limit > 1 ? fmt::format("never {}", word)
                     : fmt::format("{} from {:.1f} %", word, 100 * limit);
  };
  return fmt::format("{}, {}: at most {:g} and {:g} % of leaves of other species reach that",
                     from("sure", limits.sure), from("likely", limits.likely),
                     100 * NearestClassifier::kStrangersSure,
                     100 * NearestClassifier::kStrangersLikely);
}

PageValues model_document(const LeafModel& model) {
  const ModelHistory& past = model.history;
  std::vector<std::size_t> leaves(model.class_names.size(), 0);
  for (const int label : model.classifier.labels()) ++leaves[static_cast<std::size_t>(label)];
  PageValues species = PageValues::array(), added = PageValues::array();
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    species.push_back({{"name", model.class_names[c]},
                       {"scientific_name", model.scientific_names[c]},
                       {"chinese_name", model.chinese_names[c]},
                       {"photographs", leaves[c]}});
  }
  for (const AddedLeaves& more : past.added) {
    added.push_back({{"date", more.date},
                     {"species", more.species},
                     {"photographs", more.leaves},
                     {"data", more.data}});
  }
  PageValues json = {
      {"trained", past.date}, {"data", past.data}, {"drawn", past.drawn}, {"added", added}};
  if (past.accuracy) {
    const Interval interval = past.accuracy->interval();
    json["accuracy"] = {{"right", past.accuracy->right},
                        {"tested", past.accuracy->tested},
                        {"folds", past.accuracy->folds},
                        {"share", past.accuracy->share()},
                        {"low", interval.low},
                        {"high", interval.high},
                        {"in_words", accuracy_in_words(*past.accuracy)}};
  }
  if (past.unknown) json["unknown"] = unknown_json<PageValues>(*past.unknown);
  json["unknown_in_words"] = unknown_in_words(model);
  if (const std::string words = words_in_words(model.classifier.limits()); !words.empty()) {
    json["words"] = words;
  }
  json["refusal"] = refusal(model);
  json["features"] = describe(model.config.features);
  json["columns"] = model.features.layout().columns();
  json["classifier"] = describe(model.classifier.spec());
  json["pictures"] = pictures_of(model);
  json["bytes"] = model.bytes;
  json["size"] = size_in_words(model.bytes, model.sample_names.size());
  json["needs_colour"] = model.config.features.colour == FeatureColour::kLab;
  if (past.colour) {
    json["colour"] = {{"right_with", past.colour->with},
                      {"right_without", past.colour->without},
                      {"in_words", in_words(*past.colour)}};
  }
  json["format"] = kModel.version;
  json["written_by"] = past.written_by;
  json["species"] = std::move(species);
  json["configuration"] = to_yaml(model.config);
  return json;
}

std::string model_text(const PageValues& document) {
  return escape_bytes(filled_text(model_lines(), {}, document)) + "\n";
}

}  // namespace leafglyph
