// Zernike and pseudo-Zernike radial polynomials at one radius by the recurrences of the literature,
// as printed, with misprints corrected.
#pragma once

#include <memory>
#include <string_view>

#include "features/moments/moment_spec.h"

namespace leafglyph::published {

enum class RadialMethod {
  kDirect,      ///< factorial sums from a table of factorials; also for pseudo-Zernike
  kKintner,     ///< Kintner: upwards in n for one m, precomputed coefficients (Singh's "fast")
  kQRecursive,  ///< Chong: downwards in m for one n, divides by rho^2; for pseudo-Zernike upwards
                ///< in n for one m
  kPrata,       ///< Prata: R_nm from R_{n-1,m-1} and R_{n-2,m}; m = 0 by factorial sums
  kSinghPrata,  ///< Prata's with R_{n-1,|m-1|}, which needs no factorials
  kDeng         ///< Deng: R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}; for pseudo-Zernike
                ///< K_nm = rho (R_{n-1,m-1} + R_{n-1,m}) - K_{n-1,m} (m = 0: R_{n-1,0} twice) and
                ///< R_nm = K_nm + K_{n,m+1} - R_{n-1,m}
};
std::string_view radial_method_name(RadialMethod method);
bool supports(RadialMethod method, Family family);

/// Evaluates all R_nm up to an order by one method. T is float or double.
template <class T>
class RadialTable {
 public:
  RadialTable() = default;
  virtual ~RadialTable() = default;
  RadialTable(const RadialTable&) = delete;
  RadialTable& operator=(const RadialTable&) = delete;
  /// Writes R_nm(rho) to values[moment_position(n, m)] for all n, m of the family. Not thread-safe.
  virtual void evaluate(T rho, T* values) = 0;
};

/// Throws UsageError for a negative order and for a method that does not support the family.
/// Factorial sums are not finite at orders whose factorials T cannot hold, as the literature
/// reports. The largest factorial is n!, or (2n + 1)! for pseudo-Zernike; float holds up to 34!,
/// double up to 170!.
template <class T>
std::unique_ptr<RadialTable<T>> make_radial_table(RadialMethod method, Family family, int order);

}  // namespace leafglyph::published
