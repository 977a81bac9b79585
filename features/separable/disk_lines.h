// The lines y = const along which the separable Zernike transform sums an image, and the places on
// each line.
#pragma once

#include <cstddef>
#include <vector>

#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// How pixels are sampled: kSubregion or kGauss with k x k points, or kExact.
struct DiskRule {
  int size = 0;   ///< N
  int order = 0;  ///< T: the exact method needs more lines for higher orders
  Method method = Method::kSubregion;
  int points = 1;  ///< k; ignored by kExact
  Mask mask = Mask::kCentre;
};

/// The rule for a spec of Zernike moments. Throws UsageError for other specs.
DiskRule disk_rule(const MomentSpec& spec, int size);
/// The rule for images from such moments. There, method and points only decide which pixels count.
DiskRule image_rule(const MomentSpec& spec, int size);
/// The pixel centres of the rows and columns that a rule counts.
DiskRule centres_of(const DiskRule& rule);

/// A pair of lines at y and -y.
struct DiskLine {
  std::size_t row = 0;      ///< the pair of pixel rows that they lie in
  double y = 0.0;           ///< >= 0
  double half_chord = 0.0;  ///< s = sqrt(1 - y^2)
  double weight = 0.0;      ///< in the quadrature along y
  std::size_t first = 0;    ///< first of the places with 0 <= x <= s that the line uses
  std::size_t places = 0;   ///< one past the last place
  bool cut = false;         ///< kExact: the circle cuts pair of columns places - 1 here
};

/// Lines and places. Rows and columns are paired about the centre. With N/2 rounded down, pair v of
/// rows is image rows N - 1 - (N/2 + v) (y > 0) and N/2 + v, and pair u of columns is columns
/// N/2 + u (x > 0) and N - 1 - (N/2 + u). If N is odd, both members of pair 0 are the middle row or
/// column. Places are the points of the rule (kSubregion, kGauss) or the pixel edges (kExact),
/// sorted by x >= 0 and the same for every line. Immutable.
class DiskLines {
 public:
  /// Throws UsageError when the size, the order or the number of points is out of range, or the
  /// method is not one of the three. With `split_rim` the exact method may put the edges near the
  /// rim, where the polynomials oscillate fastest, on lines of their own, so that the other edges
  /// need fewer lines.
  explicit DiskLines(const DiskRule& rule, bool split_rim = false);

  const DiskRule& rule() const { return rule_; }
  /// Number of pairs of rows, which is also the number of pairs of columns.
  std::size_t pairs() const { return columns_.size(); }
  /// How many pairs of columns count in pair v of rows, starting at the centre.
  std::size_t columns(std::size_t v) const { return columns_[v]; }
  /// Sorted by y.
  const std::vector<DiskLine>& lines() const { return lines_; }

  const std::vector<double>& x() const { return x_; }
  /// Pair of columns and quadrature weight along x of each point. Empty for kExact, where place e
  /// is the edge between pairs e - 1 and e (e = 0: x = 0).
  const std::vector<std::size_t>& column() const { return column_; }
  const std::vector<double>& weight() const { return weight_; }
  bool is_exact() const { return rule_.method == Method::kExact; }

 private:
  // Lines of the exact method between two angles asin y, at the nodes of a Gauss-Legendre rule,
  // with the places from `first` to `last`.
  struct Strip {
    std::size_t row;
    long double angle0, angle1;
    int nodes;
    std::size_t first, last;
  };

  void place_points();
  void place_edges();
  void place_exact_lines();
  void add_exact_strips(std::size_t v, std::vector<Strip>& strips);
  void add_exact_piece(std::size_t v, long double y0, long double y1, std::vector<Strip>& strips);
  std::size_t rim_edge(std::size_t outermost, double y0, double y1) const;
  void add_line(std::size_t v, long double y, long double weight, std::size_t first,
                std::size_t last, std::vector<DiskLine>& lines) const;

  DiskRule rule_;
  bool split_rim_;
  std::vector<std::size_t> columns_;
  std::vector<DiskLine> lines_;
  std::vector<double> x_;
  std::vector<std::size_t> column_;
  std::vector<double> weight_;
};

/// Number of Gauss-Legendre nodes that integrate Zernike polynomials of degree <= order along the
/// chord x = const from y0 to y1 (0 <= y0 < y1, x^2 + y1^2 <= 1). There the phase of a polynomial
/// of degree n changes by at most 2 c = n sqrt(1 - x^2)
/// (asin(y1 / sqrt(1 - x^2)) - asin(y0 / sqrt(1 - x^2))) (Baran's metric of the disk), and Gauss
/// nodes resolve it once there are more than c / 2.
int chord_nodes(int order, double x, double y0, double y1);

}  // namespace leafglyph
