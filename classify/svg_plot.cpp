#include "classify/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "features/errors.h"

namespace leafglyph {
namespace {

constexpr double kWidth = 820;
constexpr double kHeight = 520;
constexpr double kLeft = 72;
constexpr double kRight = 24;
constexpr double kTop = 66;
constexpr double kBottom = 104;
constexpr double kBarHalfWidth = 4;
constexpr double kMarker = 4;
constexpr double kLegendStep = 250;
// Told apart also by people who see few colours (Okabe and Ito); grey is for reference points.
constexpr std::array<const char*, 5> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#b58900"};
constexpr const char* kReferenceColour = "#555555";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::round(value * 100.0) / 100.0);
  return text;
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

struct Axis {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double start = 0;  // pixel of low
  double end = 0;    // pixel of high

  void include(double value) {
    if (!std::isfinite(value)) throw UsageError("a plot cannot show a value that is not finite");
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen() {
    if (high - low > 0.0) return;
    low -= 0.5;
    high += 0.5;
  }
  double pixel(double value) const { return start + (value - low) / (high - low) * (end - start); }
};

struct Axes {
  Axis x;
  Axis y;
  std::vector<double> x_ticks;
  std::vector<double> y_ticks;
};

std::vector<double> ticks(double low, double high, double step) {
  std::vector<double> result;
  for (double t = std::ceil(low / step - 1e-9) * step; t <= high + 1e-9 * step; t += step) {
    result.push_back(t);
  }
  return result;
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
  const double step = tick_step(axes.y.high - axes.y.low, 8);
  axes.y.low = std::floor(axes.y.low / step) * step;
  axes.y.high = std::ceil(axes.y.high / step) * step;
  axes.y_ticks = ticks(axes.y.low, axes.y.high, step);
  axes.x_ticks = plot.x_ticks.empty()
                     ? ticks(axes.x.low, axes.x.high, tick_step(axes.x.high - axes.x.low, 10))
                     : plot.x_ticks;
  const double margin = 0.03 * (axes.x.high - axes.x.low);
  axes.x.low -= margin;
  axes.x.high += margin;
  axes.x.start = kLeft;
  axes.x.end = kWidth - kRight;
  axes.y.start = kHeight - kBottom;
  axes.y.end = kTop;
  return axes;
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" " + style + "/>\n";
}

std::string text(double x, double y, const std::string& words, const std::string& style) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + style + ">" + escaped(words) +
         "</text>\n";
}

std::string frame(const Plot& plot, const Axes& axes) {
  const double bottom = axes.y.start;
  std::string svg = text(kLeft, 26, plot.title, "font-size=\"17\" font-weight=\"bold\"") +
                    text(kLeft, 48, plot.subtitle, "font-size=\"12.5\" fill=\"#555555\"");
  for (const double tick : axes.y_ticks) {
    const double y = axes.y.pixel(tick);
    svg += line(axes.x.start, y, axes.x.end, y, "stroke=\"#dddddd\"");
    svg += text(axes.x.start - 8, y + 4, number(tick), "text-anchor=\"end\" font-size=\"12\"");
  }
  double last_label = -std::numeric_limits<double>::infinity();
  for (const double tick : axes.x_ticks) {
    const double x = axes.x.pixel(tick);
    svg += line(x, bottom, x, bottom + 5, "stroke=\"#333333\"");
    if (x - last_label < 16) continue;  // labels must not run into each other
    svg += text(x, bottom + 19, number(tick), "text-anchor=\"middle\" font-size=\"12\"");
    last_label = x;
  }
  svg += line(axes.x.start, bottom, axes.x.end, bottom, "stroke=\"#333333\"");
  svg += line(axes.x.start, bottom, axes.x.start, axes.y.end, "stroke=\"#333333\"");
  const double middle_x = (axes.x.start + axes.x.end) / 2;
  const double middle_y = (axes.y.start + axes.y.end) / 2;
  svg += text(middle_x, bottom + 42, plot.x_label, "text-anchor=\"middle\" font-size=\"13\"");
  svg += text(20, middle_y, plot.y_label,
              "text-anchor=\"middle\" font-size=\"13\" transform=\"rotate(-90 20 " +
                  number(middle_y) + ")\"");
  return svg;
}

std::string marker(double x, double y, const char* colour, bool hollow) {
  return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(kMarker) +
         "\" stroke=\"" + colour + "\" stroke-width=\"1.5\" fill=\"" +
         (hollow ? "#ffffff" : colour) + "\"";
}

std::string draw(const PlotSeries& series, const Axes& axes, const char* colour) {
  const std::string stroke = std::string("stroke=\"") + colour + "\"";
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
    marks += marker(x, y, colour, series.reference) + "><title>" + escaped(series.name) + ": " +
             number(point.x) + ", " + number(point.y) + "</title></circle>\n";
  }
  return "<path d=\"" + path + "\" fill=\"none\" " + stroke + " stroke-width=\"2\"" +
         (series.reference ? " stroke-dasharray=\"6 4\"" : "") + "/>\n" + marks;
}

std::string legend_entry(const PlotSeries& series, const char* colour, std::size_t position) {
  const double x = kLeft + static_cast<double>(position % 3) * kLegendStep;
  const double y = kHeight - 36 + static_cast<double>(position / 3) * 18;
  return line(x, y, x + 26, y,
              std::string("stroke=\"") + colour + "\" stroke-width=\"2\"" +
                  (series.reference ? " stroke-dasharray=\"6 4\"" : "")) +
         marker(x + 13, y, colour, series.reference) + "/>\n" +
         text(x + 34, y + 4, series.name, "font-size=\"12.5\"");
}

}  // namespace

std::string svg_plot(const Plot& plot) {
  const Axes axes = make_axes(plot);
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(kWidth) + " " +
      number(kHeight) + "\" width=\"" + number(kWidth) + "\" height=\"" + number(kHeight) +
      "\" font-family=\"system-ui, 'DejaVu Sans', Arial, sans-serif\" "
      "fill=\"#222222\" role=\"img\">\n<title>" +
      escaped(plot.title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  svg += frame(plot, axes);
  std::size_t measured = 0;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const PlotSeries& series = plot.series[i];
    const char* colour =
        series.reference ? kReferenceColour : kColours[measured++ % kColours.size()];
    svg += draw(series, axes, colour) + legend_entry(series, colour, i);
  }
  return svg + "</svg>\n";
}

}  // namespace leafglyph
