// The gradient of moments: from derivatives by the moments to derivatives by the pixels.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "gpu/plans.h"

namespace leafglyph {

/// The adjoint of MomentPlan::moments for one spec and size. Moments are sums of pixels times
/// numbers that do not depend on the image, so that the derivative of a number L by a pixel is
///     dL/df(p) = sum over c of Re(g_c conj(K_c(p))),   g_c = dL/dRe Z_c + j dL/dIm Z_c,
/// with K_c(p) the integral of the kernel of moment c over the pixel, by the points of the spec.
/// Tables are made when it is made; on the CPU unless the options name a GPU.
class MomentGradient {
 public:
  /// Throws UsageError for adaptive points, for the exact method with a mask other than whole, for
  /// Gauss points of a family with a phase, for circles of each image's own, and for volumes;
  /// InputError where the tables are beyond the memory or 512 MiB.
  MomentGradient(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options = {});
  ~MomentGradient();

  /// g_c of image b is gradients[b * moment_count + c], in storage order; dL/df(p) goes to images[b
  /// * size.elements() + p], 0 for pixels that do not count. Throws UsageError if the sizes do not
  /// match.
  void apply(std::span<const std::complex<double>> gradients, std::span<double> images);

  class Adjoint;

 private:
  std::size_t moments_;
  std::size_t pixels_;
  std::unique_ptr<Adjoint> adjoint_;
};

}  // namespace leafglyph
