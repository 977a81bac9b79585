// A check as the text of a file, and back.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "classify/leaf/leaf_check.h"
#include "classify/leaf/model_history.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

Json more_json(const MorePhotographs& more) {
  Json points = Json::array();
  for (const LearningPoint& point : more.curve.points) {
    points.push_back({{"leaves", point.leaves},
                      {"right", point.top1.mean},
                      {"deviation", point.top1.deviation}});
  }
  return {{"now", more.now}, {"points", std::move(points)}};
}

MorePhotographs more_in(const Json& json, std::size_t leaves) {
  LearningCurve curve;
  std::size_t fewer = 0;
  for (const Json& point : json.at("points")) {
    LearningPoint read;
    read.leaves = integer_at<std::size_t>(point, "leaves");
    read.top1 = {share_at(point, "right"), share_at(point, "deviation")};
    if (read.leaves <= std::exchange(fewer, read.leaves)) {
      throw UsageError("the points of a learning curve are not in order");
    }
    curve.points.push_back(std::move(read));
  }
  if (curve.points.size() < 2) throw UsageError("a learning curve has fewer than two points");
  const LearningForecast forecast(curve.points, leaves);
  return {std::move(curve), forecast, integer_at<int>(json, "now")};
}

LookAt look_in(const Json& json, std::size_t leaves, std::size_t classes) {
  LookAt at{from_name<Look>(string_of(json.at("what"))), std::nullopt, string_of(json.at("text"))};
  if (json.contains("leaf")) {
    at.row = static_cast<std::size_t>(number_below(json.at("leaf"), leaves));
  }
  if (json.contains("looks_like")) at.looks_like = number_below(json.at("looks_like"), classes);
  return at;
}

}  // namespace

std::string check_json(const LeafCheck& check) {
  Json json = {{"look_at", Json::array()}, {"confusions", Json::array()}};
  for (const LookAt& at : check.look) {
    Json look = {{"what", name_of(at.look)}, {"text", at.text}};
    if (at.row) look["leaf"] = *at.row;
    if (at.looks_like) look["looks_like"] = *at.looks_like;
    json["look_at"].push_back(std::move(look));
  }
  for (const Confusion& pair : check.confusions) {
    json["confusions"].push_back(
        {{"class", pair.truth}, {"taken_for", pair.prediction}, {"leaves", pair.leaves}});
  }
  if (check.more) json["more"] = more_json(*check.more);
  return json_text(std::move(json));
}

LeafCheck check_in(const std::string& text, std::size_t leaves, std::size_t classes) {
  const Json json = Json::parse(text);
  LeafCheck check;
  for (const Json& at : json.at("look_at")) check.look.push_back(look_in(at, leaves, classes));
  for (const Json& pair : json.at("confusions")) {
    check.confusions.push_back({number_below(pair.at("class"), classes),
                                number_below(pair.at("taken_for"), classes),
                                integer_at<std::size_t>(pair, "leaves")});
  }
  if (json.contains("more")) check.more = more_in(json.at("more"), leaves);
  return check;
}

}  // namespace leafglyph
