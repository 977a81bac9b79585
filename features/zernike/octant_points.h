// The sampling points of the pixels in one octant of the disk, sorted by radius. They are generated
// for the intervals of a PolarPlan, so that they never occupy memory all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "features/moments/disk_grid.h"
#include "features/moments/moment_spec.h"
#include "features/zernike/polar_plan.h"

namespace leafglyph {

/// Points of one interval in polar form.
struct PointGroup {
  static constexpr std::size_t kCapacity = 64;
  std::size_t count = 0;
  double position[kCapacity];  ///< in cells, see SpreadKernels::polar
  double radius[kCapacity];
  double cosine[kCapacity];
  double sine[kCapacity];
  double area[kCapacity];          ///< factor for the pixel's value
  std::uint32_t pixel[kCapacity];  ///< rank of the pixel in OctantPoints
};

/// What the transforms need for the points of a group: weights in cells and e^{j m theta}.
class AngularFactors {
 public:
  /// Computes them for `group`, starting at m = 0. Pads group.position to a multiple of
  /// kSpreadBlock.
  void start(const PolarPlan& plan, const SpreadKernels& kernels, PointGroup& group);
  /// The group for SpreadKernels::spread and gather. The caller sets its factors or sums.
  SpreadGroup group(std::size_t count);

 private:
  static constexpr std::size_t kPoints = PointGroup::kCapacity;
  std::vector<double> weights_ = std::vector<double>(kSpreadWidth * kPoints);
  std::vector<double> cosines_ = std::vector<double>(kSpreadBlock * kPoints);
  std::vector<double> sines_ = std::vector<double>(kSpreadBlock * kPoints);
  std::vector<double> turn_cosine_ = std::vector<double>(kPoints);
  std::vector<double> turn_sine_ = std::vector<double>(kPoints);
  std::vector<double> real_ = std::vector<double>(kSpreadBlock * kPoints);
  std::vector<double> imaginary_ = std::vector<double>(kSpreadBlock * kPoints);
};

class OctantPoints {
 public:
  /// Points along each side of a pixel, on [-1, 1].
  struct Rule {
    std::vector<double> nodes;
    std::vector<double> weights;
  };

  /// The points of the method: sub-pixel centres or Gauss points. Pseudo-Zernike polynomials have a
  /// kink at the centre of the disk. There the adaptive method treats the pixel as the triangle
  /// 0 <= y <= x <= a, a its far side, with x = u a, y = u v a, in which they are smooth in u and
  /// v.
  OctantPoints(const MomentSpec& spec, int image_size);
  /// The centres of the pixels that count, for reading values there.
  static OctantPoints centres(const MomentSpec& spec, int image_size);

  std::size_t pixels() const { return x_.size(); }
  /// Number of points of all pixels, including those outside the disk.
  std::size_t points() const;
  /// Pixel number of mirror image q of the pixel of rank p, at [q * pixels() + p].
  const std::vector<std::int32_t>& numbers() const { return numbers_; }
  const std::vector<double>& x() const { return x_; }  ///< pixel centres by rank
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& weight() const { return weight_; }  ///< see OctantPixel::weight
  /// Calls use(x, y, area) for every point of the pixel of rank p that lies in the disk. The area
  /// includes the pixel's weight.
  template <class Use>
  void for_points(std::size_t p, const Use& use) const {
    const Rule& rule = rules_[rule_of_[p]];
    if (p == 0 && triangle_side_ > 0) return for_triangle(rule, use);
    const double half_side = 1.0 / size_;
    for (std::size_t sy = 0; sy < rule.nodes.size(); ++sy) {
      const double y = y_[p] + half_side * rule.nodes[sy];
      const double row = weight_[p] * half_side * half_side * rule.weights[sy];
      for (std::size_t sx = 0; sx < rule.nodes.size(); ++sx) {
        const double x = x_[p] + half_side * rule.nodes[sx];
        if (x * x + y * y <= kDiskSquare) use(x, y, row * rule.weights[sx]);
      }
    }
  }
  int image_size() const { return size_; }

  /// What for_points() is made of, for other back ends.
  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<std::uint16_t>& rule_of() const { return rule_of_; }  ///< by rank
  /// Far side of the triangle that is the pixel of rank 0; 0 if that pixel is like the others.
  double triangle_side() const { return triangle_side_; }
  /// The ranks [first, last) of the pixels that may have points in the intervals [first, last).
  std::pair<std::size_t, std::size_t> pixels_near(const PolarPlan& plan, int first, int last) const;

  /// Calls use(interval, group) with the points of intervals [first, last), at most kCapacity at a
  /// time.
  void for_intervals(const PolarPlan& plan, const SpreadKernels& kernels, int first, int last,
                     const std::function<void(int, PointGroup&)>& use) const;

 private:
  explicit OctantPoints(const DiskGrid& grid);
  void add_rule(const PixelQuadrature& rule);
  void choose_rules(const MomentSpec& spec);

  template <class Use>
  void for_triangle(const Rule& rule, const Use& use) const {
    for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
      const double u = (1 + rule.nodes[i]) / 2;
      for (std::size_t j = 0; j < rule.nodes.size(); ++j) {
        const double v = (1 + rule.nodes[j]) / 2;
        use(u * triangle_side_, u * v * triangle_side_,
            rule.weights[i] * rule.weights[j] / 4 * u * triangle_side_ * triangle_side_);
      }
    }
  }

  int size_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> radius_;
  std::vector<double> weight_;
  std::vector<std::int32_t> numbers_;
  std::vector<Rule> rules_;
  std::vector<std::uint16_t> rule_of_;
  double triangle_side_ = 0.0;  // 0: no triangle
};

/// Error that the Gauss-Legendre points of kAdaptive may leave for the fastest wave in a pixel,
/// relative to the pixel's share.
inline constexpr double kAdaptiveTolerance = 1e-5;

/// Points along each side of a pixel of half side `half_side` whose points have
/// inner <= rho <= outer. Where R_nm e^{j m theta} oscillates, its wave number is at most T /
/// sqrt(1 - rho^2) (Zernike) or (T + 1/2) / sqrt(rho (1 - rho)) (pseudo-Zernike). Next to the rim,
/// where that is unbounded, the phase change across the whole pixel, T (arccos inner - arccos
/// outer), is used instead. The error of q points for a wave cos(k x) on [-1, 1] is below 2^{2q+1}
/// q!^4 / ((2q+1) (2q)!^3) k^{2q}; the result is the smallest q for which this is below the
/// tolerance.
int adaptive_points(Family family, int order, double half_side, double inner, double outer);

/// The work of moments through polar grids, and of images.
TransformWork polar_moments_work(const PlanRequest& request);
TransformWork polar_images_work(const PlanRequest& request);

}  // namespace leafglyph
