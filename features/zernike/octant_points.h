// The points of an octant of the disk at which pixels are sampled, sorted by radius and handed out
// for the intervals of a PolarPlan, so that they never stand in memory all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  double area[kCapacity];          ///< what the pixel's value is multiplied by
  std::uint32_t pixel[kCapacity];  ///< rank of the pixel in OctantPoints
};

/// What the transforms need of a group's points: weights in cells and e^{j m theta}.
class AngularFactors {
 public:
  /// Works them out for `group`, from m = 0 on; pads group.position to a multiple of kSpreadBlock.
  void start(const PolarPlan& plan, const SpreadKernels& kernels, PointGroup& group);
  /// The group for SpreadKernels::spread and gather; factors and sums are the caller's.
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
  /// The points of the method: sub-pixel centres or Gauss points. The adaptive method takes the
  /// pixel at the centre of the disk, where pseudo-Zernike polynomials have a kink, as the triangle
  /// 0 <= y <= x <= its far side, x = u a, y = u v a, in which they are smooth in u and v.
  OctantPoints(const MomentSpec& spec, int image_size);
  /// The centres of the pixels that count: for reading values there.
  static OctantPoints centres(const MomentSpec& spec, int image_size);

  std::size_t pixels() const { return x_.size(); }
  /// Points of all pixels, those outside the disk counted.
  std::size_t points() const;
  /// Number of image q of the pixel of rank p, at [q * pixels() + p].
  const std::vector<std::int32_t>& numbers() const { return numbers_; }
  const std::vector<double>& x() const { return x_; }  ///< pixel centres by rank
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& weight() const { return weight_; }  ///< see OctantPixel::weight
  /// Calls use(x, y, area) for every point of the pixel of rank p that lies in the disk, the weight
  /// included.
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

  /// Calls use(interval, group) with the points of intervals [first, last), at most kCapacity at a
  /// time.
  void for_intervals(const PolarPlan& plan, const SpreadKernels& kernels, int first, int last,
                     const std::function<void(int, PointGroup&)>& use) const;

 private:
  struct Rule {
    std::vector<double> nodes;
    std::vector<double> weights;
  };

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

/// Error, relative to the pixel's share, that kAdaptive lets Gauss-Legendre points leave for the
/// fastest wave in a pixel.
inline constexpr double kAdaptiveTolerance = 1e-5;

/// Points along each side of a pixel of half side `half_side` whose points have inner <= rho <=
/// outer. Where R_nm e^{j m theta} oscillates, its wave number is at most T / sqrt(1 - rho^2)
/// (Zernike) or (T + 1/2) / sqrt(rho (1 - rho)) (pseudo-Zernike); next to the rim, where that has
/// no bound, the turns over the whole pixel count, T (arccos inner - arccos outer). A wave cos(k x)
/// on [-1, 1] is integrated by q points with an error below
/// 2^{2q+1} q!^4 / ((2q+1) (2q)!^3) k^{2q}; the smallest q with less than the tolerance is taken.
int adaptive_points(Family family, int order, double half_side, double inner, double outer);

}  // namespace leafglyph
