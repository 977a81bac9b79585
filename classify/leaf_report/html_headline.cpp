#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "classify/leaf_report/html_report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

double top1_of(const PageValues& measured) { return measured["top1"].get<double>(); }

// The left end of a line up to 1 on which accuracies are marked.
double scale_for(std::span<const PageValues> documents) {
  double low = 1.0;
  for (const PageValues& document : documents) {
    low = std::min(low, document["top1"]["interval"]["low"].get<double>());
    for (const PageValues& split : document["splits"]) low = std::min(low, top1_of(split));
    if (document.contains("published")) low = std::min(low, top1_of(document["published"]));
  }
  constexpr double kStep = 0.05;
  return std::clamp(std::floor(low / kStep - 0.2) * kStep, 0.0, 1.0 - kStep);
}

PageValues tracks(std::span<const PageValues> documents, double scale) {
  const auto position = [&](const PageValues& share) {
    const double at = (share.get<double>() - scale) / (1.0 - scale);
    return percent(std::clamp(at, 0.0, 1.0)) + "%";
  };
  PageValues list = PageValues::array();
  for (const PageValues& document : documents) {
    const PageValues &top1 = document["top1"], &interval = top1["interval"];
    list.push_back({{"name", study_name(documents, document)},
                    {"mean", top1["mean"]},
                    {"bar", interval},
                    {"marks", PageValues::array()},
                    {"dot", "dot"},
                    {"at", position(top1["mean"])}});
    list.back()["bar"]["left"] = position(interval["low"]);
    list.back()["bar"]["right"] = position(interval["high"]);
    if (document["splits"].size() == 1) continue;
    for (const PageValues& split : document["splits"]) {
      list.back()["marks"].push_back(position(split["top1"]));
    }
  }
  const PageValues& first = documents.front();
  if (!first.contains("published")) return list;
  const PageValues& published = first["published"];
  list.push_back({{"name", "published, order " + published["order"].dump()},
                  {"mean", published["top1"]},
                  {"dot", "dot published"},
                  {"at", position(published["top1"])}});
  return list;
}

}  // namespace

std::string headline_html(std::span<const PageValues> documents) {
  const double scale = scale_for(documents);
  return filled_template(report_headline(),
                         {{"tracks", tracks(documents, scale)}, {"lowest", scale}},
                         documents.front());
}

std::string measured_html(std::span<const PageValues> documents) {
  PageValues beside = nullptr;
  for (const PageValues& document : documents) {
    if (documents.size() < 2) break;
    PageValues& shown = beside["studies"].emplace_back();
    for (const char* key : {"configuration", "features", "classifier", "data", "protocol", "top1",
                            "top3", "top5", "splits"}) {
      shown[key] = document[key];
    }
  }
  return filled_template(report_measured(), {{"beside", std::move(beside)}}, documents.front());
}

}  // namespace leafglyph
