#include "classify/leaf_report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "classify/leaf_report/report.h"
#include "classify/page/html_page.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr double kLargestCell = 22;
constexpr double kSmallestCell = 3;
constexpr double kMatrixSide = 720;       // target side in pixels
constexpr double kNamedCell = 12;         // cells of this size have room for a name
constexpr double kCountedCell = 17;       // cells of this size have room for a count
constexpr double kNameLetter = 6.1;       // width of one byte of a name, in pixels
constexpr std::size_t kLongestName = 30;  // bytes of UTF-8; the rest is cut

struct Matrix {
  const EvaluationResult& result;
  std::size_t classes;
  double cell;
  double left;  // room for the names
  double top;
  double side() const { return cell * static_cast<double>(classes); }
  bool named() const { return cell >= kNamedCell; }
};

std::string length(double value) { return fmt::format("{:.4g}", value); }

std::string shortened(const std::string& name) {
  if (name.size() <= kLongestName) return name;
  std::size_t end = 0;
  std::size_t next = 0;
  while (next < kLongestName) {  // whole characters
    end = next;
    next += std::max<std::size_t>(1, utf8_length(std::string_view(name).substr(end)));
  }
  return name.substr(0, end) + "\xE2\x80\xA6";
}

Matrix layout(const EvaluationResult& result) {
  Matrix m{result, result.class_names.size(), 0, 0, 0};
  m.cell = std::clamp(std::floor(kMatrixSide / static_cast<double>(m.classes)), kSmallestCell,
                      kLargestCell);
  std::size_t letters = 0;
  for (const std::string& name : result.class_names) {
    letters = std::max(letters, shortened(name).size());
  }
  const double names = m.named() ? kNameLetter * static_cast<double>(letters) + 8 : 8;
  m.left = names + 26;
  m.top = names + 26;
  return m;
}

std::string names(const Matrix& m) {
  std::string svg;
  for (std::size_t c = 0; c < m.classes; ++c) {
    const double middle = (static_cast<double>(c) + 0.5) * m.cell;
    const std::string name = html_escaped(shortened(shown_species(m.result.class_names[c])));
    const std::string x = length(m.left + middle + 4);
    const std::string y = length(m.top - 6);
    svg += "<text class=\"matrix-name\" text-anchor=\"end\" x=\"" + length(m.left - 6) + "\" y=\"" +
           length(m.top + middle + 4) + "\">" + name + "</text>\n" +
           "<text class=\"matrix-name\" x=\"" + x + "\" y=\"" + y + "\" transform=\"rotate(-90 " +
           x + " " + y + ")\">" + name + "</text>\n";
  }
  return svg;
}

std::string grid(const Matrix& m) {
  std::string path;
  for (std::size_t c = 1; c < m.classes; ++c) {
    const double at = static_cast<double>(c) * m.cell;
    path += "M" + length(m.left + at) + " " + length(m.top) + "v" + length(m.side()) + "M" +
            length(m.left) + " " + length(m.top + at) + "h" + length(m.side());
  }
  return "<path class=\"matrix-line\" d=\"" + path + "\"/>\n<rect class=\"matrix-frame\" x=\"" +
         length(m.left) + "\" y=\"" + length(m.top) + "\" width=\"" + length(m.side()) +
         "\" height=\"" + length(m.side()) + "\"/>\n";
}

std::string cell(const Matrix& m, std::size_t truth, std::size_t prediction) {
  const std::size_t count = m.result.confusion[truth * m.classes + prediction];
  if (count == 0) return "";
  const std::size_t tests = m.result.classes[truth].tests;
  const double share = static_cast<double>(count) / static_cast<double>(tests);
  // The square root makes a single error visible beside a full diagonal.
  const double opacity = truth == prediction ? 0.6 * share : 0.2 + 0.5 * std::sqrt(share);
  const double x = m.left + static_cast<double>(prediction) * m.cell;
  const double y = m.top + static_cast<double>(truth) * m.cell;
  const std::string label =
      fmt::format("{} identified as {}: {} of {}", shown_species(m.result.class_names[truth]),
                  shown_species(m.result.class_names[prediction]), count, tests);
  std::string svg = "<rect class=\"" +
                    std::string(truth == prediction ? "matrix-right" : "matrix-wrong") + "\" x=\"" +
                    length(x) + "\" y=\"" + length(y) + "\" width=\"" + length(m.cell) +
                    "\" height=\"" + length(m.cell) + "\" fill-opacity=\"" + length(opacity) +
                    "\"><title>" + html_escaped(label) + "</title></rect>\n";
  if (m.cell >= kCountedCell && count < 1000) {
    svg += fmt::format(
        "<text class=\"matrix-count\" pointer-events=\"none\" x=\"{}\" y=\"{}\">{}</text>\n",
        length(x + m.cell / 2), length(y + m.cell / 2 + 3), count);
  }
  return svg;
}

std::string axis_titles(const Matrix& m) {
  const double middle_x = m.left + m.side() / 2;
  const double middle_y = m.top + m.side() / 2;
  return "<text class=\"matrix-title\" text-anchor=\"middle\" x=\"" + length(middle_x) +
         "\" y=\"16\">prediction</text>\n<text class=\"matrix-title\" text-anchor=\"middle\" "
         "x=\"14\" "
         "y=\"" +
         length(middle_y) + "\" transform=\"rotate(-90 14 " + length(middle_y) +
         ")\">truth</text>\n";
}

}  // namespace

std::string confusion_picture(const EvaluationResult& result) {
  const Matrix m = layout(result);
  const std::string width = length(m.left + m.side() + 10);
  const std::string height = length(m.top + m.side() + 10);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"Confusion matrix of {} "
      "classes; its cells off the diagonal are listed below as pairs\" width=\"{}\" height=\"{}\" "
      "viewBox=\"0 0 {} {}\">\n",
      m.classes, width, height, width, height);
  svg += axis_titles(m);
  if (m.named()) svg += names(m);
  for (std::size_t t = 0; t < m.classes; ++t) {
    for (std::size_t a = 0; a < m.classes; ++a) svg += cell(m, t, a);
  }
  return svg + grid(m) + "</svg>\n";
}

}  // namespace leafglyph
