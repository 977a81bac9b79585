#include "features/separable/line_basis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kBlock = kRecurrenceBlock;

// Terms below this do not affect a sum in double.
constexpr double kNothing = 1e-20;

// Values are scaled down by 2^kScaleBits once they exceed it.
constexpr int kScaleBits = 600;

std::size_t block_count(int order) { return static_cast<std::size_t>(order) / kBlock + 1; }

// psi_{j-1} and psi_j of a group of lines for one block of k, stored as value * 2^exponent.
struct ScaledGroup {
  std::array<double, kGroupBlock> before{};
  std::array<double, kGroupBlock> current{};
  std::array<int, kGroupBlock> exponent{};
  std::array<double, kGroupBlock> shown{};  // |current| * factor from here on is significant

  void start(std::size_t lane, long double value) {
    before[lane] = 0.0;
    current[lane] = static_cast<double>(std::frexp(value, &exponent[lane]));
    set_shown(lane);
  }
  void set_shown(std::size_t lane) { shown[lane] = std::ldexp(kNothing, -exponent[lane]); }

  bool shows(const double* factor) const {
    bool any = false;
    for (std::size_t lane = 0; lane < kGroupBlock; ++lane) {
      any |= std::abs(current[lane]) * factor[lane % kBlock] >= shown[lane];
    }
    return any;
  }

  void rescale() {
    const double limit = std::ldexp(1.0, kScaleBits);
    const double down = std::ldexp(1.0, -kScaleBits);
    for (std::size_t lane = 0; lane < kGroupBlock; ++lane) {
      if (std::abs(current[lane]) < limit) continue;
      before[lane] *= down;
      current[lane] *= down;
      exponent[lane] += kScaleBits;
      set_shown(lane);
    }
  }
};

// Advances a group from one j to another with the kernel that sums across lines, ignoring the sums.
class Stepper {
 public:
  explicit Stepper(int order) : sums_((static_cast<std::size_t>(order) + 1) * kBlock) {}

  void advance(const double* slope, std::size_t first, std::size_t last, const double* y,
               ScaledGroup& group) {
    kernels_.line_sums(
        slope, first, last,
        {y, group.before.data(), group.current.data(), nothing_.data(), nothing_.data()},
        sums_.data());
  }

 private:
  const RecurrenceKernels& kernels_ = recurrence_kernels();
  std::array<double, kGroupBlock> nothing_{};
  AlignedVector<double> sums_;
};

// Whether lines of half chords s > s' may start at the same j. At the turning point k = n s of the
// first line, phi_nk is about exp(-k (arccosh(s / s') - sqrt(1 - s'^2 / s^2))) on the line of s'.
// This must not underflow for k up to T s'.
bool start_together(int order, double s, double other) {
  constexpr double kDeepest = 500.0;
  const double ratio = s / other;
  const double depth = std::acosh(ratio) - std::sqrt(1.0 - 1.0 / (ratio * ratio));
  return (order + 1) * other * depth < kDeepest;
}

// Steps between two checks of the size. In these psi grows by less than 2^300, since slope < 100.
constexpr std::size_t kStepsBetweenScales = 32;
static_assert(kStepsBetweenScales % kStartSteps == 0);

}  // namespace

double koornwinder_coefficient(double j, double k) {
  return std::sqrt(j * (j + 2 * k + 1) / (4 * (j + k + 1) * (j + k)));
}

// factor_{k+1} = factor_{k-1} k / (k + 1) makes the last coefficient of Legendre's recurrence 1;
// slope_k = (2 k + 1) / (k + 1) factor_k / factor_{k+1}.
LegendreScale::LegendreScale(std::size_t terms)
    : slope(terms), factor(terms, 1.0), above(terms), below(terms) {
  for (std::size_t k = 0; k < terms; ++k) {
    const auto d = static_cast<double>(k);
    if (k >= 2) factor[k] = factor[k - 2] * (d - 1) / d;
    const double next = k >= 1 ? factor[k - 1] * d / (d + 1) : 1.0;
    slope[k] = (2 * d + 1) / (d + 1) * factor[k] / next;
    above[k] = next / (2 * d + 1);
    below[k] = k >= 1 ? factor[k - 1] / (2 * d + 1) : 0.0;
  }
}

// factor_{j+1} = factor_{j-1} a_j / a_{j+1} makes the last coefficient of the recurrence in the
// header 1; slope_j = factor_j / (factor_{j+1} a_{j+1}).
LineBasis::LineBasis(int order) : order_(order), offsets_(block_count(order) + 1) {
  for (std::size_t b = 0; b < blocks(); ++b) offsets_[b + 1] = offsets_[b] + steps(b) * kBlock;
  slope_.resize(length());
  factor_.resize(length());
  parallel_for({.count = blocks(), .nanoseconds = 3.0 * kBlock * order}, [&](std::size_t b) {
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      const auto k = static_cast<double>(b * kBlock + lane);
      double before = 1.0;
      double factor = 1.0;
      double coefficient = 1.0;
      for (std::size_t j = 0; j < steps(b); ++j) {
        const double after = koornwinder_coefficient(static_cast<double>(j + 1), k);
        const double next = j == 0 ? 1.0 : before * coefficient / after;
        factor_[offsets_[b] + j * kBlock + lane] = factor;
        slope_[offsets_[b] + j * kBlock + lane] = factor / (next * after);
        before = factor;
        factor = next;
        coefficient = after;
      }
    }
  });
}

double LineBasis::bytes(int order) {
  const double terms = order + static_cast<double>(kBlock);
  return sizeof(double) * terms * (terms + kBlock);  // two triangular arrays, each half as large
}

LineGroups::LineGroups(const std::vector<LineNode>& all, const std::vector<std::size_t>& ends,
                       const LineBasis& basis) {
  auto end = ends.begin();
  for (std::size_t first = 0; first < all.size(); first += groups_.back().lines) {
    while (*end <= first) ++end;
    Group group{};
    group.first_line = first;
    group.lines = 1;
    while (
        group.lines < kGroupLines && first + group.lines < *end &&
        start_together(basis.order(), all[first].half_chord, all[first + group.lines].half_chord)) {
      ++group.lines;
    }
    for (std::size_t l = 0; l < kGroupLines; ++l) {
      const LineNode& line = all[first + std::min(l, group.lines - 1)];
      // Places without a line repeat the last one, so that the kernels need no remainder.
      group.y[l] = line.y;
      group.half_chord[l] = line.half_chord;
    }
    groups_.push_back(group);
  }
  // phi_{k+1,k+1} / (phi_kk s)
  std::vector<long double> ratios(basis.blocks() * kBlock);
  for (std::size_t k = 0; k < ratios.size(); ++k) {
    const auto degree = static_cast<long double>(k);
    ratios[k] = std::sqrt(2 * (degree + 2) / (2 * degree + 1));
  }
  std::vector<std::vector<std::uint32_t>> first(groups_.size());
  std::vector<AlignedVector<double>> starts(groups_.size());
  // From the last: groups near the pole take longest, since values become significant late there.
  parallel_for(groups_.size(), [&](std::size_t i) {
    const std::size_t g = groups_.size() - 1 - i;
    fill_group(basis, ratios, groups_[g], first[g], starts[g]);
  });
  std::size_t count = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].first_start = count;
    count += first[g].size();
  }
  first_.resize(count);
  starts_.resize(2 * kGroupBlock * count);
  parallel_for({.count = groups_.size(), .nanoseconds = 1'000}, [&](std::size_t g) {
    const std::size_t at = groups_[g].first_start;
    std::ranges::copy(first[g], first_.begin() + static_cast<std::ptrdiff_t>(at));
    std::ranges::copy(starts[g],
                      starts_.begin() + static_cast<std::ptrdiff_t>(2 * kGroupBlock * at));
    AlignedVector<double>().swap(starts[g]);
  });
}

// Starting values of one group. For every block of k, runs the recurrence from psi_0 = phi_kk in
// scaled arithmetic and keeps psi_{j-1} and psi_j at the last multiple of kStartSteps before a
// value becomes significant. Stops at the first block in which none does.
void LineGroups::fill_group(const LineBasis& basis, const std::vector<long double>& ratios,
                            Group& group, std::vector<std::uint32_t>& first,
                            AlignedVector<double>& starts) const {
  // phi_kk in long double, whose exponent range s^k does not exceed.
  std::array<long double, kGroupLines> lowest;
  lowest.fill(std::sqrt(std::numbers::inv_pi_v<long double>));
  Stepper stepper(basis.order());
  for (std::size_t b = 0; b < basis.blocks(); ++b) {
    ScaledGroup values;
    for (std::size_t lane = 0; lane < kGroupBlock; ++lane) {
      const std::size_t l = lane / kBlock;
      values.start(lane, lowest[l]);
      lowest[l] *= group.half_chord[l] * ratios[b * kBlock + lane % kBlock];
    }
    const double* slope = basis.slope(b);
    const double* factor = basis.factor(b);
    const std::size_t last = basis.steps(b) - 1;
    std::size_t j = 0;
    bool shows = values.shows(factor);
    ScaledGroup start = values;
    while (!shows && j < last) {
      // The group starts from before the steps in which its values become significant.
      start = values;
      const std::size_t next = std::min(j + kStartSteps, last);
      stepper.advance(slope, j, next, group.y, values);
      shows = values.shows(factor + next * kBlock);
      if (shows) break;
      j = next;
      if (j % kStepsBetweenScales == 0) values.rescale();
    }
    if (!shows) break;
    first.push_back(static_cast<std::uint32_t>(j));
    for (const auto* part : {&start.before, &start.current}) {
      for (std::size_t lane = 0; lane < kGroupBlock; ++lane) {
        starts.push_back(std::ldexp((*part)[lane], start.exponent[lane]));
      }
    }
  }
  group.blocks = first.size();
}

double LineGroups::bytes(std::size_t lines, int order) {
  const std::size_t groups = (lines + kGroupLines - 1) / kGroupLines;
  const auto blocks = static_cast<double>(block_count(order));
  return static_cast<double>(groups) *
         (sizeof(Group) + blocks * (2 * kGroupBlock * sizeof(double) + sizeof(std::uint32_t)));
}

}  // namespace leafglyph
