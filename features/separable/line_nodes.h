// Where the sums across lines are evaluated: on the lines themselves or on fewer nodes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/separable/disk_lines.h"

namespace leafglyph {

struct LineNode {
  double y;
  double half_chord;
};

/// The polynomials phi_nk(y), n <= T, are trigonometric polynomials of degree T in the angle asin
/// y. So within a panel of angles, their values on any number of lines follow from those on a few
/// Chebyshev nodes: phi(line) = sum of weight(line, node) phi(node), to the last digits of double.
/// Each line passes what it carries to the nodes with these weights (NodeWeights), and the sums
/// across lines run over the nodes. Immutable.
class LineNodes {
 public:
  /// The nodes that represent `lines`; without `merge`, the lines themselves.
  LineNodes(const DiskLines& lines, bool merge);

  struct Panel {
    std::size_t first_line;
    std::size_t last_line;  ///< one past its last line
    std::size_t first_node;
    std::size_t nodes;  ///< a multiple of kGroupLines
    std::size_t first_weight;
    double low;   ///< angle of its first line
    double half;  ///< half the range of its angles
  };

  /// Sorted by y.
  const std::vector<LineNode>& nodes() const { return nodes_; }
  /// Sorted by y; empty when the lines themselves are the nodes.
  const std::vector<Panel>& panels() const { return panels_; }
  /// One past the last node of each panel; without panels, one past the last node of all.
  const std::vector<std::size_t>& ends() const { return ends_; }
  /// Number of weights of all panels.
  std::size_t weights() const { return weights_; }

  /// Of the nodes and their weights.
  double bytes() const;

 private:
  void add_panel(const DiskLines& lines, std::size_t first, std::size_t last);

  std::vector<LineNode> nodes_;
  std::vector<Panel> panels_;
  std::vector<std::size_t> ends_;
  std::size_t weights_ = 0;
};

/// The weights of the lines at the nodes of their panels. Immutable.
class NodeWeights {
 public:
  NodeWeights(const DiskLines& lines, const LineNodes& nodes);

  /// Those of one line of a panel.
  const double* of(const LineNodes::Panel& panel, std::size_t line) const {
    return weights_.data() + panel.first_weight + (line - panel.first_line) * panel.nodes;
  }
  /// Those of all panels; each panel's begin at Panel::first_weight.
  std::span<const double> all() const { return weights_; }

 private:
  AlignedVector<double> weights_;
};

}  // namespace leafglyph
