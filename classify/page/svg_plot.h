// Line charts as SVG: measured series with error bars, and reference points.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace leafglyph {

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<double> low;  ///< ends of the error bar
  std::optional<double> high;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
  bool reference = false;  ///< drawn dashed and hollow: figures of others
};

struct Plot {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;
  std::vector<double> x_ticks;  ///< empty: chosen automatically
  std::vector<PlotSeries> series;
  double width = 820;  ///< in pixels
  double height = 520;
};

/// A self-contained <svg> element that needs no script, style sheet or font of its own. Empty
/// titles and subtitles take no room; `x_label` then names the element. A page may restyle its
/// parts by their classes: plot-paper, plot-ink, plot-note, plot-grid, plot-axis, plot-reference
/// and plot-series-1, -2, ... (series are drawn in their `color`). Throws UsageError when no series
/// has a point or a value is not a number from -1e300 to 1e300. Whatever the values, an axis has
/// few ticks.
std::string svg_plot(const Plot& plot);

}  // namespace leafglyph
