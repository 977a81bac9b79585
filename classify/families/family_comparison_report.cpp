#include <fmt/format.h>

#include <algorithm>

#include "classify/families/family_comparison.h"
#include "classify/page/svg_plot.h"

namespace leafglyph {
namespace {

// A share from 0 to 1 as a percentage; "-" if there is none.
std::string percent_cell(const std::optional<double>& share, int decimals) {
  return share ? fmt::format("{:.{}f}", 100.0 * *share, decimals) : "-";
}

// One panel with a series per family of the values returned by `value`; empty if there are none.
template <class Value>
std::string panel(std::span<const FamilyPoint> points, PlotAgainst against,
                  const std::string& title, const std::string& y_label, const Value& value) {
  const bool by_order = against == PlotAgainst::kOrder;
  Plot plot;
  plot.title = title;
  plot.x_label = by_order ? "order" : "moments, both signs of m counted";
  plot.y_label = y_label;
  for (const FamilyPoint& point : points) {
    const std::optional<double> y = value(point);
    if (!y) continue;
    auto series = std::find_if(plot.series.begin(), plot.series.end(),
                               [&](const PlotSeries& s) { return s.name == point.family.name; });
    if (series == plot.series.end()) {
      plot.series.push_back({point.family.name, {}, false});
      series = plot.series.end() - 1;
    }
    const double x = by_order ? point.order : static_cast<double>(point.moments);
    series->points.push_back({x, *y, {}, {}});
  }
  return plot.series.empty() ? std::string() : svg_plot(plot);
}

}  // namespace

std::string comparison_text(std::span<const FamilyPoint> points) {
  Table table(
      "family:text order moments PSNR/dB:.2f moments/s:.4f image/s:.4f leaves/% look-alikes/%");
  for (const FamilyPoint& point : points) {
    table.add(point.family.name, point.order, point.moments, point.psnr, point.compute_seconds,
              point.image_seconds, percent_cell(point.leaf_accuracy, 2),
              percent_cell(point.recall, 0));
  }
  return table.aligned(14);
}

Table comparison_table(std::span<const FamilyPoint> points) {
  Table table(
      "family:text order moments psnr_disk:.6g seconds_moments:.6g "
      "seconds_image:.6g leaf_accuracy:.6g lookalike_recall:.6g");
  for (const FamilyPoint& point : points) {
    table.add(point.family.name, point.order, point.moments, point.psnr, point.compute_seconds,
              point.image_seconds, point.leaf_accuracy, point.recall);
  }
  return table;
}

std::string comparison_svg(std::span<const FamilyPoint> points, PlotAgainst against,
                           const std::string& image_name) {
  const Plot size;  // every panel has the default size
  std::vector<std::string> panels = {
      panel(points, against, "Reconstruction of " + image_name, "PSNR in dB",
            [](const FamilyPoint& point) { return std::optional<double>(point.psnr); }),
      panel(points, against, "Leaves distinguished", "accuracy in %",
            [](const FamilyPoint& point) {
              return point.leaf_accuracy ? std::optional<double>(100.0 * *point.leaf_accuracy)
                                         : std::nullopt;
            }),
      panel(points, against, "Look-alike characters among the ten nearest", "share in %",
            [](const FamilyPoint& point) {
              return point.recall ? std::optional<double>(100.0 * *point.recall) : std::nullopt;
            })};
  std::erase(panels, std::string());
  std::string svg =
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:g}\" height=\"{:g}\">\n",
                  size.width, size.height * static_cast<double>(panels.size()));
  for (std::size_t p = 0; p < panels.size(); ++p) {
    svg += fmt::format("<g transform=\"translate(0 {:g})\">{}</g>\n",
                       size.height * static_cast<double>(p), panels[p]);
  }
  return svg + "</svg>\n";
}

}  // namespace leafglyph
