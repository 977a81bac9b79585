#include "classify/leaf_report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf_report/curves.h"
#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "classify/support/versions.h"
#include "features/base/errors.h"
#include "features/base/text.h"
#include "features/base/threads.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

constexpr int kPictureSide = 176;  // pixels; shown smaller, so that they are sharp on fine screens

std::vector<std::string> names_of(std::span<const PageValues> documents) {
  std::vector<std::string> names;
  for (const PageValues& document : documents) names.push_back(study_name(documents, document));
  return names;
}

std::string sweep_html(std::span<const PageValues> documents) {
  const bool flavia = std::ranges::any_of(
      documents, [](const PageValues& document) { return document.contains("published_sweep"); });
  return sweep_curves(documents, names_of(documents))
      .html(
          "Top-1 accuracy in percent against the highest order of the moments, on the same "
          "splits for every order. Bars: standard deviation over the splits." +
              std::string(flavia ? " Hollow: published, one split." : ""),
          "order");
}

std::string learning_html(std::span<const PageValues> documents) {
  Curves curves("training leaves of a species", "top-1 accuracy, %");
  std::set<double> ticks;
  for (const PageValues& document : documents) {
    if (!document.contains("learning_curve")) continue;
    curves.add(study_name(documents, document), document, "learning_curve", "training_leaves",
               "top1");
    for (const PlotPoint& point : curves.plot.series.back().points) ticks.insert(point.x);
  }
  if (documents.front().contains("published")) {
    constexpr double kPublishedLeaves = 40;
    const double published = documents.front()["published"]["top1"].get<double>();
    curves.plot.series.push_back(
        {"published (one split)", {{kPublishedLeaves, 100 * published, {}, {}}}, true});
  }
  curves.plot.x_ticks.assign(ticks.begin(), ticks.end());
  return curves.html(
      "Top-1 accuracy in percent with only some of the training leaves of each split; the test "
      "leaves stay the same. Bars: standard deviation over the splits.",
      "training leaves");
}

std::string rejection_html(std::span<const PageValues> documents) {
  Curves curves("share of test leaves answered, %", "top-1 accuracy among them, %");
  for (const PageValues& document : documents) {
    const std::string name = study_name(documents, document);
    curves.add(name, document, "rejection", "answered", "correct", /*unit=*/100);
    if (!document.contains("held_back")) continue;
    curves.add(name + ", unknown refused", document, "rejection", "answered", "unknown_rejected",
               /*unit=*/100);
    for (PlotPoint& point : curves.plot.series.back().points) point.low = point.high = {};
    curves.plot.y_label = "accuracy among them; unknown refused, %";
  }
  return curves.html(
      "Top-1 accuracy in percent when the leaves with the largest outlier scores (" +
          documents.front()["outlier_score"].get<std::string>() +
          ") are left unanswered. Test leaves are of species that were trained on; 'unknown "
          "refused' is the share of the leaves of held-back species that is refused at the same "
          "threshold. Bars: standard deviation over the splits.",
      "answered, %");
}

std::string perturbed_html(const PageValues& document) {
  const PageValues& perturbed = document["perturbed"];
  return filled_template(
      report_perturbed(),
      {{"tables",
        {{{"what", "test leaves"}, {"leafless", false}, {"scores", perturbed["leaves"]}},
         {{"what", "no leaf"}, {"leafless", true}, {"scores", perturbed["leafless"]}}}}},
      document);
}

std::string first_picture(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const auto first =
      std::ranges::find(e.dataset.samples, static_cast<int>(label), &LeafSample::label);
  if (first == e.dataset.samples.end()) return "";
  return html_picture(pictures.of(static_cast<std::size_t>(first - e.dataset.samples.begin())),
                      "A leaf of " + shown_species(e.result.class_names[label]));
}

// For each class: a picture, its tests, recall, precision, and the class it was most often taken
// for.
std::string species_table(const LeafEvaluation& e, const PageValues& document,
                          LeafPictures& pictures) {
  PageValues classes = document["classes"];
  for (std::size_t c = 0; c < classes.size(); ++c) {
    classes[c]["picture"] = first_picture(e, c, pictures);
  }
  return filled_template(report_species(), {{"classes", std::move(classes)}});
}

std::string times_html(const PageValues& document) {
  PageValues rows = PageValues::array();
  double longest = 0.0, total = 0.0;
  for (const char* part : {"seconds", "seconds_of_curves"}) {
    for (const auto& [stage, seconds] : document[part].items()) {
      rows.push_back({{"stage", stage}, {"seconds", seconds}});
      longest = std::max(longest, seconds.get<double>());
      total += seconds.get<double>();
    }
  }
  for (PageValues& row : rows) {
    row["share"] = longest > 0 ? row["seconds"].get<double>() / longest : 0;
  }
  return filled_template(report_times(), {{"times", std::move(rows)},
                                          {"total", total},
                                          {"processor", processor_name()},
                                          {"threads", thread_count()}});
}

std::string configuration_html(std::span<const PageValues> documents, const LeafConfig& config) {
  PageValues all_versions = PageValues::array(), others = PageValues::array();
  for (const auto& [name, version] : versions()) {
    all_versions.push_back({{"name", name}, {"version", version}});
  }
  for (const PageValues& document : documents.subspan(1)) {
    others.push_back({{"configuration", document["configuration"]},
                      {"resolved_configuration", document["resolved_configuration"]}});
  }
  return filled_template(
      report_configuration(),
      {{"versions", std::move(all_versions)},
       {"convention", convention_name(config.features.family)},
       {"others", std::move(others)},
       {"json", data_uri("application/json", json_text(documents.front()) + "\n")}},
      documents.front());
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

std::string lead(const PageValues& document) {
  return sentence(document["data"].get<std::string>()) +
         sentence(document["protocol"]["description"].get<std::string>());
}

}  // namespace

std::string study_name(std::span<const PageValues> documents, const PageValues& document) {
  return documents.size() == 1 ? "this evaluation" : document["configuration"].get<std::string>();
}

std::string html_report(std::span<const LeafStudy> studies) {
  if (studies.empty()) throw UsageError("a report needs at least one evaluation");
  std::vector<PageValues> documents;
  for (const LeafStudy& study : studies) documents.push_back(evaluation_document(study));
  const PageValues& document = documents.front();
  const LeafEvaluation& e = studies.front().evaluation;
  LeafPictures pictures(e.dataset, e.config.data.source_aspect, kPictureSide);
  Page page{title(e), "LeafGlyph leaf evaluation", lead(document), {}};
  const auto add = [&](const char* id, const char* menu, const char* title, std::string body) {
    page.sections.push_back({id, menu, title, std::move(body)});
  };
  add("result", "Result", "Result",
      headline_html(documents) +
          (document["splits"].size() > 1 ? filled_template(report_splits(), document) : ""));
  add("measured", "What was measured", "What was measured", measured_html(documents));
  if (document.contains("sweep")) {
    add("order", "Order", "Accuracy by order of the moments", sweep_html(documents));
  }
  if (document.contains("learning_curve")) {
    add("learning", "Learning curve", "Accuracy by number of training leaves",
        learning_html(documents));
  }
  add("rejection", "Rejection", "Accuracy by share answered", rejection_html(documents));
  if (const std::string plot = reliability_html(documents, names_of(documents)); !plot.empty()) {
    add("reliability", "Reliability", "Probabilities stated and found", plot);
  }
  if (document.contains("perturbed")) {
    add("perturbed", "Perturbations", "Perturbed photographs, and pictures without a leaf",
        perturbed_html(document));
  }
  add("confusion", "Confusion", "Confusion matrix",
      filled_template(report_confusion(), {{"picture", confusion_picture(e.result)}}));
  add("species", "Species", "Species by species", species_table(e, document, pictures));
  add("pairs", "Mix-ups", "Most often mixed up", confused_pair_cards(e, document, pictures));
  add("mistakes", "Wrong leaves", "Wrongly classified leaves",
      mistake_cards(e, document, pictures));
  add("times", "Times", "Times by stage", times_html(document));
  add("configuration", "Configuration", "Configuration and versions",
      configuration_html(documents, e.config));
  return html_page(page);
}

}  // namespace leafglyph
