#include <algorithm>
#include <array>
#include <cstdio>

#include "classify/families/family_comparison.h"
#include "classify/page/svg_plot.h"

namespace leafglyph {
namespace {

std::string decimal(double value, const char* format) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string optional_cell(const std::optional<double>& value, double scale, const char* format,
                          const char* absent) {
  return value ? decimal(scale * *value, format) : absent;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

// One panel: the values that `value` gives, a series for each family; empty without any.
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
  std::size_t width = 14;
  for (const FamilyPoint& point : points) width = std::max(width, point.family.name.size());
  std::string text = padded("family", width) +
                     "  order  moments  PSNR/dB  moments/s  image/s  leaves/%  look-alikes/%\n";
  for (const FamilyPoint& point : points) {
    text += padded(point.family.name, width) + decimal(point.order, "%7.0f") +
            decimal(static_cast<double>(point.moments), "%9.0f") + decimal(point.psnr, "%9.2f") +
            decimal(point.compute_seconds, "%11.4f") + decimal(point.image_seconds, "%9.4f") +
            optional_cell(point.leaf_accuracy, 100.0, "%10.2f", "         -") +
            optional_cell(point.recall, 100.0, "%15.0f", "              -") + "\n";
  }
  return text;
}

std::string comparison_csv(std::span<const FamilyPoint> points) {
  std::string text =
      "family,order,moments,psnr_disk,seconds_moments,seconds_image,leaf_accuracy,"
      "lookalike_recall\n";
  for (const FamilyPoint& point : points) {
    text += point.family.name + "," + std::to_string(point.order) + "," +
            std::to_string(point.moments) + "," + decimal(point.psnr, "%.6g") + "," +
            decimal(point.compute_seconds, "%.6g") + "," + decimal(point.image_seconds, "%.6g") +
            "," + optional_cell(point.leaf_accuracy, 1.0, "%.6g", "") + "," +
            optional_cell(point.recall, 1.0, "%.6g", "") + "\n";
  }
  return text;
}

std::string comparison_svg(std::span<const FamilyPoint> points, PlotAgainst against,
                           const std::string& image_name) {
  const Plot size;  // every panel has the default size
  std::vector<std::string> panels = {
      panel(points, against, "Reconstruction of " + image_name, "PSNR in dB",
            [](const FamilyPoint& point) { return std::optional<double>(point.psnr); }),
      panel(points, against, "Leaves told apart", "accuracy in %",
            [](const FamilyPoint& point) {
              return point.leaf_accuracy ? std::optional<double>(100.0 * *point.leaf_accuracy)
                                         : std::nullopt;
            }),
      panel(points, against, "Look-alike characters among the ten nearest", "share in %",
            [](const FamilyPoint& point) {
              return point.recall ? std::optional<double>(100.0 * *point.recall) : std::nullopt;
            })};
  std::erase(panels, std::string());
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    decimal(size.width, "%g") + "\" height=\"" +
                    decimal(size.height * static_cast<double>(panels.size()), "%g") + "\">\n";
  for (std::size_t p = 0; p < panels.size(); ++p) {
    svg += "<g transform=\"translate(0 " + decimal(size.height * static_cast<double>(p), "%g") +
           ")\">" + panels[p] + "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace leafglyph
