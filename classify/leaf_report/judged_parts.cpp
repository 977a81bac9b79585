#include "classify/leaf_report/judged_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "classify/leaf_report/curves.h"
#include "classify/leaf_report/report_assets.h"

namespace leafglyph {

PageValues words_document(const std::array<WordScore, kWords>& words, std::size_t predictions) {
  PageValues json;
  for (std::size_t w = 0; w < kWords; ++w) {
    json[std::string(name_of(static_cast<Word>(w)))] = {{"predictions", words[w].predictions},
                                                        {"right", words[w].right},
                                                        {"share", words[w].share(predictions)},
                                                        {"right_share", words[w].right_share()}};
  }
  return json;
}

void add_reliability(const Reliability& reliability, PageValues& document) {
  document["calibration_error"] = calibration_error(reliability);
  for (const ReliabilityBin& bin : reliability) {
    document["reliability"].push_back({{"predictions", bin.predictions},
                                       {"right", bin.right},
                                       {"probabilities", bin.probabilities}});
  }
}

void sort_by(PageValues& list, const char* count) {
  std::stable_sort(list.begin(), list.end(), [&](const PageValues& a, const PageValues& b) {
    return a[count].get<std::size_t>() > b[count].get<std::size_t>();
  });
}

std::string reliability_html(std::span<const PageValues> documents,
                             std::span<const std::string> names) {
  Curves curves("mean probability stated, %", "predictions that were right, %");
  for (std::size_t d = 0; d < documents.size(); ++d) {
    if (!documents[d].contains("reliability")) continue;
    curves.start(names[d], names[d]);
    const PageValues& bins = documents[d]["reliability"];
    for (std::size_t b = 0; b < bins.size(); ++b) {
      const auto count = bins[b]["predictions"].get<double>();
      if (count == 0) continue;
      const double right = bins[b]["right"].get<double>() / count;
      const Interval interval = wilson_interval(right, count, "");
      curves.add({100 * bins[b]["probabilities"].get<double>() / count, 100 * right,
                  100 * interval.low, 100 * interval.high},
                 static_cast<double>(100 * b / bins.size()),
                 bins[b]["right"].dump() + " of " + bins[b]["predictions"].dump());
    }
  }
  if (curves.plot.series.empty()) return "";
  curves.plot.series.push_back({"as stated", {{0, 0, {}, {}}, {100, 100, {}, {}}}, true});
  return curves.html(
      "The share of predictions that were right against the probability stated for them, in bins "
      "of a tenth. Above the dashed line the classifier knows more than it says. Bars: 95 % "
      "interval (Wilson).",
      "probability from, %");
}

std::string counts_in_words(std::span<const std::pair<std::string, std::size_t>> counts,
                            const std::string& noun) {
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::ranges::stable_sort(order, {}, &std::pair<std::string, std::size_t>::second);
  const std::size_t fewest = order.front().second, most = order.back().second;
  if (fewest == most) return fmt::format("{} of each {}", fewest, noun);
  constexpr std::size_t kNamed = 3;
  std::string text = fmt::format("{} to {} of a {}; fewest:", fewest, most, noun);
  for (std::size_t i = 0; i < std::min(kNamed, order.size()); ++i) {
    text += fmt::format("{} {} {}", i == 0 ? "" : ",", order[i].first, order[i].second);
  }
  return text;
}

PageValues look_groups(const PageValues& document, std::size_t most) {
  PageValues groups = PageValues::array();
  for (const PageValues& look : document["look_at"]) {
    if (most-- == 0) break;
    if (groups.empty() || groups.back()["name"] != look["what"]) {
      groups.push_back({{"name", look["what"]}, {"looks", PageValues::array()}});
    }
    groups.back()["looks"].push_back(look);
  }
  return groups;
}

std::string looks_text(const PageValues& document, std::size_t most, PageValues values) {
  const std::size_t looks = document["look_at"].size();
  if (looks == 0) return "";
  values["groups"] = look_groups(document, most);
  if (most < looks) values["others"] = looks - most;
  return "\n" + filled_text(look_lines(), values, document);
}

std::string looks_html(PageValues groups) {
  return filled_template(report_look(), {{"groups", std::move(groups)}});
}

}  // namespace leafglyph
