#include "classify/leaf_report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/page_template.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr const char* kPlusMinus = " \xC2\xB1 ";

// A line from `low` to 1 on which accuracies are marked.
struct Scale {
  double low = 0;
  std::string position(double share) const {
    return percent(std::clamp((share - low) / (1.0 - low), 0.0, 1.0)) + "%";
  }
};

Scale scale_for(std::span<const LeafStudy> studies) {
  double low = 1.0;
  for (const LeafStudy& study : studies) {
    const EvaluationResult& r = study.evaluation.result;
    low = std::min(low, r.interval.low);
    for (const SplitScore& split : r.splits) low = std::min(low, split.top1);
    if (const PublishedPoint* published = published_for(study.evaluation.config)) {
      low = std::min(low, published->percent / 100.0);
    }
  }
  constexpr double kStep = 0.05;
  return {std::clamp(std::floor(low / kStep - 0.2) * kStep, 0.0, 1.0 - kStep)};
}

PageValues track(const EvaluationResult& r, const std::string& name, const Scale& scale) {
  PageValues marks = PageValues::array();
  if (r.splits.size() > 1) {
    for (const SplitScore& split : r.splits) marks.push_back(scale.position(split.top1));
  }
  return {{"name", name},
          {"figures", percent(r.top1.mean) + " % (" + percent(r.interval.low) + " to " +
                          percent(r.interval.high) + ")"},
          {"bar",
           {{"left", scale.position(r.interval.low)}, {"right", scale.position(r.interval.high)}}},
          {"marks", std::move(marks)},
          {"dot", "dot"},
          {"at", scale.position(r.top1.mean)}};
}

PageValues published_track(const PublishedPoint& point, const Scale& scale) {
  const double share = point.percent / 100.0;
  return {{"name", fmt::format("published, order {}", point.order)},
          {"figures", percent(share) + " % (one split)"},
          {"dot", "dot published"},
          {"at", scale.position(share)}};
}

PageValues tracks(std::span<const LeafStudy> studies, const Scale& scale) {
  PageValues list = PageValues::array();
  for (const LeafStudy& study : studies) {
    list.push_back(track(study.evaluation.result, study_name(studies, study), scale));
  }
  if (const PublishedPoint* published = published_for(studies.front().evaluation.config)) {
    list.push_back(published_track(*published, scale));
  }
  return list;
}

PageValues figure_card(const std::string& name, const std::string& key, const Summary& summary,
                       std::size_t splits, const std::string& note) {
  const std::string spread = splits > 1 ? ", standard deviation " + percent(summary.deviation) : "";
  return {{"name", name},
          {"key", key + ".mean"},
          {"value", percent(summary.mean)},
          {"note", note + spread}};
}

PageValues count_card(const std::string& name, std::size_t count, const std::string& note) {
  return {{"name", name}, {"value", count}, {"note", note}};
}

PageValues cards(const EvaluationResult& r) {
  const std::size_t n = r.splits.size();
  std::size_t wrong = 0;
  for (const TestPrediction& prediction : r.predictions) wrong += !prediction.hit(1);
  PageValues list = {
      figure_card("top-3", "top3", r.top3, n, "correct class among the first three"),
      figure_card("top-5", "top5", r.top5, n, "correct class among the first five"),
      figure_card("macro average", "macro", r.macro, n, "every species counts equally")};
  if (r.classifier.answered_share < 1.0) {
    list.push_back(figure_card("answered", "answered", r.answered, n, "not refused as unknown"));
    list.push_back(figure_card("right when answered", "answered_correct", r.answered_correct, n,
                               "top-1 among these"));
  }
  if (!r.unknown_predictions.empty()) {
    list.push_back(
        figure_card("unknown refused", "rejected", r.rejected, n, "leaves of species held back"));
  }
  list.push_back(count_card("predictions", r.predictions.size(),
                            fmt::format("{}{} together", n, n == 1 ? " split" : " splits")));
  list.push_back(count_card("wrong predictions", wrong,
                            fmt::format("{} different leaves", mistaken_leaves(r).size())));
  return list;
}

PageValues words_of(const EvaluationResult& r) {
  if (r.reliability.empty()) return nullptr;
  const WordScore& sure = r.words[static_cast<std::size_t>(Word::kSure)];
  PageValues words = {{"sure", percent(sure.share(r.predictions.size()))},
                      {"sure_right", percent(sure.right_share())},
                      {"off", percent(calibration_error(r.reliability))}};
  if (!r.unknown_predictions.empty()) {
    const WordScore& sure_of_unknown = r.unknown_words[static_cast<std::size_t>(Word::kSure)];
    words["strangers"] = {{"sure", percent(sure_of_unknown.share(r.unknown_predictions.size()))}};
  }
  return words;
}

std::string preparation_words(const LeafConfig& config) {
  const PrepareSpec p = preparation_for(config, config.data.source_aspect);
  std::ostringstream text;
  text << name_of(p.geometry) << ", " << p.size << " x " << p.size << " pixels, leaf area "
       << p.area;
  if (p.petiole == Petiole::kCut) text << ", stalks cut off";
  if (p.source_aspect > 0) text << ", square files squeezed from " << aspect_text(p.source_aspect);
  return text.str();
}

PageValues chosen_of(const EvaluationResult& r) {
  PageValues list = PageValues::array();
  for (const ChosenSettings& chosen : chosen_settings(r)) {
    list.push_back(
        {{"settings", chosen.settings}, {"splits", chosen.splits}, {"all", r.tuned.size()}});
  }
  return list;
}

PageValues beside(std::span<const LeafStudy> studies) {
  if (studies.size() < 2) return nullptr;
  PageValues rows = PageValues::array();
  for (const LeafStudy& study : studies) {
    const LeafEvaluation& e = study.evaluation;
    const EvaluationResult& r = e.result;
    const std::size_t n = r.splits.size();
    rows.push_back(
        {{"name", e.config.name},
         {"words", describe(e.config.features) + "; " + describe(r.fitted) + ". " +
                       e.data_description + ", " + describe(r.protocol) + "."},
         {"cells",
          {sorted_cell(r.top1.mean, with_deviation(r.top1, n)),
           sorted_cell(r.interval.low, percent(r.interval.low) + " to " + percent(r.interval.high)),
           sorted_cell(r.top3.mean, with_deviation(r.top3, n)),
           sorted_cell(r.top5.mean, with_deviation(r.top5, n))}}});
  }
  return {{"studies", std::move(rows)}};
}

PageValues facts_of(const LeafEvaluation& e) {
  const EvaluationResult& r = e.result;
  PageValues list = PageValues::array();
  const auto add = [&](const char* name, const std::string& value) {
    list.push_back({{"name", name}, {"value", value}});
  };
  add("data", e.data_description);
  add("protocol", describe(r.protocol));
  add("leaves of a split",
      fmt::format("{} to train, {} to test", r.splits.front().train, r.splits.front().test));
  add("preparation", preparation_words(e.config));
  add("features", fmt::format("{}: {} columns, {} of them constant and dropped",
                              describe(e.config.features), r.layout.columns(), r.dropped_columns));
  add("classifier", describe(r.fitted));
  add("interval", r.interval.method);
  if (!r.tuned.empty()) add("tuned by", describe(r.tuning, r.layout, r.classifier));
  return list;
}

}  // namespace

std::string with_deviation(const Summary& summary, std::size_t splits) {
  return percent(summary.mean) + (splits > 1 ? kPlusMinus + percent(summary.deviation) : "");
}

std::string headline_html(std::span<const LeafStudy> studies) {
  const LeafEvaluation& e = studies.front().evaluation;
  const EvaluationResult& r = e.result;
  const Scale scale = scale_for(studies);
  return filled_template(report_headline(),
                         {{"top1", percent(r.top1.mean)},
                          {"drawn", e.config.data.source == DataSource::kGenerated},
                          {"several", r.splits.size() > 1},
                          {"splits", r.splits.size()},
                          {"low", percent(r.interval.low)},
                          {"high", percent(r.interval.high)},
                          {"deviation", percent(r.top1.deviation)},
                          {"tracks", tracks(studies, scale)},
                          {"lowest", percent(scale.low)},
                          {"cards", cards(r)},
                          {"words", words_of(r)}});
}

std::string measured_html(std::span<const LeafStudy> studies) {
  const LeafEvaluation& e = studies.front().evaluation;
  return filled_template(report_measured(),
                         {{"facts", facts_of(e)},
                          {"tuned", !e.result.tuned.empty()},
                          {"chosen", chosen_of(e.result)},
                          {"flavia", e.config.data.source == DataSource::kFlavia},
                          {"drawn", e.config.data.source == DataSource::kGenerated},
                          {"beside", beside(studies)},
                          {"has_errors", !e.errors.empty()},
                          {"error_count", e.errors.size()},
                          {"errors", e.errors},
                          {"has_warnings", !e.warnings.empty()},
                          {"warning_count", e.warnings.size()},
                          {"warnings", e.warnings}});
}

}  // namespace leafglyph
