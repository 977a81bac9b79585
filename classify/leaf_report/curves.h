// Charts of the figures in documents, each with a table.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/page/page_template.h"
#include "classify/page/svg_plot.h"

namespace leafglyph {

/// Curves by the same x, and their figures: a row per x, a column per curve.
class Curves {
 public:
  Curves(std::string x_label, std::string y_label);

  /// Starts a curve; `column` names its figures. A reference is drawn dashed.
  void start(const std::string& name, const std::string& column, bool reference = false);
  /// Adds to the curve that was started last; `cell` stands in the row of the rounded `at`.
  void add(const PlotPoint& point, double at, std::string cell);
  /// A whole curve of a document: the shares `y` of its member `figures` by `unit` times `x`.
  void add(const std::string& name, const PageValues& document, const char* figures, const char* x,
           const char* y, double unit = 1);

  Plot plot;
  /// HTML: the chart with its caption, and the table, whose rows are named `x_name`.
  std::string html(std::string_view caption, const std::string& x_name) const;

 private:
  std::vector<std::string> columns_;
  std::map<int, std::map<std::size_t, std::string>> cells_;
};

/// A share in percent, with its standard deviation as an error bar that stays within 0 and 100.
PlotPoint accuracy_point(double x, const Summary& share);

/// Accuracy by order in documents with a sweep, one curve each by its name, and the published
/// figures.
Curves sweep_curves(std::span<const PageValues> documents, std::span<const std::string> names);

}  // namespace leafglyph
