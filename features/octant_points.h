// The points of an octant of the disk at which pixels are sampled, sorted by radius and handed out
// for the intervals of a PolarPlan, so that they never stand in memory all at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "features/disk_grid.h"
#include "features/pixel_quadrature.h"
#include "features/polar_plan.h"

namespace leafglyph {

/// Points of one interval in polar form.
struct PointGroup {
  static constexpr std::size_t kCapacity = 64;
  std::size_t count = 0;
  double position[kCapacity];  ///< in cells, see TransformKernels::polar
  double radius[kCapacity];
  double cosine[kCapacity];
  double sine[kCapacity];
  double area[kCapacity];          ///< what the pixel's value is multiplied by
  std::uint32_t pixel[kCapacity];  ///< rank of the pixel in OctantPoints
};

/// What the transforms need of a group's points: weights in cells and e^{j m theta}.
class PointTurns {
 public:
  /// Works them out for `group`, from m = 0 on; pads group.position to a multiple of kBlock.
  void start(const PolarPlan& plan, const TransformKernels& kernels, PointGroup& group);
  /// The group for TransformKernels::spread and gather; factors and sums are the caller's.
  SpreadGroup group(std::size_t count);

 private:
  static constexpr std::size_t kPoints = PointGroup::kCapacity;
  std::vector<double> weights_ = std::vector<double>(kSpreadWidth * kPoints);
  std::vector<double> cosines_ = std::vector<double>(kBlock * kPoints);
  std::vector<double> sines_ = std::vector<double>(kBlock * kPoints);
  std::vector<double> turn_cosine_ = std::vector<double>(kPoints);
  std::vector<double> turn_sine_ = std::vector<double>(kPoints);
  std::vector<double> real_ = std::vector<double>(kBlock * kPoints);
  std::vector<double> imaginary_ = std::vector<double>(kBlock * kPoints);
};

class OctantPoints {
 public:
  /// The points of the method: sub-pixel centres or Gauss points.
  OctantPoints(const MomentSpec& spec, int image_size);
  /// Pixel centres alone, each with area 1 and undivided weight: for reading values at pixels.
  static OctantPoints centres(int image_size, Method mask_method, int mask_subregions);

  std::size_t pixels() const { return x_.size(); }
  std::size_t points() const;
  /// Number of image q of the pixel of rank p, at [q * pixels() + p].
  const std::vector<std::int32_t>& numbers() const { return numbers_; }
  const std::vector<double>& x() const { return x_; }  ///< pixel centres by rank
  const std::vector<double>& y() const { return y_; }
  const std::vector<double>& weight() const { return weight_; }  ///< see OctantPixel::weight
  /// Points along x, and along y, of the pixel of rank p.
  const PixelQuadrature& rule(std::size_t p) const { return rules_[rule_of_[p]]; }
  int image_size() const { return size_; }

  /// Calls use(interval, group) with the points of intervals [first, last), at most kCapacity at a
  /// time.
  void for_intervals(const PolarPlan& plan, const TransformKernels& kernels, int first, int last,
                     const std::function<void(int, PointGroup&)>& use) const;

 private:
  OctantPoints(int image_size, Method mask_method, int mask_subregions);

  int size_;
  std::vector<double> x_;
  std::vector<double> y_;
  std::vector<double> radius_;
  std::vector<double> weight_;
  std::vector<std::int32_t> numbers_;
  std::vector<PixelQuadrature> rules_;
  std::vector<std::uint16_t> rule_of_;
};

}  // namespace leafglyph
