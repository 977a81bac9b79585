
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/leaf/colour_choice.h"
#include "classify/leaf/unknown_share.h"
#include "classify/leaf_report/report.h"
#include "features/base/text.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::size_t> leaves_of_classes(const LeafModel& model) {
  std::vector<std::size_t> leaves(model.class_names.size(), 0);
  for (const int label : model.classifier.labels()) ++leaves[static_cast<std::size_t>(label)];
  return leaves;
}

struct Pictures {
  std::size_t count = 0, bytes = 0;
};

Pictures pictures_of(const LeafModel& model) {
  Pictures all;
  for (std::size_t leaf = 0; leaf < model.pictures.size(); ++leaf) {
    const SmallPicture picture = model.pictures[leaf];
    all.count += !picture.jpeg.empty();
    all.bytes += picture.jpeg.size();
  }
  return all;
}

std::string or_unknown(const std::string& text) { return text.empty() ? "not recorded" : text; }

bool needs_colour(const LeafModel& model) {
  return model.config.features.colour == FeatureColour::kLab;
}

std::string needed(const LeafModel& model) {
  const std::string choice =
      model.history.colour ? " (chosen: " + in_words(*model.history.colour) + ")" : "";
  return (needs_colour(model) ? "colour photographs" : "grey or colour photographs") + choice;
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

std::string model_text(const LeafModel& model) {
  const ModelHistory& past = model.history;
  const Pictures pictures = pictures_of(model);
  const std::vector<std::size_t> leaves = leaves_of_classes(model);
  std::string text = fmt::format(
      "trained        {}\n"
      "data           {}\n",
      or_unknown(past.date), or_unknown(past.data));
  if (past.drawn) text += "               drawn leaves only: the model knows no real plant\n";
  for (const AddedLeaves& added : past.added) {
    text += fmt::format("added          {}: {} of {}, from {}\n", added.date, added.leaves,
                        added.species, added.data);
  }
  text += fmt::format(
      "right          {}\n"
      "features       {}: {} columns\n"
      "needs          {}\n"
      "classifier     {}\n"
      "unknown        {}\n"
      "               {}\n"
      "pictures       {} of {} leaves, the longer side {} pixels, {:.1f} KB\n"
      "size           {}\n"
      "format         version {}, written by LeafGlyph {}\n\n",
      past.accuracy ? accuracy_in_words(*past.accuracy) : or_unknown(""),
      describe(model.config.features), model.features.layout().columns(), needed(model),
      describe(model.classifier.spec()), refusal(model), unknown_in_words(model), pictures.count,
      model.pictures.size(), kModelPictureSide, static_cast<double>(pictures.bytes) / 1000.0,
      size_in_words(model.bytes, model.sample_names.size()), kModel.version, past.written_by);
  text += "photographs  species\n";
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    const std::string& scientific = model.scientific_names[c];
    text += fmt::format("{:11}  {}{}\n", leaves[c], model.class_names[c],
                        scientific.empty() ? "" : " (" + scientific + ")");
  }
  return escape_bytes(text);
}

std::string model_json(const LeafModel& model) {
  const ModelHistory& past = model.history;
  const std::vector<std::size_t> leaves = leaves_of_classes(model);
  Json species = Json::array();
  for (std::size_t c = 0; c < leaves.size(); ++c) {
    species.push_back({{"name", model.class_names[c]},
                       {"scientific_name", model.scientific_names[c]},
                       {"chinese_name", model.chinese_names[c]},
                       {"photographs", leaves[c]}});
  }
  Json added = Json::array();
  for (const AddedLeaves& more : past.added) {
    added.push_back({{"date", more.date},
                     {"species", more.species},
                     {"photographs", more.leaves},
                     {"data", more.data}});
  }
  Json json = {
      {"trained", past.date}, {"data", past.data}, {"drawn", past.drawn}, {"added", added}};
  if (past.accuracy) {
    const Interval interval = past.accuracy->interval();
    json["accuracy"] = {{"right", past.accuracy->right}, {"tested", past.accuracy->tested},
                        {"folds", past.accuracy->folds}, {"share", past.accuracy->share()},
                        {"low", interval.low},           {"high", interval.high}};
  }
  if (past.unknown) json["unknown"] = unknown_json<Json>(*past.unknown);
  const Pictures pictures = pictures_of(model);
  json["pictures"] = {{"count", pictures.count}, {"bytes", pictures.bytes}};
  json["bytes"] = model.bytes;
  json["needs_colour"] = needs_colour(model);
  if (past.colour) {
    json["colour"] = {{"right_with", past.colour->with}, {"right_without", past.colour->without}};
  }
  json["format"] = kModel.version;
  json["written_by"] = past.written_by;
  json["species"] = std::move(species);
  json["configuration"] = to_yaml(model.config);
  return json_text(json) + "\n";
}

}  // namespace leafglyph
