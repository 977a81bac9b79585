#include "tools/literature/cpu/zernike_methods.h"

#include <cmath>
#include <numbers>

#include "tools/literature/cpu/disk_samples.h"

namespace leafglyph::published {
namespace {

// The sum of f e^{-j m theta} over a sample and the mirror images that are folded onto it.
template <class T>
struct PhaseFactor {
  T re;
  T im;
};

// phases[m] = f e^{-j m theta} of a sample without mirror images.
template <class T>
void whole_phases(T value, double theta, std::vector<PhaseFactor<T>>& phases) {
  for (std::size_t m = 0; m < phases.size(); ++m) {
    const T angle = static_cast<T>(static_cast<double>(m) * theta);
    phases[m] = {value * std::cos(angle), -value * std::sin(angle)};
  }
}

// phases[m] from the eight combinations of sample p of an octant (see kOctantSigns), for every m.
template <class T>
void octant_turns(const FoldedDisk& disk, std::size_t p, double theta, T weight,
                  std::vector<PhaseFactor<T>>& phases) {
  const auto at = [&](std::size_t c) {
    return weight * static_cast<T>(disk.images[c * disk.samples.size() + p]);
  };
  for (std::size_t m = 0; m < phases.size(); ++m) {
    const T angle = static_cast<T>(static_cast<double>(m) * theta);
    const T cosine = std::cos(angle);
    const T sine = std::sin(angle);
    if (m % 2 == 0) {
      const std::size_t c = m % 4;  // combinations 0 and 1, or 2 and 3
      phases[m] = {at(c) * cosine, -at(c + 1) * sine};
    } else {
      const T sign = m % 4 == 1 ? T(1) : T(-1);
      phases[m] = {at(4) * cosine + sign * at(5) * sine, -(at(6) * sine + sign * at(7) * cosine)};
    }
  }
}

// The sums of R_nm f e^{-j m theta} over all samples, for every moment up to an order.
template <class T>
class Sums {
 public:
  Sums(Family family, RadialMethod method, int order)
      : indices_(moment_indices(family, order)),
        radial_(make_radial_table<T>(method, family, order)),
        values_(indices_.size()),
        sums_(2 * indices_.size()) {}

  void add(const DiskSample& sample, const std::vector<PhaseFactor<T>>& phases) {
    radial_->evaluate(static_cast<T>(std::hypot(sample.x, sample.y)), values_.data());
    for (std::size_t c = 0; c < indices_.size(); ++c) {
      const PhaseFactor<T>& phase = phases[static_cast<std::size_t>(indices_[c].m)];
      sums_[2 * c] += values_[c] * phase.re;
      sums_[2 * c + 1] += values_[c] * phase.im;
    }
  }

  std::vector<std::complex<double>> moments(double area) const {
    std::vector<std::complex<double>> moments;
    for (std::size_t c = 0; c < indices_.size(); ++c) {
      const double scale = (indices_[c].n + 1) / std::numbers::pi * area;
      moments.emplace_back(scale * static_cast<double>(sums_[2 * c]),
                           scale * static_cast<double>(sums_[2 * c + 1]));
    }
    return moments;
  }

 private:
  std::vector<MomentIndex> indices_;
  std::unique_ptr<RadialTable<T>> radial_;
  std::vector<T> values_;
  std::vector<T> sums_;  // real part, then imaginary part of each moment
};

template <class T>
std::vector<std::complex<double>> compute(Family family, RadialMethod method, Symmetry symmetry,
                                          int order, int k, std::span<const double> image,
                                          int size) {
  Sums<T> sums(family, method, order);
  std::vector<PhaseFactor<T>> phases(static_cast<std::size_t>(order) + 1);
  if (symmetry == Symmetry::kNone) {
    const WholeDisk disk = whole_disk(image, size, k);
    for (std::size_t p = 0; p < disk.samples.size(); ++p) {
      const DiskSample& sample = disk.samples[p];
      whole_phases(static_cast<T>(disk.values[p]), std::atan2(sample.y, sample.x), phases);
      sums.add(sample, phases);
    }
  } else {
    const FoldedDisk disk = fold_octant(image, size, k);
    for (std::size_t p = 0; p < disk.samples.size(); ++p) {
      const DiskSample& sample = disk.samples[p];
      octant_turns(disk, p, std::atan2(sample.y, sample.x), static_cast<T>(sample.weight), phases);
      sums.add(sample, phases);
    }
  }
  const double side = static_cast<double>(size) * k;
  return sums.moments(4.0 / (side * side));
}

}  // namespace

std::vector<std::complex<double>> zernike_moments(Family family, RadialMethod method,
                                                  Symmetry symmetry, Precision precision, int order,
                                                  int k, std::span<const double> image, int size) {
  return precision == Precision::kFloat
             ? compute<float>(family, method, symmetry, order, k, image, size)
             : compute<double>(family, method, symmetry, order, k, image, size);
}

}  // namespace leafglyph::published
