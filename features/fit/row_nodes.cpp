#include "features/fit/row_nodes.h"

#include <cstddef>

#include "features/moments/disk_grid.h"
#include "features/moments/legendre.h"

namespace leafglyph {
namespace {

// With u = -1 ... 1 from the first to the last point, the sum of weight p(u) is that over the nodes
// of omega p(u) sum of (2n + 1) / 2 M_n P_n(u), M_n = sum of weight P_n: for p of degree d the rule
// of d + 1 nodes is exact to degree 2 d + 1.
void add_nodes(std::span<const WeightedPoint> run, const PixelQuadrature& rule,
               std::span<double> values, std::span<double> sums,
               std::vector<WeightedPoint>& nodes) {
  const double middle = (run.front().x + run.back().x) / 2.0;
  const double half = (run.back().x - run.front().x) / 2.0;
  for (double& sum : sums) sum = 0.0;
  for (const WeightedPoint& point : run) {
    legendre_values((point.x - middle) / half, values);
    for (std::size_t n = 0; n < values.size(); ++n) sums[n] += point.weight * values[n];
  }
  for (std::size_t n = 0; n < sums.size(); ++n) sums[n] *= static_cast<double>(n) + 0.5;
  for (int k = 0; k < rule.points(); ++k) {
    const auto u = static_cast<double>(rule.nodes[static_cast<std::size_t>(k)]);
    legendre_values(u, values);
    double density = 0.0;
    for (std::size_t n = 0; n < values.size(); ++n) density += sums[n] * values[n];
    nodes.push_back({middle + half * u, run.front().y,
                     density * static_cast<double>(rule.weights[static_cast<std::size_t>(k)])});
  }
}

}  // namespace

std::vector<WeightedPoint> fewer_points(std::span<const WeightedPoint> points, int degree,
                                        double gap) {
  const PixelQuadrature rule = gauss_legendre_rule(degree + 1);
  const auto fewest = static_cast<std::size_t>(degree) + 1;
  std::vector<double> values(fewest);
  std::vector<double> sums(fewest);
  std::vector<WeightedPoint> nodes;
  for (std::size_t first = 0; first < points.size();) {
    std::size_t last = first + 1;
    while (last < points.size() && points[last].y == points[first].y &&
           points[last].x - points[last - 1].x <= gap) {
      ++last;
    }
    const auto run = points.subspan(first, last - first);
    if (run.size() > fewest) {
      add_nodes(run, rule, values, sums, nodes);
    } else {
      nodes.insert(nodes.end(), run.begin(), run.end());
    }
    first = last;
  }
  return nodes;
}

}  // namespace leafglyph
