// The page of a check.
#include <fmt/format.h>

#include "classify/leaf_report/check_report.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/leaf_report/model_report.h"
#include "classify/leaf_report/report.h"
#include "classify/page/html_page.h"
#include "classify/page/html_text.h"
#include "classify/support/text.h"

namespace leafglyph {
namespace {

std::string picture_of(const TrainedLeaves& trained, std::size_t row) {
  return html_picture(page_picture(trained.model.pictures[row]),
                      "Training leaf " + trained.model.sample_names[row]);
}

std::string cards_html(const TrainedLeaves& trained, Look kind) {
  std::string html = "<ul class=\"neighbours\">\n";
  for (const LookAt& look : trained.check.look) {
    if (look.look != kind) continue;
    html += "<li class=\"plain\">" + (look.row ? picture_of(trained, *look.row) : "") + "<span>" +
            html_escaped(look.text) + "</span></li>\n";
  }
  return html + "</ul>\n";
}

std::string look_html(const TrainedLeaves& trained) {
  if (trained.check.look.empty()) return html_paragraph("Nothing stood out.");
  std::string html;
  std::optional<Look> heading;
  for (const LookAt& look : trained.check.look) {
    if (heading == look.look) continue;
    heading = look.look;
    html += "<h3>" + html_escaped(look_name(*heading)) + "</h3>\n" + cards_html(trained, *heading);
  }
  return html;
}

std::string species_html(const TrainedLeaves& trained) {
  std::string html =
      "<table data-sortable>" +
      html_head_row({"species", "#photographs", "#right, %", "most often taken for"}) + "<tbody>\n";
  const std::vector<std::string>& names = trained.model.class_names;
  for (std::size_t c = 0; c < names.size(); ++c) {
    const CheckedClass& of_class = trained.check.classes[c];
    const double right = of_class.leaves == 0 ? 0.0
                                              : static_cast<double>(of_class.right) /
                                                    static_cast<double>(of_class.leaves);
    html +=
        "<tr><th scope=\"row\">" + html_escaped(names[c]) + "</th>" +
        html_number_cell(static_cast<double>(of_class.leaves), std::to_string(of_class.leaves)) +
        html_number_cell(right, percent(right)) + "<td>" +
        (of_class.taken_for < 0
             ? ""
             : html_escaped(names[static_cast<std::size_t>(of_class.taken_for)])) +
        "</td></tr>\n";
  }
  return html_scroll("Table of the species", html + "</tbody></table>");
}

std::string more_html(const MorePhotographs& more) {
  Plot plot;
  plot.x_label = "photographs of each species";
  plot.y_label = "named rightly, %";
  PlotSeries measured{"measured", {}, false}, expected{"expected", {}, true};
  for (const LearningPoint& point : more.curve.points) {
    measured.points.push_back(accuracy_point(static_cast<double>(point.leaves), point.top1));
  }
  std::string table = html_head_row({"#photographs of each species", "#expected right, %"});
  for (const int times : {1, 2, 4}) {
    const int leaves = times * more.now;
    const double right = more.forecast.accuracy(leaves);
    expected.points.push_back({static_cast<double>(leaves), 100 * right, {}, {}});
    table += "<tr>" + html_number_cell(leaves, std::to_string(leaves)) +
             html_number_cell(right, percent(right)) + "</tr>\n";
  }
  plot.series = {std::move(measured), std::move(expected)};
  return html_chart(
             std::move(plot),
             "Named rightly by folds that learn from only some photographs of each species, "
             "and where that leads if errors go on to fall as a power of the number; a rough "
             "guess.") +
         html_scroll("Expected from more photographs", "<table>" + table + "</table>");
}

}  // namespace

std::string html_check(const TrainedLeaves& trained) {
  Page page{"Training photographs",
            "LeafGlyph leaf check",
            html_escaped(trained.data_description + "."),
            {}};
  page.sections.push_back(
      {"result", "Result", "Result",
       html_paragraph("Named rightly: " + accuracy_in_words(trained.check.accuracy) + ".") +
           html_paragraph("Unknown: " + unknown_in_words(trained.model) + ".")});
  page.sections.push_back({"look", "Look at", "Photographs to look at", look_html(trained)});
  page.sections.push_back({"species", "Species", "Species by species", species_html(trained)});
  if (trained.check.more) {
    page.sections.push_back({"more", "More photographs", "What more photographs would bring",
                             more_html(*trained.check.more)});
  }
  return html_page(page);
}

}  // namespace leafglyph
