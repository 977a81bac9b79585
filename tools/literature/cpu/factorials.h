// Factorials and powers for the tables of radial polynomials.
#pragma once

#include <cstddef>
#include <vector>

namespace leafglyph::published {

/// 0! to order! in T. There is no limit: factorials that T cannot hold are infinite.
template <class T>
class Factorials {
 public:
  explicit Factorials(int order) : values_(static_cast<std::size_t>(order) + 1) {
    values_[0] = T(1);
    for (std::size_t i = 1; i < values_.size(); ++i)
      values_[i] = values_[i - 1] * static_cast<T>(i);
  }
  T of(int i) const { return values_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<T> values_;
};

/// The powers 0 to `order` of a radius.
template <class T>
class Powers {
 public:
  explicit Powers(int order) : values_(static_cast<std::size_t>(order) + 1, T(1)) {}
  const std::vector<T>& of(T rho) {
    for (std::size_t i = 1; i < values_.size(); ++i) values_[i] = values_[i - 1] * rho;
    return values_;
  }

 private:
  std::vector<T> values_;
};

}  // namespace leafglyph::published
