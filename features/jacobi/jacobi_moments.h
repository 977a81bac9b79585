// Jacobi moments (Legendre and Gegenbauer among them) of images and volumes, and back.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "features/engine/moment_engine.h"
#include "features/moments/jacobi_polynomials.h"

namespace leafglyph {

/// Which moments of which array. An image (depth = 0) fills the square [-1, 1]^2, a volume the cube
/// [-1, 1]^3; the axes need not be equally long. Coordinates are those of image.h for each slice
/// (x to the right, y up), and z = (2 k + 1 - depth) / depth for slice k. With p_n the orthonormal
/// Jacobi polynomials and w the weight,
///     J_mn  = integral of f w(x) w(y) p_m(x) p_n(y) dx dy,           m + n <= order,
///     J_mno = integral of f w(x) w(y) w(z) p_m p_n p_o dx dy dz,     m + n + o <= order,
/// so that the sum of J_mn p_m p_n is f's least-squares approximation under the weight. (The
/// literature's coefficients of P_m P_n are J_mn / sqrt(rho_m rho_n).)
struct CartesianSpec {
  int width = 0;
  int height = 0;
  int depth = 0;  ///< number of slices; 0: an image
  int order = 0;
  JacobiWeight weight;
  Method method = Method::kExact;  ///< kExact, kSubregion or kGauss
  int points = 1;                  ///< k of the k points an axis in a pixel; ignored by kExact

  bool is_volume() const { return depth > 0; }
  std::size_t element_count() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) *
           static_cast<std::size_t>(is_volume() ? depth : 1);
  }
  std::size_t moment_count() const;
};

/// Longest axis and highest order: numbers of elements, moments and bytes then stay below 2^64.
/// What the memory does not hold is refused long before, when the plan is made.
inline constexpr int kMaxCartesianLength = 1 << 20;
inline constexpr int kMaxCartesianOrder = 100'000;

/// Throws UsageError that names the field that is out of range.
void validate(const CartesianSpec& spec);

/// Moments of order <= `order`: (T+1)(T+2)/2 of an image, (T+1)(T+2)(T+3)/6 of a volume.
std::size_t cartesian_count(int dimensions, int order);

/// Where J_mn, or J_mno, is stored: by total order, then by o, then by n. Those of order <= T are a
/// prefix of those of a higher order.
std::size_t cartesian_position(int m, int n);
std::size_t cartesian_position(int m, int n, int o);

/// A plan: tables for one specification, immutable after it is made. One call at a time.
/// Arrays are rows from the top, slice by slice: pixel (k, j, i) at (k * height + j) * width + i.
class CartesianMoments {
 public:
  explicit CartesianMoments(const CartesianSpec& spec);
  virtual ~CartesianMoments() = default;
  CartesianMoments(const CartesianMoments&) = delete;
  CartesianMoments& operator=(const CartesianMoments&) = delete;

  const CartesianSpec& spec() const { return spec_; }

  /// Throws UsageError when sizes do not fit, InputError when a value is not finite.
  void moments(std::span<const double> values, std::span<double> moments);

  /// The sum of J p p at pixel centres over the moments of order <= `order`, which `moments` holds
  /// (a prefix of a higher order will do). Throws UsageError when sizes do not fit.
  void reconstruct(std::span<const double> moments, int order, std::span<double> values);

  /// One line: back end, sizes, arithmetic.
  virtual std::string describe() const = 0;

 protected:
  virtual void compute_moments(std::span<const double> values, std::span<double> moments) = 0;
  virtual void compute_values(std::span<const double> moments, int order,
                              std::span<double> values) = 0;

 private:
  CartesianSpec spec_;
};

/// Bytes of memory that a plan on the CPU works in, the caller's arrays not counted.
std::size_t cartesian_work_bytes(const CartesianSpec& spec, Precision precision);

/// A plan on the CPU or the GPU, chosen as make_moment_engine does. Throws InputError that says how
/// much memory is wanted, how much there is and what would fit, when a volume does not fit.
std::unique_ptr<CartesianMoments> make_cartesian_moments(const CartesianSpec& spec,
                                                         const EngineOptions& options = {});

}  // namespace leafglyph
