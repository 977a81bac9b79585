#include "classify/leaf/model_history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

std::vector<double> typical_in(const Json& json) {
  std::vector<double> ratios;
  for (const Json& ratio : json) ratios.push_back(ratio.get<double>());
  if (ratios.size() != kTypicalShares.size() || !std::ranges::is_sorted(ratios)) {
    throw UsageError("how typical the leaves of a class are is not in order");
  }
  return ratios;
}

std::vector<CheckedClass> checked_classes_in(const Json& json, std::size_t classes) {
  std::vector<CheckedClass> checked;
  for (const Json& of_class : json) {
    checked.push_back({integer_at<std::size_t>(of_class, "leaves"),
                       integer_at<std::size_t>(of_class, "tested"),
                       integer_at<std::size_t>(of_class, "right")});
    if (of_class.contains("taken_for")) {
      checked.back().taken_for = number_below(of_class.at("taken_for"), classes);
    }
    if (of_class.contains("typical")) checked.back().typical = typical_in(of_class.at("typical"));
  }
  if (checked.size() != classes) throw UsageError("a class was not checked");
  return checked;
}

}  // namespace

std::string date_now() {
  std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (const char* build = std::getenv("SOURCE_DATE_EPOCH")) {
    now = number_in<std::int64_t>(build).value_or(now);
  }
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

int number_below(const Json& value, std::size_t count) {
  if (!value.is_number_integer() || value < Json(0) || value >= Json(count)) {
    throw UsageError(fmt::format("{} is not one of the {} classes or leaves", value.dump(), count));
  }
  return value.get<int>();
}

double share_at(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1)) {
    throw UsageError(fmt::format("{} {} is not a share", key, value.dump()));
  }
  return value.get<double>();
}

Json history_json(const ModelHistory& history) {
  Json json = {{"date", history.date}, {"data", history.data}, {"added", Json::array()}};
  if (history.accuracy) {
    json["cross_validation"] = {{"right", history.accuracy->right},
                                {"tested", history.accuracy->tested},
                                {"folds", history.accuracy->folds}};
  }
  if (history.unknown) {
    json["unknown"] = {{"unknown", history.unknown->unknown},
                       {"leaves", history.unknown->leaves},
                       {"species", history.unknown->species},
                       {"groups", history.unknown->groups}};
  }
  for (const CheckedClass& of_class : history.classes) {
    Json checked = {
        {"leaves", of_class.leaves}, {"tested", of_class.tested}, {"right", of_class.right}};
    if (of_class.taken_for >= 0) checked["taken_for"] = of_class.taken_for;
    if (!of_class.typical.empty()) checked["typical"] = of_class.typical;
    json["classes"].push_back(std::move(checked));
  }
  if (history.colour) {
    json["colour"] = {{"with", history.colour->with}, {"without", history.colour->without}};
  }
  if (history.drawn) json["drawn"] = true;
  for (const AddedLeaves& added : history.added) {
    json["added"].push_back({{"date", added.date},
                             {"species", added.species},
                             {"leaves", added.leaves},
                             {"data", added.data}});
    if (added.corrected > 0) json["added"].back()["corrected"] = added.corrected;
  }
  for (const RenamedModel& renamed : history.renamed) {
    json["renamed"].push_back({{"date", renamed.date}, {"from", renamed.from}, {"to", renamed.to}});
  }
  escape_strings(json);
  return json;
}

ModelHistory history_in(const Json& json, std::size_t classes) {
  ModelHistory history;
  history.date = string_of(json.at("date"));
  history.data = string_of(json.at("data"));
  if (json.contains("cross_validation")) {
    const Json& share = json.at("cross_validation");
    history.accuracy = {integer_at<std::size_t>(share, "right"),
                        integer_at<std::size_t>(share, "tested"), integer_at<int>(share, "folds")};
  }
  if (json.contains("unknown")) {
    const Json& share = json.at("unknown");
    history.unknown = {integer_at<std::size_t>(share, "unknown"),
                       integer_at<std::size_t>(share, "leaves"), integer_at<int>(share, "species"),
                       integer_at<int>(share, "groups")};
  }
  if (json.contains("classes")) history.classes = checked_classes_in(json.at("classes"), classes);
  if (json.contains("colour")) {
    const Json& colour = json.at("colour");
    history.colour = {share_at(colour, "with"), share_at(colour, "without")};
  }
  if (json.contains("drawn")) history.drawn = json.at("drawn").get<bool>();
  for (const Json& added : json.at("added")) {
    history.added.push_back({string_of(added.at("date")), string_of(added.at("species")),
                             integer_at<std::size_t>(added, "leaves"),
                             string_of(added.at("data"))});
    if (added.contains("corrected")) {
      history.added.back().corrected = integer_at<std::size_t>(added, "corrected");
    }
  }
  if (json.contains("renamed")) {
    for (const Json& renamed : json.at("renamed")) {
      history.renamed.push_back({string_of(renamed.at("date")), string_of(renamed.at("from")),
                                 string_of(renamed.at("to"))});
    }
  }
  return history;
}

}  // namespace leafglyph
