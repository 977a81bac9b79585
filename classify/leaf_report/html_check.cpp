// The page of a check.
#include <limits>
#include <nlohmann/json.hpp>

#include "classify/leaf_report/curves.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"

namespace leafglyph {
namespace {

std::string photographs_html(const LeafModel& model, const PageValues& document) {
  PageValues groups = look_groups(document, std::numeric_limits<std::size_t>::max());
  for (PageValues& group : groups) {
    for (PageValues& look : group["looks"]) {
      if (!look.contains("row")) continue;
      look["picture"] = html_picture(page_picture(model.pictures[look["row"]]),
                                     "Training leaf " + look["leaf"].get<std::string>());
    }
  }
  return looks_html(std::move(groups));
}

std::string more_html(const PageValues& document) {
  Curves curves("photographs of each species", "identified correctly, %");
  curves.add("measured", document, "learning_curve", "photographs", "right");
  PlotSeries expected{"expected", {}, true};
  for (const PageValues& more : document["more"]) {
    expected.points.push_back(
        {more["photographs"].get<double>(), 100 * more["right"].get<double>(), {}, {}});
  }
  curves.plot.series.push_back(std::move(expected));
  const std::string chart = html_chart(
      std::move(curves.plot),
      "Share identified correctly when training on only some photographs of each species, "
      "extrapolated as if errors kept falling as a power of that number; a rough guess.");
  return filled_template(report_more_photographs(), {{"chart", chart}}, document);
}

}  // namespace

std::string html_check(const LeafModel& model) {
  const PageValues document = check_document(model);
  Page page{"Training photographs", "LeafGlyph leaf check", model.history.data + ".", {}};
  page.sections = {{"result", "Result", "Result", filled_template(report_checked(), document)},
                   {"look", "Look at", "Photographs to look at", photographs_html(model, document)},
                   {"species", "Species", "Species by species",
                    filled_template(report_checked_species(), document)}};
  if (document.contains("more")) {
    page.sections.push_back(
        {"more", "More photographs", "What more photographs would bring", more_html(document)});
  }
  return html_page(page);
}

}  // namespace leafglyph
