#include "classify/leaf_report/curves.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "features/base/text.h"

namespace leafglyph {

Curves::Curves(std::string x_label, std::string y_label) {
  plot.x_label = std::move(x_label);
  plot.y_label = std::move(y_label);
}

void Curves::start(const std::string& name, const std::string& column, bool reference) {
  plot.series.push_back({name, {}, reference});
  columns_.push_back(column);
}

void Curves::add(const PlotPoint& point, double at, std::string cell) {
  plot.series.back().points.push_back(point);
  cells_[static_cast<int>(std::lround(at))][columns_.size() - 1] = std::move(cell);
}

void Curves::add(const std::string& name, const PageValues& document, const char* figures,
                 const char* x, const char* y, double unit) {
  start(name, name);
  const bool several = document.value("splits", PageValues()).size() > 1;
  for (const PageValues& figure : document[figures]) {
    const double at = unit * figure[x].get<double>();
    const Summary share{figure[y]["mean"].get<double>(),
                        figure[y]["standard_deviation"].get<double>()};
    add(accuracy_point(at, share), at,
        percent(share.mean) + (several ? " ± " + percent(share.deviation) : ""));
  }
}

std::string Curves::html(std::string_view caption, const std::string& x_name) const {
  PageValues rows = PageValues::array();
  for (const auto& [x, row] : cells_) {
    PageValues texts = PageValues::array();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      texts.push_back(row.contains(c) ? row.at(c) : "");
    }
    rows.push_back({{"at", x}, {"cells", std::move(texts)}});
  }
  return html_chart(plot, caption) +
         filled_template(report_curve_table(),
                         {{"x", x_name}, {"series", columns_}, {"rows", std::move(rows)}});
}

PlotPoint accuracy_point(double x, const Summary& share) {
  const double y = 100.0 * share.mean;
  const double bar = 100.0 * share.deviation;
  return {x, y, std::max(0.0, y - bar), std::min(100.0, y + bar)};
}

Curves sweep_curves(std::span<const PageValues> documents, std::span<const std::string> names) {
  Curves curves("highest order of the moments", "top-1 accuracy, %");
  const PageValues* published = nullptr;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    if (!documents[d].contains("sweep")) continue;
    curves.add(names[d], documents[d], "sweep", "order", "top1");
    if (documents[d].contains("published_sweep")) published = &documents[d]["published_sweep"];
  }
  if (published != nullptr) curves.start("published (one split)", "published", /*reference=*/true);
  for (const PageValues& point : published != nullptr ? *published : PageValues::array()) {
    const double order = point["order"].get<double>(), top1 = point["top1"].get<double>();
    curves.add({order, 100.0 * top1, {}, {}}, order, percent(top1));
  }
  for (const PlotSeries& series : curves.plot.series) {
    for (const PlotPoint& point : series.points) curves.plot.x_ticks.push_back(point.x);
  }
  return curves;
}

}  // namespace leafglyph
