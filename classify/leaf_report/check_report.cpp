#include "classify/leaf_report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "classify/leaf/unknown_share.h"
#include "features/base/text.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// "12 of each species", "2 to 59 of a species; fewest: oak 2, elm 3, ash 3".
std::string photographs_line(const TrainedLeaves& trained) {
  const std::vector<CheckedClass>& classes = trained.check.classes;
  std::vector<std::size_t> order(classes.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return classes[c].leaves; });
  const std::size_t fewest = classes[order.front()].leaves, most = classes[order.back()].leaves;
  if (fewest == most) return fmt::format("{} of each species", fewest);
  constexpr std::size_t kNamed = 3;
  std::string text = fmt::format("{} to {} of a species; fewest:", fewest, most);
  for (std::size_t i = 0; i < std::min(kNamed, order.size()); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", trained.model.class_names[order[i]],
                        classes[order[i]].leaves);
  }
  return text;
}

std::string more_line(const MorePhotographs& more) {
  const auto right = [&](int leaves) { return 100 * more.forecast.accuracy(leaves); };
  return fmt::format("with {} photographs of each species about {:.1f} %, with {} about {:.1f} %",
                     2 * more.now, right(2 * more.now), 4 * more.now, right(4 * more.now));
}

Json json_of(const LookAt& look, const TrainedLeaves& trained) {
  Json json = {{"what", std::string(name_of(look.look))}, {"text", look.text}};
  if (look.row) json["leaf"] = trained.model.sample_names[*look.row];
  return json;
}

}  // namespace

std::string check_text(const TrainedLeaves& trained, std::size_t most) {
  const LeafCheck& check = trained.check;
  std::string text = "right          " + accuracy_in_words(check.accuracy) + "\n" +
                     "unknown        " + unknown_in_words(trained.model) + "\n" +
                     "photographs    " + photographs_line(trained) + "\n";
  if (check.more) text += "more           " + more_line(*check.more) + "\n";
  if (check.look.empty()) return escape_bytes(text);
  text += fmt::format("look at        {} photograph{}\n", check.look.size(),
                      check.look.size() == 1 ? "" : "s");
  std::optional<Look> heading;
  for (std::size_t i = 0; i < std::min(most, check.look.size()); ++i) {
    if (heading != check.look[i].look) {
      heading = check.look[i].look;
      text += "  " + std::string(name_of(*heading)) + "\n";
    }
    text += "    " + check.look[i].text + "\n";
  }
  if (most < check.look.size()) {
    text += fmt::format("  and {} more, which leaf check --report shows with their pictures\n",
                        check.look.size() - most);
  }
  return escape_bytes(text);
}

std::string check_json(const TrainedLeaves& trained) {
  const LeafCheck& check = trained.check;
  const Interval interval = check.accuracy.interval();
  Json json = {{"data", trained.data_description},
               {"right", check.accuracy.right},
               {"tested", check.accuracy.tested},
               {"folds", check.accuracy.folds},
               {"share", check.accuracy.share()},
               {"low", interval.low},
               {"high", interval.high},
               {"species", Json::array()},
               {"look_at", Json::array()}};
  if (const auto& unknown = trained.model.history.unknown) {
    json["unknown"] = unknown_json<Json>(*unknown);
  }
  const std::vector<std::string>& names = trained.model.class_names;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const CheckedClass& of_class = check.classes[c];
    Json species = {{"name", names[c]},
                    {"photographs", of_class.leaves},
                    {"tested", of_class.tested},
                    {"right", of_class.right}};
    if (of_class.taken_for >= 0) {
      species["taken_for"] = names[static_cast<std::size_t>(of_class.taken_for)];
    }
    json["species"].push_back(std::move(species));
  }
  for (const LookAt& look : check.look) json["look_at"].push_back(json_of(look, trained));
  if (check.more) {
    json["more"] = Json::array();
    for (const int times : {1, 2, 4}) {
      const int leaves = times * check.more->now;
      json["more"].push_back(
          {{"photographs", leaves}, {"right", check.more->forecast.accuracy(leaves)}});
    }
  }
  return json_text(json) + "\n";
}

}  // namespace leafglyph
