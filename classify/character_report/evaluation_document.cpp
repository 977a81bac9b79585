#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/character/known_lookalikes.h"
#include "classify/character_report/character_assets.h"
#include "classify/character_report/character_report.h"
#include "classify/leaf_report/judged_parts.h"
#include "datasets/glyph/character_code.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = PageValues;
using Tests = std::vector<const TestedCharacter*>;

constexpr std::size_t kConfusionsShown = 10;

double share(std::size_t part, std::size_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

Json score_json(const CharacterScore& score) {
  return {{"pictures", score.pictures},
          {"right", score.right},
          {"top1", share(score.right, score.pictures)},
          {"top5", share(score.among_five, score.pictures)},
          {"words", words_document(score.words, score.pictures)}};
}

Json groups_json(const TestedCharacters& tested) {
  std::vector<std::string> names;
  std::map<std::string, std::pair<Tests, Tests>> groups;  // known to the model or not
  for (const TestedCharacter& test : tested.tests) {
    const auto [at, is_new] = groups.try_emplace(test.group);
    if (is_new) names.push_back(test.group);
    (test.is_known ? at->second.first : at->second.second).push_back(&test);
  }
  Json list = Json::array();
  for (const std::string& name : names) {
    const auto& [known, outside] = groups.at(name);
    list.push_back({{"name", name}});
    if (!known.empty()) list.back()["known"] = score_json(score_of(known));
    if (!outside.empty()) list.back()["outside"] = score_json(score_of(outside));
  }
  return list;
}

Json model_json(const CharacterModel& model) {
  return {{"characters", model.characters.size()},
          {"styles", model.styles},
          {"trained", model.history.date},
          {"written_by", model.history.version}};
}

// Pairs of a character and another that it was taken for, the most frequent first.
Json confusions_json(const Tests& known) {
  std::map<std::pair<char32_t, char32_t>, std::size_t> counts;
  std::map<char32_t, std::size_t> tests;
  for (const TestedCharacter* test : known) {
    ++tests[test->truth];
    if (!test->is_right()) ++counts[{test->truth, test->prediction.ranking.front().character}];
  }
  std::vector<std::pair<char32_t, char32_t>> pairs;
  for (const auto& [pair, count] : counts) pairs.push_back(pair);
  const std::vector<double> scores = KnownLookalikes().scores(pairs);
  Json list = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [truth, prediction] = pairs[i];
    list.push_back({{"truth", encode_utf8(truth)},
                    {"truth_code", unicode_name(truth)},
                    {"prediction", encode_utf8(prediction)},
                    {"prediction_code", unicode_name(prediction)},
                    {"count", counts.at(pairs[i])},
                    {"tests", tests.at(truth)},
                    {"lookalike_score", scores[i]},
                    {"lookalikes", scores[i] >= kLookalikeFrom}});
  }
  sort_by(list, "count");
  return list;
}

Json characters_json(const Tests& known, const Json& confusions) {
  std::map<char32_t, Tests> by_character;
  for (const TestedCharacter* test : known) by_character[test->truth].push_back(test);
  std::map<std::string, const Json*> most;
  for (const Json& pair : confusions) most.try_emplace(pair["truth"].get<std::string>(), &pair);
  Json list = Json::array();
  for (const auto& [character, tests] : by_character) {
    const CharacterScore score = score_of(tests);
    const std::string text = encode_utf8(character);
    list.push_back({{"character", text},
                    {"code", unicode_name(character)},
                    {"tests", score.pictures},
                    {"right", score.right},
                    {"among_five", score.among_five},
                    {"recall", share(score.right, score.pictures)}});
    if (!most.contains(text)) continue;
    list.back()["most_taken_for"] = {{"character", (*most[text])["prediction"]},
                                     {"count", (*most[text])["count"]}};
  }
  return list;
}

Json mistakes_json(const Tests& known) {
  Json list = Json::array();
  for (const TestedCharacter* test : known) {
    if (test->is_right()) continue;
    const auto& first = test->prediction.ranking.front();
    list.push_back({{"picture", test->name},
                    {"group", test->group},
                    {"truth", encode_utf8(test->truth)},
                    {"prediction", encode_utf8(first.character)},
                    {"probability", first.probability},
                    {"word", name_of(*test->prediction.decision.word())}});
    if (const auto place = test->place()) list.back()["place"] = *place + 1;
  }
  return list;
}

Reliability reliability_of_tests(const Tests& known) {
  std::vector<double> probabilities;
  std::vector<std::uint8_t> right;
  for (const TestedCharacter* test : known) {
    probabilities.push_back(test->prediction.ranking.front().probability);
    right.push_back(test->is_right() ? 1 : 0);
  }
  return reliability_of(probabilities, right);
}

void add_known(const Tests& known, Json& json) {
  const CharacterScore score = score_of(known);
  const Interval interval =
      wilson_interval(share(score.right, score.pictures), static_cast<double>(score.pictures),
                      counted(score.pictures, "picture", "pictures"));
  json.update(score_json(score));
  json["interval"] = {{"low", interval.low}, {"high", interval.high}, {"method", interval.method}};
  add_reliability(reliability_of_tests(known), json);
  json["confused_pairs"] = confusions_json(known);
  std::size_t wrong = 0, alike = 0;
  for (const Json& pair : json["confused_pairs"]) {
    wrong += pair["count"].get<std::size_t>();
    if (pair["lookalikes"].get<bool>()) alike += pair["count"].get<std::size_t>();
  }
  json["wrong"] = wrong;
  json["wrong_by_lookalikes"] = alike;
  json["characters"] = characters_json(known, json["confused_pairs"]);
  json["mistakes"] = mistakes_json(known);
}

}  // namespace

Json character_evaluation_document(const CharacterModel* model, const TestedCharacters& tested,
                                   const std::string& data) {
  if (tested.tests.empty()) throw UsageError("no picture could be tested");
  Tests known, outside;
  for (const TestedCharacter& test : tested.tests) {
    (test.is_known ? known : outside).push_back(&test);
  }
  Json json = {{"format", "leafglyph-character-evaluation"},
               {"version", 1},
               {"data", data},
               {"tests", tested.tests.size()}};
  if (model != nullptr) json["model"] = model_json(*model);
  if (!known.empty()) add_known(known, json);
  if (!outside.empty()) json["outside"] = score_json(score_of(outside));
  json["groups"] = groups_json(tested);
  json["errors"] = tested.errors;
  return json;
}

std::string character_evaluation_text(const Json& document) {
  Json pairs = document.value("confused_pairs", Json::array());
  if (pairs.size() > kConfusionsShown) pairs.erase(pairs.begin() + kConfusionsShown, pairs.end());
  std::size_t width = 5;
  for (const Json& group : document["groups"]) {
    width = std::max(width, group["name"].get_ref<const std::string&>().size());
  }
  return escape_bytes(filled_text(
             character_evaluation_lines(),
             {{"pairs_shown", std::move(pairs)}, {"width", width}, {"group", "style"}}, document)) +
         "\n";
}

Table character_evaluation_table(const Json& document) {
  Table table("character:text code:text tests right among_five most_taken_for:text taken_for_it");
  for (const Json& of : document.value("characters", Json::array())) {
    table.add(of["character"].get<std::string>(), of["code"].get<std::string>(),
              of["tests"].get<std::size_t>(), of["right"].get<std::size_t>(),
              of["among_five"].get<std::size_t>());
    if (of.contains("most_taken_for")) {
      table.add(of["most_taken_for"]["character"].get<std::string>(),
                of["most_taken_for"]["count"].get<std::size_t>());
    } else {
      table.add("", std::size_t{0});
    }
  }
  return table;
}

}  // namespace leafglyph
