#include "classify/page/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "classify/page/html_page.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr double kLeft = 72;
constexpr double kRight = 24;
constexpr double kTop = 18;
constexpr double kTitleRoom = 48;  // extra space at the top for a title
constexpr double kBottom = 68;     // without the legend
constexpr double kLegendLine = 18;
constexpr double kTickRoom = 70;  // least distance between labelled ticks
constexpr double kBarHalfWidth = 4;
constexpr double kMarker = 4;
constexpr double kLegendStep = 240;
constexpr double kLargest = 1e300;   // leaves room for the margins of an axis
constexpr double kNarrowest = 1e-9;  // least range of an axis, relative to its values or 1
constexpr double kTickSlack = 1e-9;  // steps by which a tick may lie beyond the end of an axis
// Colours that colour-blind readers can distinguish (Okabe and Ito). Grey is for reference points.
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#b58900", "#7a4a21", "#7b3294", "#2f7f8c"};
constexpr const char* kReferenceColour = "#555555";

std::string number(double value) {
  // Adding 0 turns -0 into 0.
  return fmt::format("{:.6g}", std::round(value * 100.0) / 100.0 + 0.0);
}

// The 1-2-5 step that gives at most `most` intervals.
double tick_step(double range, int most) {
  const double raw = range / most;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10.0 * power;
}

struct PlotAxis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double start = 0;  // pixel of low
  double end = 0;    // pixel of high

  void include(double value) {
    if (!(std::abs(value) <= kLargest)) {
      throw UsageError(fmt::format("a plot cannot show {}; it shows numbers from -{:g} to {:g}",
                                   value, kLargest, kLargest));
    }
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Widens a range whose ends differ only in their last bits, because adding a step would not
  // change such values.
  void widen() {
    const double size = std::max({1.0, std::abs(low), std::abs(high)});
    if (high - low > kNarrowest * size) return;
    const double margin = std::max(0.5, 0.005 * size);
    low -= margin;
    high += margin;
  }
  double pixel(double value) const { return start + (value - low) / (high - low) * (end - start); }
};

struct Axes {
  PlotAxis x;
  PlotAxis y;
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
};

// Multiples of the step, by counting. A loop that adds steps would never end if the step is smaller
// than the last bit of the values.
std::vector<double> ticks(double low, double high, double step) {
  const double first = std::ceil(low / step - kTickSlack);
  const auto count = static_cast<int>(std::floor(high / step + kTickSlack) - first) + 1;
  std::vector<double> result(static_cast<std::size_t>(std::max(count, 0)));
  for (int i = 0; i < count; ++i) result[static_cast<std::size_t>(i)] = (first + i) * step;
  return result;
}

// Legend entries side by side, and the resulting lines.
std::size_t legend_columns(const Plot& plot) {
  return std::max<std::size_t>(1, static_cast<std::size_t>((plot.width - kLeft) / kLegendStep));
}
std::size_t legend_lines(const Plot& plot) {
  return (plot.series.size() + legend_columns(plot) - 1) / legend_columns(plot);
}

Axes make_axes(const Plot& plot) {
  Axes axes;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      axes.x.include(point.x);
      axes.y.include(point.y);
      if (point.low) axes.y.include(*point.low);
      if (point.high) axes.y.include(*point.high);
    }
  }
  if (axes.x.low > axes.x.high) throw UsageError("a plot needs at least one point");
  axes.x.widen();
  axes.y.widen();
  axes.x.start = kLeft;
  axes.x.end = plot.width - kRight;
  axes.y.start = plot.height - kBottom - kLegendLine * static_cast<double>(legend_lines(plot));
  axes.y.end = plot.title.empty() ? kTop : kTop + kTitleRoom;
  const double step = tick_step(axes.y.high - axes.y.low, 8);
  axes.y.low = std::floor(axes.y.low / step) * step;
  axes.y.high = std::ceil(axes.y.high / step) * step;
  axes.y_ticks = ticks(axes.y.low, axes.y.high, step);
  axes.x_ticks =
      plot.x_ticks.empty()
          ? ticks(axes.x.low, axes.x.high,
                  tick_step(axes.x.high - axes.x.low,
                            std::max(1, static_cast<int>((axes.x.end - axes.x.start) / kTickRoom))))
          : plot.x_ticks;
  const double margin = 0.03 * (axes.x.high - axes.x.low);
  axes.x.low -= margin;
  axes.x.high += margin;
  return axes;
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" " + style + "/>\n";
}

std::string text(double x, double y, const std::string& words, const std::string& style) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" +
         html_escaped(words) + "</text>\n";
}

std::string frame(const Plot& plot, const Axes& axes) {
  const double bottom = axes.y.start;
  std::string svg;
  if (!plot.title.empty()) {
    svg +=
        text(kLeft, 26, plot.title, "font-size=\"17\" font-weight=\"bold\"") +
        text(kLeft, 48, plot.subtitle, "class=\"plot-note\" font-size=\"12.5\" fill=\"#555555\"");
  }
  for (const double tick : axes.y_ticks) {
    const double y = axes.y.pixel(tick);
    svg += line(axes.x.start, y, axes.x.end, y, "class=\"plot-grid\" stroke=\"#dddddd\"");
    svg += text(axes.x.start - 8, y + 4, number(tick), "text-anchor=\"end\" font-size=\"12\"");
  }
  double last_label = -std::numeric_limits<double>::infinity();
  for (const double tick : axes.x_ticks) {
    const double x = axes.x.pixel(tick);
    svg += line(x, bottom, x, bottom + 5, "class=\"plot-axis\" stroke=\"#333333\"");
    if (x - last_label < 16) continue;  // labels must not run into each other
    svg += text(x, bottom + 19, number(tick), "text-anchor=\"middle\" font-size=\"12\"");
    last_label = x;
  }
  svg += line(axes.x.start, bottom, axes.x.end, bottom, "class=\"plot-axis\" stroke=\"#333333\"");
  svg += line(axes.x.start, bottom, axes.x.start, axes.y.end,
              "class=\"plot-axis\" stroke=\"#333333\"");
  const double middle_x = (axes.x.start + axes.x.end) / 2;
  const double middle_y = (axes.y.start + axes.y.end) / 2;
  svg += text(middle_x, bottom + 42, plot.x_label, "text-anchor=\"middle\" font-size=\"13\"");
  svg += text(20, middle_y, plot.y_label,
              "text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 20 " +
                  number(middle_y) + ")\"");
  return svg;
}

// Drawn in the colour of the enclosing group.
std::string marker(double x, double y, bool hollow) {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(kMarker) +
         "\" stroke=\"currentColor\" stroke-width=\"1.5\" " +
         (hollow ? "class=\"plot-paper\" fill=\"#ffffff\"" : "fill=\"currentColor\"");
}

std::string dashes(const PlotSeries& series) {
  return series.reference ? " stroke-dasharray=\"6 4\"" : "";
}

std::string draw(const PlotSeries& series, const Axes& axes) {
  const std::string stroke = "stroke=\"currentColor\"";
  std::string path;
  std::string marks;
  for (const PlotPoint& point : series.points) {
    const double x = axes.x.pixel(point.x);
    const double y = axes.y.pixel(point.y);
    path += (path.empty() ? "M" : " L") + number(x) + " " + number(y);
    if (point.low && point.high) {
      const double low = axes.y.pixel(*point.low);
      const double high = axes.y.pixel(*point.high);
      marks += line(x, low, x, high, stroke);
      marks += line(x - kBarHalfWidth, low, x + kBarHalfWidth, low, stroke);
      marks += line(x - kBarHalfWidth, high, x + kBarHalfWidth, high, stroke);
    }
    marks += marker(x, y, series.reference) + "><title>" + html_escaped(series.name) + ": " +
             number(point.x) + ", " + number(point.y) + "</title></circle>\n";
  }
  return "<path d=\"" + path + "\" fill=\"none\" " + stroke + " stroke-width=\"2\"" +
         dashes(series) + "/>\n" + marks;
}

std::string legend_entry(const PlotSeries& series, const Plot& plot, std::size_t position) {
  const std::size_t columns = legend_columns(plot);
  const std::size_t below = legend_lines(plot) - 1 - position / columns;
  const double x = kLeft + static_cast<double>(position % columns) * kLegendStep;
  const double y = plot.height - 14 - static_cast<double>(below) * kLegendLine;
  return line(x, y, x + 26, y, "stroke=\"currentColor\" stroke-width=\"2\"" + dashes(series)) +
         marker(x + 13, y, series.reference) + "/>\n" +
         text(x + 34, y + 4, series.name, "font-size=\"12.5\"");
}

// The group that gives a series its colour.
std::string colour_group(const PlotSeries& series, std::size_t& measured) {
  if (series.reference) {
    return std::string("<g class=\"plot-reference\" color=\"") + kReferenceColour + "\">\n";
  }
  const std::size_t number = measured++ % kColours.size();
  return fmt::format("<g class=\"plot-series-{}\" color=\"{}\">\n", number + 1, kColours[number]);
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  const Axes axes = make_axes(plot);
  const std::string& name = plot.title.empty() ? plot.x_label : plot.title;
  std::string svg = "<svg class=\"plot-ink\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                    number(plot.width) + " " + number(plot.height) + "\" width=\"" +
                    number(plot.width) + "\" height=\"" + number(plot.height) +
                    "\" font-family=\"system-ui, 'DejaVu Sans', Arial, sans-serif\" "
                    "fill=\"#222222\" role=\"img\">\n<title>" +
                    html_escaped(name) +
                    "</title>\n<rect class=\"plot-paper\" width=\"100%\" height=\"100%\" "
                    "fill=\"#ffffff\"/>\n";
  svg += frame(plot, axes);
  std::size_t measured = 0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    svg += colour_group(series, measured) + draw(series, axes) + legend_entry(series, plot, i) +
           "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace leafglyph
