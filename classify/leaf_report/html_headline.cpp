#include "classify/leaf_report/html_headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/report.h"
#include "classify/page/html_page.h"
#include "classify/page/html_text.h"
#include "classify/support/text.h"

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

std::string track_head(const std::string& name, const std::string& figures) {
  return "<div><div class=\"track-name\"><span>" + html_escaped(name) + "</span><span>" +
         html_escaped(figures) + "</span></div>\n<div class=\"track\" aria-hidden=\"true\">";
}

std::string track(const EvaluationResult& r, const std::string& name, const Scale& scale) {
  std::string html = track_head(name, percent(r.top1.mean) + " % (" + percent(r.interval.low) +
                                          " to " + percent(r.interval.high) + ")");
  html += "<i class=\"bar\" style=\"left:" + scale.position(r.interval.low) +
          ";right:calc(100% - " + scale.position(r.interval.high) + ")\"></i>";
  if (r.splits.size() > 1) {
    for (const SplitScore& split : r.splits) {
      html += "<i class=\"split\" style=\"left:" + scale.position(split.top1) + "\"></i>";
    }
  }
  return html + "<i class=\"dot\" style=\"left:" + scale.position(r.top1.mean) +
         "\"></i></div></div>\n";
}

std::string published_track(const PublishedPoint& point, const Scale& scale) {
  const double share = point.percent / 100.0;
  return track_head(fmt::format("published, order {}", point.order),
                    percent(share) + " % (one split)") +
         "<i class=\"dot published\" style=\"left:" + scale.position(share) +
         "\"></i></div></div>\n";
}

std::string tracks(std::span<const LeafStudy> studies) {
  const Scale scale = scale_for(studies);
  std::string html = "<div class=\"card tracks\">\n";
  for (const LeafStudy& study : studies) {
    html += track(study.evaluation.result, study.evaluation.config.name, scale);
  }
  if (const PublishedPoint* published = published_for(studies.front().evaluation.config)) {
    html += published_track(*published, scale);
  }
  return html + "<div class=\"track-ends\" aria-hidden=\"true\"><span>" + percent(scale.low) +
         " %</span><span>100 %</span></div>\n<p class=\"soft\">Dot: mean top-1 accuracy. Bar: 95 % "
         "interval. Thin lines: single splits.</p></div>\n";
}

std::string card(const std::string& name, const std::string& value, const std::string& note) {
  return "<div><dt>" + html_escaped(name) + "</dt><dd>" + value + "<small>" + html_escaped(note) +
         "</small></dd></div>\n";
}

std::string figure_card(const std::string& name, const std::string& key, const Summary& summary,
                        std::size_t splits, const std::string& note) {
  const std::string spread = splits > 1 ? ", standard deviation " + percent(summary.deviation) : "";
  return card(name, html_figure(key + ".mean", percent(summary.mean)) + " %", note + spread);
}

std::string cards(const EvaluationResult& r) {
  const std::size_t n = r.splits.size();
  std::size_t wrong = 0;
  for (const TestAnswer& answer : r.answers) wrong += !answer.hit(1);
  std::string html =
      "<dl class=\"cards\">\n" + figure_card("top-3", "top3", r.top3, n, "right one among three") +
      figure_card("top-5", "top5", r.top5, n, "right one among five") +
      figure_card("macro average", "macro", r.macro, n, "every species counts alike");
  if (r.classifier.answered_share < 1.0) {
    html += figure_card("answered", "answered", r.answered, n, "not refused as unknown") +
            figure_card("right when answered", "answered_correct", r.answered_correct, n,
                        "top-1 among these");
  }
  if (!r.unknown_answers.empty()) {
    html +=
        figure_card("unknown refused", "rejected", r.rejected, n, "leaves of species held back");
  }
  html += card("answers", std::to_string(r.answers.size()),
               fmt::format("{}{} together", n, n == 1 ? " split" : " splits"));
  html += card("wrong answers", std::to_string(wrong),
               fmt::format("{} different leaves", mistaken_leaves(r).size()));
  html += "</dl>\n";
  if (r.calibration_error) {
    const WordScore& sure = r.words[static_cast<std::size_t>(Word::kSure)];
    html += html_paragraph(fmt::format(
        "Of the answers {} % are called sure, {} % of these rightly; the probabilities are off by "
        "{} % (expected calibration error).",
        percent(sure.share(r.answers.size())), percent(sure.right_share()),
        percent(*r.calibration_error)));
  }
  return html;
}

std::string fact(const std::string& name, const std::string& value) {
  return "<dt>" + html_escaped(name) + "</dt><dd>" + html_escaped(value) + "</dd>\n";
}

std::string preparation_words(const LeafConfig& config) {
  const PrepareSpec p = preparation_for(config, config.data.source_aspect);
  std::ostringstream text;
  text << geometry_name(p.geometry) << ", " << p.size << " x " << p.size << " pixels, leaf area "
       << p.beta;
  if (p.petiole == Petiole::kCut) text << ", stalks cut off";
  if (p.source_aspect > 0) text << ", square files squeezed from " << aspect_text(p.source_aspect);
  return text.str();
}

std::string tuning_html(const EvaluationResult& r) {
  const std::string fitted =
      "Scaling, projection and rejection threshold are fitted anew in every split, on its training "
      "leaves only. ";
  if (r.tuned.empty()) {
    return html_paragraph(
        fitted +
        "The settings themselves (order, channels, shrinkage, number of neighbours) stand in the "
        "configuration; the figures above do not include a search over them.");
  }
  std::string html = html_paragraph(
      fitted +
      "So are the settings chosen that are named under 'tuned by': no test leaf has a part in it, "
      "and the figures above include the search.");
  html += "<ul>\n";
  for (const ChosenSettings& chosen : chosen_settings(r)) {
    html += fmt::format("<li>{}: chosen in {} of {} splits</li>\n", html_escaped(chosen.settings),
                        chosen.splits, r.tuned.size());
  }
  return html + "</ul>\n";
}

std::string beside_table(std::span<const LeafStudy> studies) {
  std::string html =
      "<table class=\"beside\">\n" +
      html_head_row({"configuration", "#top-1, %", "#95 % interval", "#top-3, %", "#top-5, %"}) +
      "<tbody>\n";
  for (const LeafStudy& study : studies) {
    const LeafEvaluation& e = study.evaluation;
    const EvaluationResult& r = e.result;
    const std::size_t n = r.splits.size();
    const std::string words = describe(e.config.features) + "; " + describe(r.fitted) + ". " +
                              e.data_description + ", " + describe(r.protocol) + ".";
    html += "<tr><th scope=\"row\">" + html_escaped(e.config.name) + "<em>" + html_escaped(words) +
            "</em></th>" + html_number_cell(r.top1.mean, with_deviation(r.top1, n)) +
            html_number_cell(r.interval.low,
                             percent(r.interval.low) + " to " + percent(r.interval.high)) +
            html_number_cell(r.top3.mean, with_deviation(r.top3, n)) +
            html_number_cell(r.top5.mean, with_deviation(r.top5, n)) + "</tr>\n";
  }
  return "<h3>Beside other configurations</h3>\n" +
         html_scroll("Comparison of configurations", html + "</tbody></table>");
}

bool is_drawn(const LeafStudy& study) {
  return study.evaluation.config.data.source == DataSource::kGenerated;
}

}  // namespace

std::string with_deviation(const Summary& summary, std::size_t splits) {
  return percent(summary.mean) + (splits > 1 ? kPlusMinus + percent(summary.deviation) : "");
}

std::string headline_html(std::span<const LeafStudy> studies) {
  const EvaluationResult& r = studies.front().evaluation.result;
  const std::size_t n = r.splits.size();
  std::string html =
      "<div class=\"headline\">\n<div class=\"card\"><p class=\"value\">" +
      html_figure("top1.mean", percent(r.top1.mean)) + "<small> %</small></p>\n<p>of the " +
      (is_drawn(studies.front()) ? "drawn " : "") + "test leaves named rightly (top-1" +
      (n > 1 ? fmt::format(", mean of {} splits", n) : std::string()) +
      ").</p>\n<p>95 % interval " + html_figure("top1.interval.low", percent(r.interval.low)) +
      " to " + html_figure("top1.interval.high", percent(r.interval.high)) + " %.</p>\n";
  if (n > 1) {
    html += "<p class=\"soft\">Standard deviation over the splits " +
            html_figure("top1.standard_deviation", percent(r.top1.deviation)) + " points.</p>\n";
  }
  return html + "</div>\n" + tracks(studies) + "</div>\n" + cards(r);
}

std::string measured_html(std::span<const LeafStudy> studies) {
  const LeafEvaluation& e = studies.front().evaluation;
  const EvaluationResult& r = e.result;
  std::string html =
      "<dl class=\"facts\">\n" + fact("data", e.data_description) +
      fact("protocol", describe(r.protocol)) +
      fact("leaves of a split",
           fmt::format("{} to train, {} to test", r.splits.front().train, r.splits.front().test)) +
      fact("preparation", preparation_words(e.config)) +
      fact("features",
           fmt::format("{}: {} columns, {} of them constant and dropped",
                       describe(e.config.features), r.layout.columns(), r.dropped_columns)) +
      fact("classifier", describe(r.fitted)) + fact("interval", r.interval.method) +
      (r.tuned.empty() ? "" : fact("tuned by", describe(r.tuning, r.layout, r.classifier))) +
      "</dl>\n";
  html += tuning_html(r);
  if (e.config.data.source == DataSource::kFlavia) {
    html += html_paragraph(
        "The published figures are of a single split of 40 and 10 leaves a species, whose choice "
        "is not stated. They are quoted for comparison, not measured here.");
  }
  if (e.config.data.source == DataSource::kGenerated) {
    html += html_paragraph(
        "The leaves are drawings. Accuracy on them says that the pipeline works, not how well it "
        "recognises photographs.");
  }
  return studies.size() > 1 ? html + beside_table(studies) : html;
}

}  // namespace leafglyph
