#include "classify/leaf_report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "classify/support/versions.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr int kPictureSide = 176;  // pixels; shown smaller, so that they are sharp on fine screens

// A table of accuracies with one row per x and one column per configuration.
using Cells = std::map<int, std::map<std::size_t, std::string>>;

std::string curve_table(const std::string& x_name, const std::vector<std::string>& series,
                        const Cells& cells) {
  PageValues rows = PageValues::array();
  for (const auto& [x, row] : cells) {
    PageValues texts = PageValues::array();
    for (std::size_t s = 0; s < series.size(); ++s) {
      const auto cell = row.find(s);
      texts.push_back(cell == row.end() ? "" : cell->second);
    }
    rows.push_back({{"at", x}, {"cells", std::move(texts)}});
  }
  return filled_template(report_curve_table(),
                         {{"x", x_name}, {"series", series}, {"rows", std::move(rows)}});
}

std::string sweep_html(std::span<const LeafStudy> studies) {
  std::vector<LeafSweep> sweeps;
  std::vector<std::string> names;
  Cells cells;
  bool flavia = false;
  for (const LeafStudy& study : studies) {
    if (!study.sweep) continue;
    for (const SweepPoint& point : study.sweep->points) {
      cells[point.order][names.size()] =
          with_deviation(point.top1, study.evaluation.result.splits.size());
    }
    sweeps.push_back(*study.sweep);
    sweeps.back().config.name = study_name(studies, study);
    names.push_back(sweeps.back().config.name);
    flavia = flavia || study.sweep->config.data.source == DataSource::kFlavia;
  }
  if (flavia) {
    for (const PublishedPoint& point : published_sweep()) {
      cells[point.order][names.size()] = percent(point.percent / 100.0);
    }
    names.push_back("published");
  }
  return html_chart(sweep_plot(sweeps),
                    "Top-1 accuracy in percent against the highest order of the moments, on the "
                    "same splits for every order. Bars: standard deviation over the splits." +
                        std::string(flavia ? " Hollow: published, one split." : "")) +
         curve_table("order", names, cells);
}

std::string learning_html(std::span<const LeafStudy> studies) {
  Plot plot;
  plot.x_label = "training leaves of a species";
  plot.y_label = "top-1 accuracy, %";
  std::vector<std::string> names;
  Cells cells;
  for (const LeafStudy& study : studies) {
    if (!study.learning) continue;
    PlotSeries series{study_name(studies, study), {}, false};
    for (const LearningPoint& point : study.learning->points) {
      series.points.push_back(accuracy_point(static_cast<double>(point.leaves), point.top1));
      plot.x_ticks.push_back(static_cast<double>(point.leaves));
      cells[static_cast<int>(point.leaves)][names.size()] =
          with_deviation(point.top1, study.evaluation.result.splits.size());
    }
    names.push_back(series.name);
    plot.series.push_back(std::move(series));
  }
  if (const PublishedPoint* published = published_for(studies.front().evaluation.config)) {
    constexpr double kPublishedLeaves = 40;
    plot.series.push_back(
        {"published (one split)", {{kPublishedLeaves, published->percent, {}, {}}}, true});
  }
  std::sort(plot.x_ticks.begin(), plot.x_ticks.end());
  plot.x_ticks.erase(std::unique(plot.x_ticks.begin(), plot.x_ticks.end()), plot.x_ticks.end());
  return html_chart(std::move(plot),
                    "Top-1 accuracy in percent with only some of the training leaves of each "
                    "split; the test leaves stay the same. Bars: standard deviation over the "
                    "splits.") +
         curve_table("training leaves", names, cells);
}

std::string rejection_html(std::span<const LeafStudy> studies) {
  Plot plot;
  plot.x_label = "share of test leaves answered, %";
  plot.y_label = "top-1 accuracy among them, %";
  std::vector<std::string> names;
  Cells cells;
  for (const LeafStudy& study : studies) {
    const EvaluationResult& result = study.evaluation.result;
    PlotSeries series{study_name(studies, study), {}, false};
    for (const RejectionPoint& point : rejection_curve(result)) {
      series.points.push_back(accuracy_point(100.0 * point.answered, point.correct));
      cells[static_cast<int>(std::lround(100.0 * point.answered))][names.size()] =
          with_deviation(point.correct, result.splits.size());
    }
    names.push_back(series.name);
    plot.series.push_back(std::move(series));
    if (result.unknown_predictions.empty()) continue;
    PlotSeries unknown{names.back() + ", unknown refused", {}, false};
    for (const RejectionPoint& point : rejection_curve(result)) {
      unknown.points.push_back({100.0 * point.answered, 100.0 * point.rejected.mean, {}, {}});
      cells[static_cast<int>(std::lround(100.0 * point.answered))][names.size()] =
          with_deviation(point.rejected, result.splits.size());
    }
    plot.y_label = "accuracy among them; unknown refused, %";
    names.push_back(unknown.name);
    plot.series.push_back(std::move(unknown));
  }
  return html_chart(
             std::move(plot),
             "Top-1 accuracy in percent when the leaves with the largest outlier scores (" +
                 describe_outlier_score(studies.front().evaluation.result.fitted) +
                 ") are left unanswered. "
                 "Test leaves are of species that were trained on; 'unknown refused' is the share "
                 "of "
                 "the leaves of held-back species that is refused at the same threshold. Bars: "
                 "standard deviation over the splits.") +
         curve_table("answered, %", names, cells);
}

// The share of right predictions against the probability that was stated for them.
std::string reliability_html(std::span<const LeafStudy> studies) {
  Plot plot;
  plot.x_label = "mean probability stated, %";
  plot.y_label = "predictions that were right, %";
  std::vector<std::string> names;
  Cells cells;
  for (const LeafStudy& study : studies) {
    const Reliability& reliability = study.evaluation.result.reliability;
    if (reliability.empty()) continue;
    PlotSeries series{study_name(studies, study), {}, false};
    for (std::size_t b = 0; b < reliability.size(); ++b) {
      const ReliabilityBin& bin = reliability[b];
      if (bin.predictions == 0) continue;
      const auto count = static_cast<double>(bin.predictions);
      const double right = static_cast<double>(bin.right) / count;
      const Interval interval = wilson_interval(right, count, "");
      series.points.push_back(
          {100 * bin.probabilities / count, 100 * right, 100 * interval.low, 100 * interval.high});
      cells[static_cast<int>(100 * b / reliability.size())][names.size()] =
          fmt::format("{} of {}", bin.right, bin.predictions);
    }
    names.push_back(series.name);
    plot.series.push_back(std::move(series));
  }
  if (names.empty()) return "";
  plot.series.push_back({"as stated", {{0, 0, {}, {}}, {100, 100, {}, {}}}, true});
  return html_chart(std::move(plot),
                    "The share of predictions that were right against the probability stated for "
                    "them, in bins of a tenth. Above the dashed line the classifier knows more "
                    "than it says. Bars: 95 % interval (Wilson).") +
         curve_table("probability from, %", names, cells);
}

// What was done to the photographs, and how their predictions turned out.
PageValues score_table(const char* what, std::span<const PerturbedScore> scores, bool leafless) {
  PageValues rows = PageValues::array();
  for (const PerturbedScore& score : scores) {
    PageValues shares = PageValues::array();
    const auto add = [&](const char* key, std::size_t count) {
      const double share = score.share(count);
      shares.push_back(figure_cell(share, "perturbed." + score.name + "." + key, percent(share)));
    };
    if (!leafless) add("right", score.right);
    add("unknown", score.unknown);
    add("refused", score.refused);
    add("misidentified", score.misidentified);
    add("sure", score.sure);
    rows.push_back({{"name", score.name},
                    {"description", score.description},
                    {"pictures", score.pictures},
                    {"shares", std::move(shares)}});
  }
  return {{"what", what}, {"leafless", leafless}, {"scores", std::move(rows)}};
}

std::string perturbed_html(const PerturbationTable& table) {
  return filled_template(report_perturbed(),
                         {{"training", table.training_leaves},
                          {"seed", table.seed},
                          {"tables",
                           {score_table("test leaves", table.leaves, /*leafless=*/false),
                            score_table("no leaf", table.leafless, /*leafless=*/true)}}});
}

std::string splits_table(const EvaluationResult& r) {
  PageValues splits = PageValues::array();
  for (std::size_t s = 0; s < r.splits.size(); ++s) {
    const SplitScore& split = r.splits[s];
    const auto figure = [&](const char* key, double share) {
      return figure_cell(share, fmt::format("splits.{}.{}", s, key), percent(share));
    };
    splits.push_back({{"number", s + 1},
                      {"train", split.train},
                      {"test", split.test},
                      {"figures",
                       {figure("top1", split.top1), figure("top3", split.top3),
                        figure("top5", split.top5), figure("macro", split.macro)}}});
  }
  return filled_template(report_splits(), {{"splits", std::move(splits)}});
}

std::string first_picture(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const auto& samples = e.dataset.samples;
  const auto first = std::find_if(samples.begin(), samples.end(), [&](const LeafSample& sample) {
    return sample.label == static_cast<int>(label);
  });
  if (first == samples.end()) return "";
  return html_picture(pictures.of(static_cast<std::size_t>(first - samples.begin())),
                      "A leaf of " + shown_species(e.result.class_names[label]));
}

// The class that this one was most often taken for; none if it was never mistaken.
PageValues taken_for(const EvaluationResult& r, const std::vector<ConfusedPair>& pairs,
                     std::size_t label) {
  const auto most = std::ranges::find(pairs, static_cast<int>(label), &ConfusedPair::truth);
  if (most == pairs.end()) return nullptr;
  return {{"name", shown_species(r.class_names[static_cast<std::size_t>(most->prediction)])},
          {"count", most->count}};
}

PageValues species_row(const LeafEvaluation& e, const std::vector<ConfusedPair>& pairs,
                       std::size_t label, LeafPictures& pictures) {
  const EvaluationResult& r = e.result;
  const ClassScore& score = r.classes[label];
  const std::string key = fmt::format("classes.{}.", label);
  const auto share = [&](const char* name, double value) {
    return figure_cell(value, key + name, percent(value));
  };
  PageValues row = {
      {"picture", first_picture(e, label, pictures)},
      {"name", shown_species(r.class_names[label])},
      {"latin", is_latin_folder(r.class_names[label])},
      {"counts",
       {{{"key", key + "tests"}, {"value", score.tests}},
        {{"key", key + "correct"}, {"value", score.correct}}}},
      {"shares", {share("recall", score.recall()), share("precision", score.precision())}},
      {"taken", taken_for(r, pairs, label)}};
  if (!r.scientific_names[label].empty()) row["scientific"] = r.scientific_names[label];
  return row;
}

// For each class: a picture, its tests, recall, precision, and the class it was most often taken
// for.
std::string species_table(const LeafEvaluation& e, LeafPictures& pictures) {
  const std::vector<ConfusedPair> pairs = confused_pairs(e.result);
  PageValues species = PageValues::array();
  for (std::size_t c = 0; c < e.result.classes.size(); ++c) {
    species.push_back(species_row(e, pairs, c, pictures));
  }
  return filled_template(report_species(), {{"species", std::move(species)}});
}

std::vector<StageTime> all_times(const LeafStudy& study) {
  std::vector<StageTime> times = study.evaluation.times;
  if (study.sweep) times.push_back({"order sweep", study.sweep->times.back().seconds});
  if (study.learning) times.push_back({"learning curve", study.learning->seconds});
  if (study.perturbed) times.push_back({"perturbed pictures", study.perturbed->seconds});
  return times;
}

std::string times_html(const LeafStudy& study) {
  const std::vector<StageTime> times = all_times(study);
  double longest = 0.0;
  double total = 0.0;
  for (const StageTime& time : times) {
    longest = std::max(longest, time.seconds);
    total += time.seconds;
  }
  PageValues rows = PageValues::array();
  for (const StageTime& time : times) {
    PageValues row = sorted_cell(time.seconds, seconds_text(time.seconds));
    row["stage"] = time.stage;
    row["share"] = percent(longest > 0 ? time.seconds / longest : 0);
    rows.push_back(std::move(row));
  }
  return filled_template(report_times(), {{"times", std::move(rows)},
                                          {"total", sorted_cell(total, seconds_text(total))},
                                          {"processor", processor_name()},
                                          {"threads", thread_count()}});
}

std::string configuration_html(std::span<const LeafStudy> studies) {
  const LeafEvaluation& e = studies.front().evaluation;
  PageValues all_versions = PageValues::array(), others = PageValues::array();
  for (const auto& [name, version] : versions()) {
    all_versions.push_back({{"name", name}, {"version", version}});
  }
  for (const LeafStudy& study : studies.subspan(1)) {
    const LeafConfig& config = study.evaluation.config;
    others.push_back({{"name", config.name}, {"yaml", to_yaml(config)}});
  }
  return filled_template(report_configuration(),
                         {{"name", e.config.name},
                          {"versions", std::move(all_versions)},
                          {"convention", convention_name(e.config.features.family)},
                          {"yaml", to_yaml(e.config)},
                          {"others", std::move(others)},
                          {"json", data_uri("application/json", json_report(studies.front()))}});
}

std::string sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  return text + ". ";
}

std::string title(const LeafEvaluation& e) {
  const bool drawn = e.config.data.source == DataSource::kGenerated;
  return fmt::format("How well {} species of {}leaves are identified", e.result.class_names.size(),
                     drawn ? "drawn " : "");
}

std::string lead(const LeafEvaluation& e) {
  return sentence(e.data_description) + sentence(describe(e.result.protocol));
}

}  // namespace

std::string study_name(std::span<const LeafStudy> studies, const LeafStudy& study) {
  return studies.size() == 1 ? "this evaluation" : study.evaluation.config.name;
}

std::string html_report(std::span<const LeafStudy> studies) {
  if (studies.empty()) throw UsageError("a report needs at least one evaluation");
  const LeafStudy& study = studies.front();
  const LeafEvaluation& e = study.evaluation;
  LeafPictures pictures(e.dataset, e.config.data.source_aspect, kPictureSide);
  Page page{title(e), "LeafGlyph leaf evaluation", lead(e), {}};
  const auto add = [&](const char* id, const char* menu, const char* title, std::string body) {
    page.sections.push_back({id, menu, title, std::move(body)});
  };
  add("result", "Result", "Result",
      headline_html(studies) + (e.result.splits.size() > 1 ? splits_table(e.result) : ""));
  add("measured", "What was measured", "What was measured", measured_html(studies));
  if (study.sweep) add("order", "Order", "Accuracy by order of the moments", sweep_html(studies));
  if (study.learning) {
    add("learning", "Learning curve", "Accuracy by number of training leaves",
        learning_html(studies));
  }
  add("rejection", "Rejection", "Accuracy by share answered", rejection_html(studies));
  if (const std::string plot = reliability_html(studies); !plot.empty()) {
    add("reliability", "Reliability", "Probabilities stated and found", plot);
  }
  if (study.perturbed) {
    add("perturbed", "Perturbations", "Perturbed photographs, and pictures without a leaf",
        perturbed_html(*study.perturbed));
  }
  add("confusion", "Confusion", "Confusion matrix",
      filled_template(report_confusion(), {{"picture", confusion_picture(e.result)}}));
  add("species", "Species", "Species by species", species_table(e, pictures));
  add("pairs", "Mix-ups", "Most often mixed up", confused_pair_cards(e, pictures));
  add("mistakes", "Wrong leaves", "Wrongly classified leaves", mistake_cards(e, pictures));
  add("times", "Times", "Times by stage", times_html(study));
  add("configuration", "Configuration", "Configuration and versions", configuration_html(studies));
  return html_page(page);
}

}  // namespace leafglyph
