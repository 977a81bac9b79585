#include "tools/literature/cpu/pseudo_radial_tables.h"

#include <vector>

#include "tools/literature/cpu/factorials.h"

namespace leafglyph::published {
namespace {

// The position of R_nm: moment_position, inlined for loops.
inline std::size_t position(int n, int m) { return static_cast<std::size_t>(n * (n + 1) / 2 + m); }

// R_nm = sum over s of (-1)^s (2n + 1 - s)! / (s! (n + m + 1 - s)! (n - m - s)!) rho^(n - s)
template <class T>
class PseudoDirect final : public RadialTable<T> {
 public:
  explicit PseudoDirect(int order) : order_(order), factorials_(2 * order + 1), powers_(order) {}
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = 0; m <= n; ++m) {
        T sum(0);
        for (int s = 0; s <= n - m; ++s) {
          const T term =
              factorials_.of(2 * n + 1 - s) /
              (factorials_.of(s) * factorials_.of(n + m + 1 - s) * factorials_.of(n - m - s)) *
              powers[static_cast<std::size_t>(n - s)];
          sum += s % 2 == 0 ? term : -term;
        }
        values[position(n, m)] = sum;
      }
    }
  }

 private:
  int order_;
  Factorials<T> factorials_;
  Powers<T> powers_;
};

// Chong's recurrence upwards in n for each m: R_nm = (M1 rho + M2) R_{n-1,m} + M3 R_{n-2,m}. It
// starts from R_mm = rho^m and R_{m+1,m}. The coefficients are precomputed in double.
template <class T>
class PseudoChong final : public RadialTable<T> {
 public:
  explicit PseudoChong(int order) : order_(order), powers_(order) {
    coefficients_.resize(moment_count(Family::kPseudoZernike, order));
    for (int n = 2; n <= order; ++n) {
      for (int m = 0; m <= n - 2; ++m) {
        const double a = n;
        const double b = m;
        const double m1 = (2.0 * a + 1.0) * (2.0 * a) / ((a + b + 1.0) * (a - b));
        const double m2 = -2.0 * a + m1 * (a + b) * (a - b - 1.0) / (2.0 * a - 1.0);
        const double m3 = (2.0 * a - 1.0) * (a - 1.0) - m1 * (a + b - 1.0) * (a - b - 2.0) / 2.0 +
                          2.0 * (a - 1.0) * m2;
        coefficients_[position(n, m)] = {static_cast<T>(m1), static_cast<T>(m2),
                                         static_cast<T>(m3)};
      }
    }
  }
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = 0; m <= n; ++m) {
        T& value = values[position(n, m)];
        if (m == n) {
          value = powers[static_cast<std::size_t>(n)];
        } else if (m == n - 1) {
          value = static_cast<T>(2 * n + 1) * powers[static_cast<std::size_t>(n)] -
                  static_cast<T>(2 * n) * powers[static_cast<std::size_t>(m)];
        } else {
          const Coefficients& k = coefficients_[position(n, m)];
          value = (k.slope * rho + k.shift) * values[position(n - 1, m)] +
                  k.back * values[position(n - 2, m)];
        }
      }
    }
  }

 private:
  struct Coefficients {
    T slope;
    T shift;
    T back;
  };
  int order_;
  Powers<T> powers_;
  std::vector<Coefficients> coefficients_;
};

// Deng's recurrence with the helper K_nm, K_nn = rho^n:
//   K_nm = rho (R_{n-1,m-1} + R_{n-1,m}) - K_{n-1,m}, with R_{n-1,0} in place of R_{n-1,-1}
//   R_nm = K_nm + K_{n,m+1} - R_{n-1,m}
// `helper_` keeps one row of K, which is overwritten from m = n downwards.
template <class T>
class PseudoDeng final : public RadialTable<T> {
 public:
  explicit PseudoDeng(int order)
      : order_(order), powers_(order), helper_(static_cast<std::size_t>(order) + 1) {}
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      const auto top = static_cast<std::size_t>(n);
      values[position(n, n)] = powers[top];
      helper_[top] = powers[top];
      const T* before = n > 0 ? values + position(n - 1, 0) : nullptr;
      for (int m = n - 1; m >= 0; --m) {
        T& helper = helper_[static_cast<std::size_t>(m)];  // K_{n-1,m}, then K_nm
        helper = rho * (before[m == 0 ? 0 : m - 1] + before[m]) - helper;
        values[position(n, m)] = helper + helper_[static_cast<std::size_t>(m) + 1] - before[m];
      }
    }
  }

 private:
  int order_;
  Powers<T> powers_;
  std::vector<T> helper_;
};

}  // namespace

template <class T>
std::unique_ptr<RadialTable<T>> make_pseudo_radial_table(RadialMethod method, int order) {
  if (method == RadialMethod::kDirect) return std::make_unique<PseudoDirect<T>>(order);
  if (method == RadialMethod::kQRecursive) return std::make_unique<PseudoChong<T>>(order);
  return std::make_unique<PseudoDeng<T>>(order);
}

template std::unique_ptr<RadialTable<float>> make_pseudo_radial_table(RadialMethod, int);
template std::unique_ptr<RadialTable<double>> make_pseudo_radial_table(RadialMethod, int);

}  // namespace leafglyph::published
