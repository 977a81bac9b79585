#include "features/separable/line_nodes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/threads.h"
#include "features/separable/recurrence_kernels.h"

namespace leafglyph {
namespace {

// Bounds on half the phase range of a panel's polynomials, in radians. Approximate.
constexpr double kLeastPanelPhase = 14.0;
constexpr double kMostPanelPhase = 448.0;

double angle_of(const DiskLine& line) { return std::atan2(line.y, line.half_chord); }

// Number of nodes, a multiple of kGroupLines, that interpolate polynomials with a phase range of
// 2 c to the last digits of double. Their Chebyshev coefficients are the Bessel functions
// J_p(c) < (c/2)^p / p!.
std::size_t panel_nodes(double c) {
  double coefficient = 1.0;
  std::size_t count = 0;
  while (coefficient > 1e-17 || count % kGroupLines != 0) {
    ++count;
    coefficient *= 0.5 * c / static_cast<double>(count);
  }
  return std::max(count, kGroupLines);
}

// Half the phase range per panel that costs least, in multiply-adds per k. Larger panels need fewer
// nodes in total but more weights per line. `phase` is half the phase range of the polynomials over
// all lines.
double panel_phase(double phase, double lines, double order) {
  const auto cost = [&](double c) {
    const auto nodes = static_cast<double>(panel_nodes(c));
    // As RecurrenceMoments::operations counts, for phase / c panels.
    return 2 * lines * nodes + 1.5 * order * nodes * phase / c;
  };
  double best = kLeastPanelPhase;
  while (2 * best <= std::min(phase, kMostPanelPhase) && cost(2 * best) < cost(best)) best *= 2;
  return best;
}

// Of node i of a panel; the node is at -cos of it, on [-1, 1].
double chebyshev_angle(std::size_t i, std::size_t count) {
  return (2.0 * static_cast<double>(i) + 1.0) * std::numbers::pi /
         (2.0 * static_cast<double>(count));
}

}  // namespace

LineNodes::LineNodes(const DiskLines& lines, bool merge) {
  const auto& all = lines.lines();
  if (!merge || all.empty()) {
    for (const DiskLine& line : all) nodes_.push_back({line.y, line.half_chord});
    ends_.push_back(nodes_.size());
    return;
  }
  const double phase = 0.5 * (lines.rule().order + 1) * angle_of(all.back());
  const double panel = panel_phase(phase, static_cast<double>(all.size()), lines.rule().order);
  const double width = angle_of(all.back()) / std::ceil(phase / panel + 1e-9);
  for (std::size_t first = 0; first < all.size();) {
    const double end = (std::floor(angle_of(all[first]) / width) + 1.0) * width;
    std::size_t last = first + 1;
    // Panels of equal angles; one without lines has no nodes.
    while (last < all.size() && angle_of(all[last]) < end) ++last;
    add_panel(lines, first, last);
    first = last;
  }
}

void LineNodes::add_panel(const DiskLines& lines, std::size_t first, std::size_t last) {
  const double low = angle_of(lines.lines()[first]);
  // Even a panel with one line needs distinct nodes.
  const double half = std::max(0.5 * (angle_of(lines.lines()[last - 1]) - low), 1e-6);
  const std::size_t count = panel_nodes((lines.rule().order + 1) * half);
  panels_.push_back({first, last, nodes_.size(), count, weights_, low, half});
  weights_ += (last - first) * count;
  for (std::size_t i = 0; i < count; ++i) {
    // Chebyshev nodes in the angle, in which the polynomials are trigonometric.
    const double angle = low + half * (1.0 - std::cos(chebyshev_angle(i, count)));
    nodes_.push_back({std::sin(angle), std::cos(angle)});
  }
  ends_.push_back(nodes_.size());
}

double LineNodes::bytes() const {
  return static_cast<double>(nodes_.capacity() * sizeof(LineNode) + weights_ * sizeof(double));
}

// Weights of barycentric interpolation (Berrut and Trefethen 2004).
NodeWeights::NodeWeights(const DiskLines& lines, const LineNodes& nodes)
    : weights_(nodes.weights()) {
  const auto& panels = nodes.panels();
  if (panels.empty()) return;
  std::vector<double> at(nodes.nodes().size());  // the nodes on [-1, 1]
  std::vector<double> factor(at.size());
  for (const LineNodes::Panel& panel : panels) {
    for (std::size_t i = 0; i < panel.nodes; ++i) {
      const double angle = chebyshev_angle(i, panel.nodes);
      at[panel.first_node + i] = -std::cos(angle);
      factor[panel.first_node + i] = (i % 2 == 0 ? 1.0 : -1.0) * std::sin(angle);
    }
  }
  const Rounds lines_of_panels{.count = panels.back().last_line,
                               .at_a_time = 64,
                               .nanoseconds = 4.0 * static_cast<double>(panels.back().nodes)};
  parallel_for(lines_of_panels, [&](std::size_t line) {
    const auto& panel = *std::ranges::upper_bound(panels, line, {}, &LineNodes::Panel::last_line);
    const double x = (angle_of(lines.lines()[line]) - panel.low) / panel.half - 1.0;
    double* weights =
        weights_.data() + panel.first_weight + (line - panel.first_line) * panel.nodes;
    double sum = 0.0;
    for (std::size_t i = 0; i < panel.nodes; ++i) {
      const double node = at[panel.first_node + i];
      // If x is a node, this makes the weights of the others vanish in rounding.
      const double difference = x == node ? 1e-300 : x - node;
      weights[i] = factor[panel.first_node + i] / difference;
      sum += weights[i];
    }
    for (std::size_t i = 0; i < panel.nodes; ++i) weights[i] /= sum;
  });
}

}  // namespace leafglyph
