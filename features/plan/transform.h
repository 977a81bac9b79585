// What an algorithm provides to a MomentPlan: one direction, for one spec and size, on one back
// end. Plans check their arguments; transforms rely on that.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// The arithmetic of a plan.
enum class Precision {
  kDouble,
  kFloat,  ///< products in float; relative l2 error of a batch's moments at most 2e-6 (CPU, order
           ///< 60), 7e-6 for Bessel-Fourier at order 1000 with many points in a pixel
};
std::string precision_name(Precision precision);  ///< "double" or "float"
double scalar_bytes(Precision precision);         ///< bytes of one number

/// What a transform was made for.
class TransformShape {
 public:
  /// Throws UsageError as validate(spec, size).
  TransformShape(const MomentSpec& spec, const ArraySize& size);

  const MomentSpec& spec() const { return spec_; }
  const ArraySize& size() const { return size_; }
  int image_size() const { return size_.width; }  ///< N for the families on the disk
  std::size_t moment_count() const { return moment_count_; }

 private:
  MomentSpec spec_;
  ArraySize size_;
  std::size_t moment_count_ = 0;
};

/// The values of a batch in host memory as double: in place, or converted into `room`. Throws
/// UsageError for a batch in the memory of a GPU.
std::span<const double> host_doubles(const ImageBatch& images, std::vector<double>& room);

/// Images to moments.
class ForwardTransform {
 public:
  ForwardTransform() = default;
  virtual ~ForwardTransform() = default;
  ForwardTransform(const ForwardTransform&) = delete;
  ForwardTransform& operator=(const ForwardTransform&) = delete;

  /// Moment c of image b goes to moments[b * (number of moments) + c], in storage order.
  virtual void compute_moments(const ImageBatch& images,
                               std::span<std::complex<double>> moments) = 0;
  /// Image by image through compute_moments. Transforms that need no complex moments override it.
  virtual void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes);
  /// Whether rows and images may be apart. All other transforms get adjacent ones only.
  virtual bool reads_rows_apart() const { return false; }
  /// One line: back end, method, arithmetic, instruction set or GPU.
  virtual std::string describe() const = 0;
};

/// Moments to images.
class BackwardTransform {
 public:
  BackwardTransform() = default;
  virtual ~BackwardTransform() = default;
  BackwardTransform(const BackwardTransform&) = delete;
  BackwardTransform& operator=(const BackwardTransform&) = delete;

  /// `weighted` holds every stored moment times its weight in the sum of Re(Z V): 1 for m = 0,
  /// 2 for m > 0 (1 with one sign only), 1 on the square, and 0 for what is not selected. Moments
  /// above `last_order` are not used; for families on the disk and the ball they are 0. Writes
  /// every pixel of `image`, 0 where it does not count.
  virtual void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                             std::span<double> image) = 0;
  /// Computes `count` images one after another, through compute_image.
  virtual void compute_images(std::span<const std::complex<double>> weighted, std::size_t count,
                              int last_order, std::span<double> images);
  /// One line: back end and method.
  virtual std::string describe() const = 0;
};

/// Both directions with the same tables.
class TwoWayTransform : public ForwardTransform, public BackwardTransform {
 public:
  std::string describe() const override = 0;
};

}  // namespace leafglyph
