// Bessel-Fourier moments of single images to high orders, and images from them.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "features/engine/moment_engine.h"

namespace leafglyph {

/// Which moments of which image: 1 <= n <= radial_order, 0 <= m <= angular_order.
///   B_nm = 1/(2 pi a_n) * integral over the unit disk of f J_1(lambda_n rho) e^{-j m theta} dx dy,
/// lambda_n the n-th positive zero of J_1, a_n = J_2(lambda_n)^2 / 2; B_{n,-m} = conj(B_nm), and
/// the row n = 0 of the literature is zero (J_1(0) = 0) and left out. Convention, mask rule and
/// points of a pixel as in MomentSpec; kAdaptive takes as many Gauss points in each pixel as the
/// kernel's oscillation needs there (adaptive_rules.h). Few points do not do: near the centre
/// e^{j m theta} turns |m| times round a handful of pixels.
struct BesselFourierSpec {
  int image_size = 0;  ///< N of the N x N image, 2 or more
  int radial_order = 0;
  int angular_order = 0;
  Method method = Method::kSubregion;
  int points = 1;  ///< k of the k x k points in a pixel; ignored by kAdaptive

  std::size_t moment_count() const {
    return static_cast<std::size_t>(radial_order) * (static_cast<std::size_t>(angular_order) + 1);
  }
  /// Where B_nm stands: row n - 1, column m of a radial_order x (angular_order + 1) matrix.
  std::size_t position(int n, int m) const {
    return static_cast<std::size_t>(n - 1) * (static_cast<std::size_t>(angular_order) + 1) +
           static_cast<std::size_t>(m);
  }
};

/// Throws UsageError that names the field that is out of range.
void validate(const BesselFourierSpec& spec);

/// A plan: tables for one specification, immutable after it is made. One call at a time.
///
/// The radial factor does not depend on m. On each of some hundred rings it is a polynomial in rho
/// to the last digit, so the points' e^{-j m theta} are first gathered, ring by ring, on Chebyshev
/// polynomials (matrix products of 32 columns), and one product with the table of J_1 does the
/// rest: the work for a point is 64 (M + 1) multiply-adds, whatever N.
class BesselFourier {
 public:
  explicit BesselFourier(const BesselFourierSpec& spec);
  virtual ~BesselFourier() = default;
  BesselFourier(const BesselFourier&) = delete;
  BesselFourier& operator=(const BesselFourier&) = delete;

  const BesselFourierSpec& spec() const { return spec_; }

  /// Moments of the image (pixel (j, i) at j * N + i) into moments[spec().position(n, m)].
  /// Throws UsageError when sizes do not fit, InputError when a pixel in the disk is not finite.
  void moments(std::span<const double> image, std::span<std::complex<double>> moments);

  /// sum over n and -M <= m <= M of B_nm J_1(lambda_n rho) e^{j m theta} at the centres of the
  /// pixels that count, 0 elsewhere. Throws UsageError when sizes do not fit.
  void reconstruct(std::span<const std::complex<double>> moments, std::span<double> image);

  /// One line: back end, sizes, arithmetic.
  virtual std::string describe() const = 0;

 protected:
  virtual void compute_moments(std::span<const double> image,
                               std::span<std::complex<double>> moments) = 0;
  virtual void compute_image(std::span<const std::complex<double>> moments,
                             std::span<double> image) = 0;

 private:
  BesselFourierSpec spec_;
};

/// A plan on the CPU or, for kCuda, the GPU, chosen as make_moment_engine does.
std::unique_ptr<BesselFourier> make_bessel_fourier(const BesselFourierSpec& spec,
                                                   const EngineOptions& options = {});

}  // namespace leafglyph
