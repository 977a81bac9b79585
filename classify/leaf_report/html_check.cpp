// The page of a check.
#include <nlohmann/json.hpp>

#include "classify/leaf_report/leaf_picture.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

std::string picture_of(const TrainedLeaves& trained, std::size_t row) {
  return html_picture(page_picture(trained.model.pictures[row]),
                      "Training leaf " + trained.model.sample_names[row]);
}

// The photographs to look at, grouped by reason.
PageValues groups_of(const TrainedLeaves& trained) {
  PageValues groups = PageValues::array();
  std::optional<Look> last;
  for (const LookAt& look : trained.check.look) {
    if (last != look.look)
      groups.push_back({{"name", name_of(look.look)}, {"looks", PageValues::array()}});
    last = look.look;
    groups.back()["looks"].push_back(
        {{"picture", look.row ? picture_of(trained, *look.row) : ""}, {"text", look.text}});
  }
  return groups;
}

PageValues species_of(const TrainedLeaves& trained) {
  const std::vector<std::string>& names = trained.model.class_names;
  PageValues rows = PageValues::array();
  for (std::size_t c = 0; c < names.size(); ++c) {
    const CheckedClass& of_class = trained.check.classes[c];
    const double right = of_class.tested == 0 ? 0.0
                                              : static_cast<double>(of_class.right) /
                                                    static_cast<double>(of_class.tested);
    rows.push_back(
        {{"name", names[c]},
         {"leaves", of_class.leaves},
         {"right", sorted_cell(right, percent(right))},
         {"taken_for",
          of_class.taken_for < 0 ? "" : names[static_cast<std::size_t>(of_class.taken_for)]}});
  }
  return rows;
}

std::string more_html(const MorePhotographs& more) {
  Plot plot;
  plot.x_label = "photographs of each species";
  plot.y_label = "identified correctly, %";
  PlotSeries measured{"measured", {}, false}, expected{"expected", {}, true};
  for (const LearningPoint& point : more.curve.points) {
    measured.points.push_back(accuracy_point(static_cast<double>(point.leaves), point.top1));
  }
  PageValues rows = PageValues::array();
  for (const int times : {1, 2, 4}) {
    const int leaves = times * more.now;
    const double right = more.forecast.accuracy(leaves);
    expected.points.push_back({static_cast<double>(leaves), 100 * right, {}, {}});
    rows.push_back({{"leaves", leaves}, {"right", sorted_cell(right, percent(right))}});
  }
  plot.series = {std::move(measured), std::move(expected)};
  const std::string chart = html_chart(
      std::move(plot),
      "Share identified correctly when training on only some photographs of each species, "
      "extrapolated as if errors kept falling as a power of that number; a rough guess.");
  return filled_template(report_more_photographs(),
                         {{"chart", chart}, {"expected", std::move(rows)}});
}

}  // namespace

std::string html_check(const TrainedLeaves& trained) {
  Page page{"Training photographs", "LeafGlyph leaf check", trained.data_description + ".", {}};
  page.sections.push_back(
      {"result", "Result", "Result",
       filled_template(report_checked(), {{"right", accuracy_in_words(trained.check.accuracy)},
                                          {"unknown", unknown_in_words(trained.model)}})});
  page.sections.push_back({"look", "Look at", "Photographs to look at",
                           filled_template(report_look(), {{"groups", groups_of(trained)}})});
  page.sections.push_back(
      {"species", "Species", "Species by species",
       filled_template(report_checked_species(), {{"species", species_of(trained)}})});
  if (trained.check.more) {
    page.sections.push_back({"more", "More photographs", "What more photographs would bring",
                             more_html(*trained.check.more)});
  }
  return html_page(page);
}

}  // namespace leafglyph
