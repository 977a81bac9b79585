#include "classify/leaf_report/html_species.h"

#include <fmt/format.h>

#include <algorithm>

#include "classify/leaf_report/report.h"
#include "classify/page/html_text.h"
#include "classify/support/text.h"

namespace leafglyph {
namespace {

std::string first_picture(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const auto& samples = e.dataset.samples;
  const auto first = std::find_if(samples.begin(), samples.end(), [&](const LeafSample& sample) {
    return sample.label == static_cast<int>(label);
  });
  if (first == samples.end()) return "";
  return html_picture(pictures.of(static_cast<std::size_t>(first - samples.begin())),
                      "A leaf of " + e.result.class_names[label]);
}

std::string name_cell(const EvaluationResult& r, std::size_t label) {
  std::string html = "<th scope=\"row\">" + html_escaped(r.class_names[label]);
  if (!r.scientific_names[label].empty()) {
    html += "<em>" + html_escaped(r.scientific_names[label]) + "</em>";
  }
  return html + "</th>";
}

std::string share_cell(double share, const std::string& key) {
  return html_number_cell(
      share,
      html_figure(key, percent(share)) + "<i><b style=\"width:" + percent(share) + "%\"></b></i>",
      "meter");
}

std::string taken_for(const EvaluationResult& r, std::size_t label) {
  const std::size_t classes = r.class_names.size();
  std::size_t most = 0;
  std::size_t answer = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    const std::size_t count = r.confusion[label * classes + a];
    if (a != label && count > most) {
      most = count;
      answer = a;
    }
  }
  if (most == 0) return "<td class=\"soft\">never taken for another</td>";
  return fmt::format("<td>{} <span class=\"soft\">({})</span></td>",
                     html_escaped(r.class_names[answer]), most);
}

std::string species_row(const LeafEvaluation& e, std::size_t label, LeafPictures& pictures) {
  const EvaluationResult& r = e.result;
  const ClassScore& score = r.classes[label];
  const std::string key = fmt::format("classes.{}.", label);
  const auto count = [&](const char* name, std::size_t value) {
    return html_number_cell(static_cast<double>(value),
                            html_figure(key + name, std::to_string(value)));
  };
  return "<tr><td>" + first_picture(e, label, pictures) + "</td>" + name_cell(r, label) +
         count("tests", score.tests) + count("correct", score.correct) +
         share_cell(score.recall(), key + "recall") +
         share_cell(score.precision(), key + "precision") + taken_for(r, label) + "</tr>\n";
}

}  // namespace

std::string species_table(const LeafEvaluation& e, LeafPictures& pictures) {
  std::string table = "<table class=\"species\" data-sortable>\n" +
                      html_head_row({"", "species", "#tests", "#right", "#recall, %",
                                     "#precision, %", "most often taken for"}) +
                      "<tbody>\n";
  for (std::size_t c = 0; c < e.result.classes.size(); ++c) table += species_row(e, c, pictures);
  return "<p class=\"filter\" hidden><label>Show <input type=\"search\" placeholder=\"all "
         "species\" "
         "data-filter=\"#species tbody tr\"></label></p>\n" +
         html_scroll("Per-species table", table + "</tbody></table>");
}

}  // namespace leafglyph
