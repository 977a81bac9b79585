#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/leaf/unknown_share.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = PageValues;

std::string photographs_line(const Json& species) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const Json& of : species) {
    counts.emplace_back(of["name"].get<std::string>(), of["photographs"].get<std::size_t>());
  }
  return counts_in_words(counts, "species");
}

Json species_json(const std::string& name, const CheckedClass& of_class,
                  const std::vector<std::string>& names) {
  Json json = {{"name", name},
               {"photographs", of_class.leaves},
               {"tested", of_class.tested},
               {"right", of_class.right},
               {"share", of_class.tested == 0 ? 0.0
                                              : static_cast<double>(of_class.right) /
                                                    static_cast<double>(of_class.tested)}};
  if (of_class.taken_for >= 0) {
    json["taken_for"] = names[static_cast<std::size_t>(of_class.taken_for)];
  }
  return json;
}

void add_more(const MorePhotographs& more, Json& json) {
  for (const int times : {1, 2, 4}) {
    const int leaves = times * more.now;
    json["more"].push_back({{"photographs", leaves}, {"right", more.forecast.accuracy(leaves)}});
  }
  for (const LearningPoint& point : more.curve.points) {
    json["learning_curve"].push_back(
        {{"photographs", point.leaves},
         {"right", {{"mean", point.top1.mean}, {"standard_deviation", point.top1.deviation}}}});
  }
}

}  // namespace

Json check_document(const LeafModel& model) {
  const LeafCheck check = model.check();
  const CrossValidatedShare& accuracy = *model.history.accuracy;
  const Interval interval = accuracy.interval();
  Json json = {{"data", model.history.data},
               {"right", accuracy.right},
               {"tested", accuracy.tested},
               {"folds", accuracy.folds},
               {"share", accuracy.share()},
               {"low", interval.low},
               {"high", interval.high},
               {"right_in_words", accuracy_in_words(accuracy)},
               {"unknown_in_words", unknown_in_words(model)},
               {"species", Json::array()},
               {"look_at", Json::array()}};
  if (const std::string words = words_in_words(model.classifier.limits()); !words.empty()) {
    json["words"] = words;
  }
  if (const auto& unknown = model.history.unknown) {
    json["unknown"] = unknown_json<Json>(*unknown);
  }
  const std::vector<std::string>& names = model.class_names;
  for (std::size_t c = 0; c < names.size(); ++c) {
    json["species"].push_back(species_json(names[c], model.history.classes[c], names));
  }
  for (const LookAt& look : check.look) {
    json["look_at"].push_back({{"what", name_of(look.look)}, {"text", look.text}});
    if (look.row) {
      json["look_at"].back().update({{"leaf", model.sample_names[*look.row]}, {"row", *look.row}});
    }
  }
  if (check.more) add_more(*check.more, json);
  return json;
}

std::string check_text(const Json& document, std::size_t most) {
  return escape_bytes(
             filled_text(check_lines(), {{"photographs", photographs_line(document["species"])}},
                         document) +
             looks_text(document, most, {{"noun", "photograph"}, {"command", "leaf check"}})) +
         "\n";
}

}  // namespace leafglyph
