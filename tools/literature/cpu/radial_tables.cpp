#include "tools/literature/cpu/radial_tables.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "tools/literature/cpu/factorials.h"
#include "tools/literature/cpu/pseudo_radial_tables.h"

namespace leafglyph::published {
namespace {

// The position of R_nm: moment_position, inlined for loops. Sorted by n, then by m = n mod 2,
// n mod 2 + 2, ...
inline std::size_t position(int n, int m) {
  return static_cast<std::size_t>((n + 1) * (n + 1) / 4 + m / 2);
}

// R_nm = sum over s of (-1)^s (n - s)! / (s! ((n + m) / 2 - s)! ((n - m) / 2 - s)!) rho^(n - 2s)
template <class T>
T factorial_sum(const Factorials<T>& factorials, int n, int m, const std::vector<T>& powers) {
  T sum(0);
  for (int s = 0; s <= (n - m) / 2; ++s) {
    const T term =
        factorials.of(n - s) /
        (factorials.of(s) * factorials.of((n + m) / 2 - s) * factorials.of((n - m) / 2 - s)) *
        powers[static_cast<std::size_t>(n - 2 * s)];
    sum += s % 2 == 0 ? term : -term;
  }
  return sum;
}

template <class T>
class Direct final : public RadialTable<T> {
 public:
  explicit Direct(int order) : order_(order), factorials_(order), powers_(order) {}
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = n % 2; m <= n; m += 2)
        values[position(n, m)] = factorial_sum(factorials_, n, m, powers);
    }
  }

 private:
  int order_;
  Factorials<T> factorials_;
  Powers<T> powers_;
};

// Kintner's recurrence upwards in n for each m:
//   R_nm = (slope rho^2 + shift) R_{n-2,m} + back R_{n-4,m}
// It starts from R_mm = rho^m and R_{m+2,m} = (m + 2) rho^{m+2} - (m + 1) rho^m. The coefficients,
// divided by K1, are precomputed in double.
template <class T>
class Kintner final : public RadialTable<T> {
 public:
  explicit Kintner(int order) : order_(order), powers_(order) {
    coefficients_.resize(moment_count(Family::kZernike, order));
    for (int n = 4; n <= order; ++n) {
      for (int m = n % 2; m <= n - 4; m += 2) {
        const double a = n;
        const double b = m;
        const double k1 = (a + b) * (a - b) * (a - 2.0) / 2.0;
        coefficients_[position(n, m)] = {
            static_cast<T>(2.0 * a * (a - 1.0) * (a - 2.0) / k1),
            static_cast<T>((-b * b * (a - 1.0) - a * (a - 1.0) * (a - 2.0)) / k1),
            static_cast<T>(-a * (a + b - 2.0) * (a - b - 2.0) / 2.0 / k1)};
      }
    }
  }
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    const T square = rho * rho;
    for (int n = 0; n <= order_; ++n) {
      for (int m = n % 2; m <= n; m += 2) {
        T& value = values[position(n, m)];
        if (n == m) {
          value = powers[static_cast<std::size_t>(n)];
        } else if (n == m + 2) {
          value = static_cast<T>(n) * powers[static_cast<std::size_t>(n)] -
                  static_cast<T>(n - 1) * powers[static_cast<std::size_t>(m)];
        } else {
          const Coefficients& k = coefficients_[position(n, m)];
          value = (k.slope * square + k.shift) * values[position(n - 2, m)] +
                  k.back * values[position(n - 4, m)];
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

// Chong's q-recursive method, downwards in m for each n:
//   R_nm = H1 R_{n,m+4} + (H2 + H3 / rho^2) R_{n,m+2}
// It starts from R_nn = rho^n and R_{n,n-2} = n rho^n - (n - 1) rho^{n-2}. The coefficients are
// precomputed in double.
template <class T>
class QRecursive final : public RadialTable<T> {
 public:
  explicit QRecursive(int order) : order_(order), powers_(order) {
    coefficients_.resize(moment_count(Family::kZernike, order));
    for (int n = 4; n <= order; ++n) {
      for (int m = n % 2; m <= n - 4; m += 2) {
        const double a = n;
        const double b = m;
        const double h3 = -4.0 * (b + 2.0) * (b + 1.0) / ((a + b + 2.0) * (a - b));
        const double h2 = h3 * (a + b + 4.0) * (a - b - 2.0) / (4.0 * (b + 3.0)) + b + 2.0;
        const double h1 =
            (b + 4.0) * (b + 3.0) / 2.0 - (b + 4.0) * h2 + h3 * (a + b + 6.0) * (a - b - 4.0) / 8.0;
        coefficients_[position(n, m)] = {static_cast<T>(h1), static_cast<T>(h2),
                                         static_cast<T>(h3)};
      }
    }
  }
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    const T inverse = T(1) / (rho * rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = n; m >= 0; m -= 2) {
        T& value = values[position(n, m)];
        if (rho == T(0)) {  // the recurrence divides by 0 there; only m = 0 is not 0
          value = m > 0 ? T(0) : (n % 4 == 0 ? T(1) : T(-1));
        } else if (n == m) {
          value = powers[static_cast<std::size_t>(n)];
        } else if (n == m + 2) {
          value = static_cast<T>(n) * powers[static_cast<std::size_t>(n)] -
                  static_cast<T>(n - 1) * powers[static_cast<std::size_t>(m)];
        } else {
          const Coefficients& h = coefficients_[position(n, m)];
          value = h.first * values[position(n, m + 4)] +
                  (h.second + h.third * inverse) * values[position(n, m + 2)];
        }
      }
    }
  }

 private:
  struct Coefficients {
    T first;
    T second;
    T third;
  };
  int order_;
  Powers<T> powers_;
  std::vector<Coefficients> coefficients_;
};

// Prata's recurrence: R_nm = 2n / (n + m) rho R_{n-1,|m-1|} - (n - m) / (n + m) R_{n-2,m}, starting
// from R_nn = rho^n. `direct` computes m = 0 by factorial sums instead.
template <class T>
class Prata final : public RadialTable<T> {
 public:
  Prata(int order, bool direct)
      : order_(order), direct_(direct), factorials_(direct ? order : 0), powers_(order) {}
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = n % 2; m <= n; m += 2) {
        T& value = values[position(n, m)];
        if (n == m) {
          value = powers[static_cast<std::size_t>(n)];
        } else if (direct_ && m == 0) {
          value = factorial_sum(factorials_, n, 0, powers);
        } else {
          const T sum = static_cast<T>(n + m);
          value = static_cast<T>(2 * n) / sum * rho * values[position(n - 1, std::abs(m - 1))] -
                  static_cast<T>(n - m) / sum * values[position(n - 2, m)];
        }
      }
    }
  }

 private:
  int order_;
  bool direct_;
  Factorials<T> factorials_;
  Powers<T> powers_;
};

// Deng's recurrence: R_nm = rho (R_{n-1,|m-1|} + R_{n-1,m+1}) - R_{n-2,m}, starting from
// R_nn = rho^n.
template <class T>
class Deng final : public RadialTable<T> {
 public:
  explicit Deng(int order) : order_(order), powers_(order) {}
  void evaluate(T rho, T* values) override {
    const auto& powers = powers_.of(rho);
    for (int n = 0; n <= order_; ++n) {
      for (int m = n % 2; m < n; m += 2) {
        values[position(n, m)] =
            rho * (values[position(n - 1, std::abs(m - 1))] + values[position(n - 1, m + 1)]) -
            values[position(n - 2, m)];
      }
      values[position(n, n)] = powers[static_cast<std::size_t>(n)];
    }
  }

 private:
  int order_;
  Powers<T> powers_;
};

}  // namespace

std::string_view radial_method_name(RadialMethod method) {
  switch (method) {
    case RadialMethod::kDirect:
      return "direct";
    case RadialMethod::kKintner:
      return "Kintner";
    case RadialMethod::kQRecursive:
      return "q-recursive";
    case RadialMethod::kPrata:
      return "Prata";
    case RadialMethod::kSinghPrata:
      return "Prata, Singh's";
    case RadialMethod::kDeng:
      return "Deng";
  }
  return "";
}

bool supports(RadialMethod method, Family family) {
  const bool both = method == RadialMethod::kDirect || method == RadialMethod::kQRecursive ||
                    method == RadialMethod::kDeng;
  return family == Family::kZernike || (family == Family::kPseudoZernike && both);
}

template <class T>
std::unique_ptr<RadialTable<T>> make_radial_table(RadialMethod method, Family family, int order) {
  if (order < 0) throw UsageError("order " + std::to_string(order) + " is negative; use 0 or more");
  if (!supports(method, family)) {
    throw UsageError(std::string(radial_method_name(method)) + " is not a method for " +
                     std::string(family_name(family)) + " moments");
  }
  if (family == Family::kPseudoZernike) return make_pseudo_radial_table<T>(method, order);
  switch (method) {
    case RadialMethod::kDirect:
      return std::make_unique<Direct<T>>(order);
    case RadialMethod::kKintner:
      return std::make_unique<Kintner<T>>(order);
    case RadialMethod::kQRecursive:
      return std::make_unique<QRecursive<T>>(order);
    case RadialMethod::kPrata:
      return std::make_unique<Prata<T>>(order, /*direct=*/true);
    case RadialMethod::kSinghPrata:
      return std::make_unique<Prata<T>>(order, /*direct=*/false);
    case RadialMethod::kDeng:
      break;
  }
  return std::make_unique<Deng<T>>(order);
}

template std::unique_ptr<RadialTable<float>> make_radial_table(RadialMethod, Family, int);
template std::unique_ptr<RadialTable<double>> make_radial_table(RadialMethod, Family, int);

}  // namespace leafglyph::published
