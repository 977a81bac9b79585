#include "features/separable/degree_rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

std::size_t padded(std::size_t count) {
  return (count + kRecurrenceBlock - 1) / kRecurrenceBlock * kRecurrenceBlock;
}

// Beyond the turning point, a vector counts as vanished where the growing solution of the
// recurrence has grown by this factor.
constexpr double kVanished = 1e20;

}  // namespace

// alpha_k and gamma_k, which all degrees share.
struct DegreeRotation::Coefficients {
  explicit Coefficients(int order) {
    for (int i = 0; i <= order; ++i) {
      const long double k = i;
      alpha.push_back((2 * k * k + 2 * k - 1) / ((2 * k - 1) * (2 * k + 3)));
      gamma.push_back((k + 1) * (k + 2) / ((2 * k + 3) * std::sqrt((2 * k + 1) * (2 * k + 5))));
    }
  }
  // A_kk
  long double diagonal(long double n, std::size_t k) const {
    const auto x = static_cast<long double>(k);
    return alpha[k] * ((n + 1) * (n + 1) - 1) - x * (x + 1) * (1 - alpha[k]);
  }
  // A_{k,k+2}
  long double beside(long double n, std::size_t k) const {
    const auto x = static_cast<long double>(k);
    // The differences of squares as products, which are exact.
    return -gamma[k] * std::sqrt((n - x) * (n + x + 2) * (n - x - 1) * (n + x + 3));
  }

  std::vector<long double> alpha;
  std::vector<long double> gamma;
};

double zernike_norm(int n, int m) {
  const double norm = std::sqrt((n + 1) * std::numbers::inv_pi);
  return m == 0 ? norm : norm * std::numbers::sqrt2 / 2;
}

DegreeRotation::DegreeRotation(int order, int first_degree)
    : order_(order), first_degree_(first_degree), kernels_(rotation_kernels()) {
  const Coefficients coefficients(order);
  std::size_t by_k = 0;
  std::size_t by_m = 0;
  std::size_t by_group = 0;
  for (int n = first_degree; n <= order; ++n) {
    for (int parity = 0; parity < 2; ++parity) {
      columns_.push_back({by_k, by_m, by_group});
      by_k += terms(n, parity);
      by_m += padded(terms(n, parity));
      by_group += turn_groups(n, parity);
    }
  }
  for (auto* array : {&scale_, &slope_, &shift_}) array->resize(by_k);
  forward_.resize(by_m);
  backward_.resize(by_m);
  ends_.resize(by_group);
  const Rounds degrees{.count = static_cast<std::size_t>(order - first_degree) + 1,
                       .nanoseconds = 40.0 * order};
  parallel_for(degrees, [&](std::size_t i) {
    const int n = first_degree + static_cast<int>(i);
    for (int parity = 0; parity < 2 && parity <= n; ++parity) {
      fill_recurrence(n, parity, coefficients);
      find_ends(n, parity);
      normalise(n, parity);
    }
  });
}

std::size_t DegreeRotation::padded_terms() const { return padded(terms(order_, 0)); }

std::span<const double> DegreeRotation::scale(int n, int parity) const {
  return {scale_.data() + at(n, parity).by_k, terms(n, parity)};
}

RotationColumn DegreeRotation::column(int n, int parity) const {
  const Column& place = at(n, parity);
  return {n,
          parity,
          terms(n, parity),
          first_repetition(n, parity),
          terms(n, parity),
          slope_.data() + place.by_k,
          shift_.data() + place.by_k,
          ends_.data() + place.by_group,
          forward_.data() + place.by_m,
          backward_.data() + place.by_m};
}

void DegreeRotation::sums(int n, int parity, const double* scaled_kappa, double* out) const {
  kernels_.rotate(column(n, parity), scaled_kappa, out);
}

void DegreeRotation::values(int n, int parity, const double* coefficients, double* scaled_kappa,
                            double* scratch) const {
  kernels_.rotate_back(column(n, parity), coefficients, scaled_kappa, scratch);
}

// v_i = scale_i w_i with scale_{i+1} A_{i,i+1} = scale_{i-1} A_{i-1,i}, so that the coefficient of
// w_{i-1} becomes -1.
void DegreeRotation::fill_recurrence(int n, int parity, const Coefficients& coefficients) {
  const std::size_t count = terms(n, parity);
  double* scale = scale_.data() + at(n, parity).by_k;
  double* slope = slope_.data() + at(n, parity).by_k;
  double* shift = shift_.data() + at(n, parity).by_k;
  long double before = 1.0L;
  long double current = 1.0L;
  long double beside_before = 0.0L;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = 2 * i + static_cast<std::size_t>(parity);
    const bool last = i + 1 == count;
    const long double behind = last ? 0.0L : coefficients.beside(n, k);
    const long double next = i == 0 || last ? 1.0L : before * beside_before / behind;
    scale[i] = static_cast<double>(current);
    // The last row has no next neighbour, so its slope follows from the previous one.
    const long double b =
        last ? (i == 0 ? 1.0L : current / (beside_before * before)) : current / (behind * next);
    slope[i] = static_cast<double>(b);
    shift[i] = static_cast<double>(-b * coefficients.diagonal(n, k));
    before = current;
    current = next;
    beside_before = behind;
  }
}

std::size_t DegreeRotation::turning_index(int n, int parity, int m) {
  const double k = std::sqrt(static_cast<double>(n) * n - static_cast<double>(m) * m);
  const auto i = static_cast<std::size_t>(std::max(0.0, std::floor((k - parity) / 2)));
  return std::min(i, terms(n, parity) - 1);
}

// Runs the growing solution from the turning point of each group's lowest m, which decays last,
// until it exceeds kVanished. The vectors of the group end there.
void DegreeRotation::find_ends(int n, int parity) {
  const std::size_t count = terms(n, parity);
  const RotationColumn recurrence = column(n, parity);
  for (std::size_t group = 0; group < turn_groups(n, parity); ++group) {
    const int lowest = recurrence.first_repetition + 2 * static_cast<int>(group * kRepetitionGroup);
    const double square = static_cast<double>(lowest) * lowest;
    std::size_t i = turning_index(n, parity, lowest);
    double before = 0.0;
    double current = 1.0;
    // As the growing solution grows, the vector decays.
    while (i + 1 < count && std::abs(current) < kVanished) {
      const double next = (recurrence.slope[i] * square + recurrence.shift[i]) * current - before;
      before = current;
      current = next;
      ++i;
    }
    ends_[at(n, parity).by_group + group] = static_cast<int>(i);
  }
}

// Joins the forward and the backward solution of each m at the turning point and scales the result
// to unit length. rotation_norms supplies the sums of squares and the values to be matched.
void DegreeRotation::normalise(int n, int parity) {
  const std::size_t count = terms(n, parity);
  const std::size_t stride = padded(count);
  const RotationColumn recurrence = column(n, parity);
  AlignedVector<double> squares(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = scale_[at(n, parity).by_k + i];
    squares[i] = scale * scale;
  }
  AlignedVector<double> scratch(6 * stride);
  const RotationNorms norms{scratch.data(), scratch.data() + stride, scratch.data() + 2 * stride,
                            scratch.data() + 4 * stride};
  kernels_.rotation_norms(recurrence, squares.data(), norms);
  for (std::size_t m = 0; m < count; ++m) {
    const double* u = norms.forward_values + m;
    const double* w = norms.backward_values + m;
    double ratio = 0.0;
    double backward_norm = std::sqrt(norms.backward_square[m]);
    if (backward_norm > 0.0) {
      // u = ratio w at the turning point and one step beyond it, by least squares. w is first
      // scaled to about 1.
      const double size = std::max(std::abs(w[0]), std::abs(w[stride]));
      const double w0 = w[0] / size;
      const double w1 = w[stride] / size;
      ratio = (u[0] * w0 + u[stride] * w1) / (w0 * w0 + w1 * w1) / size;
    }
    backward_norm *= ratio;
    const double norm = std::sqrt(norms.forward_square[m] + backward_norm * backward_norm);
    // The vectors are never stored: the kernels run both recurrences again and multiply by these.
    forward_[at(n, parity).by_m + m] = 1.0 / norm;
    backward_[at(n, parity).by_m + m] = ratio / norm;
  }
}

double DegreeRotation::bytes(int order) {
  const double t = order + 1.0;
  const double by_k = t * (t + 1) / 2;
  const double by_m = by_k + 2 * kRecurrenceBlock * t;
  return sizeof(double) * (3 * by_k + 2 * by_m) + sizeof(int) * (by_m / kRepetitionGroup + 2 * t) +
         sizeof(Column) * 2 * t;
}

}  // namespace leafglyph
