// Zernike and pseudo-Zernike radial polynomials at one radius by the recurrences of the literature,
// as printed but for their misprints.
#pragma once

#include <memory>
#include <string_view>

#include "features/moments/moment_spec.h"

namespace leafglyph::published {

enum class RadialMethod {
  kDirect,      ///< factorial sums from a table of factorials; of pseudo-Zernike, too
  kKintner,     ///< Kintner upwards in n for one m, coefficients made beforehand (Singh's "fast")
  kQRecursive,  ///< Chong's: downwards in m for one n, divides by rho^2; of pseudo-Zernike upwards
                ///< in n for one m
  kPrata,       ///< Prata: R_nm from R_{n-1,m-1} and R_{n-2,m}; m = 0 by factorial sums
  kSinghPrata,  ///< the same with R_{n-1,|m-1|}, which needs no factorials
  kDeng         ///< Deng: R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}; of pseudo-Zernike
                ///< K_nm = rho (R_{n-1,m-1} + R_{n-1,m}) - K_{n-1,m} (m = 0: R_{n-1,0} twice) and
                ///< R_nm = K_nm + K_{n,m+1} - R_{n-1,m}
};
std::string_view radial_method_name(RadialMethod method);
bool supports(RadialMethod method, Family family);

/// Tables of one method up to an order, in T's arithmetic: float or double.
template <class T>
class RadialTable {
 public:
  RadialTable() = default;
  virtual ~RadialTable() = default;
  RadialTable(const RadialTable&) = delete;
  RadialTable& operator=(const RadialTable&) = delete;
  /// R_nm(rho) at values[moment_position(n, m)] for all n, m of the family, not thread-safe.
  virtual void evaluate(T rho, T* values) = 0;
};

/// Throws UsageError for a negative order and a method that does not support the family. Of
/// factorials that T cannot hold the sums are not numbers from some order on, which is what the
/// literature reports: n! fits float to 34, double to 170 (pseudo-Zernike: (2n + 1)!).
template <class T>
std::unique_ptr<RadialTable<T>> make_radial_table(RadialMethod method, Family family, int order);

}  // namespace leafglyph::published
