#include "classify/classifier/open_set.h"

#include <algorithm>
#include <cmath>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

/// A function of slope and offset, its gradient, and the negative of its matrix of second
/// derivatives.
struct Objective {
  double value = 0, of_slope = 0, of_offset = 0;
  double slopes = 0, both = 0, offsets = 0;

  void add(const Objective& other) {
    value += other.value;
    of_slope += other.of_slope;
    of_offset += other.of_offset;
    slopes += other.slopes;
    both += other.both;
    offsets += other.offsets;
  }
};

// Rows whose sums are computed together.
constexpr std::size_t kRowsOfBlock = 1024;

// Writes the probabilities of the classes, and behind them that of none, to `all`. The largest
// exponent is taken off first, so that none overflows.
void write_shares(std::span<const double> evidence, double slope, double offset,
                  std::vector<double>& all) {
  all.clear();
  double largest = 0;
  for (const double value : evidence) {
    all.push_back(slope * value + offset);
    largest = std::max(largest, all.back());
  }
  all.push_back(0);
  double sum = 0;
  for (double& value : all) {
    value = std::exp(value - largest);
    sum += value;
  }
  for (double& value : all) value /= sum;
}

// Adds weight * log P(truth) of a row. The exponent of class k has the derivatives (r_k, 1), that
// of no class (0, 0): the gradient is that of the truth less their mean, and the second derivatives
// are their covariance, with the sign changed.
// `p` is room.
void add(const JudgedRow& row, double weight, double slope, double offset, std::vector<double>& p,
         Objective& sum) {
  write_shares(row.evidence, slope, offset, p);
  double mean = 0, square = 0;
  for (std::size_t k = 0; k < row.evidence.size(); ++k) {
    mean += p[k] * row.evidence[k];
    square += p[k] * row.evidence[k] * row.evidence[k];
  }
  const double known = 1 - p.back();
  const double of_truth = p[row.truth.value_or(row.evidence.size())];
  sum.value += weight * std::log(std::max(of_truth, 1e-300));
  sum.of_slope += weight * ((row.truth ? row.evidence[*row.truth] : 0.0) - mean);
  sum.of_offset += weight * ((row.truth ? 1.0 : 0.0) - known);
  sum.slopes += weight * (square - mean * mean);
  sum.both += weight * (mean - mean * known);
  sum.offsets += weight * (known - known * known);
}

// Sums of blocks are added in their order, so that the number of threads makes no difference.
Objective objective(std::span<const JudgedRow> rows, double of_known, double of_unknown,
                    double pull, double slope, double offset) {
  std::vector<Objective> of_blocks((rows.size() + kRowsOfBlock - 1) / kRowsOfBlock);
  parallel_for_with_scratch({of_blocks.size()}, [&]() -> RoundJob {
    return [&, room = std::vector<double>()](std::size_t block) mutable {
      const std::size_t first = block * kRowsOfBlock;
      for (const JudgedRow& row :
           rows.subspan(first, std::min(kRowsOfBlock, rows.size() - first))) {
        add(row, row.truth ? of_known : of_unknown, slope, offset, room, of_blocks[block]);
      }
    };
  });
  Objective sum;
  for (const Objective& of_block : of_blocks) sum.add(of_block);
  constexpr double kUsual = OpenSetCalibration::kUsualSlope;
  const double off = slope / kUsual - 1;
  sum.value -= pull * off * off;
  sum.of_slope -= 2 * pull * off / kUsual;
  sum.slopes += 2 * pull / (kUsual * kUsual);
  // Without rows of unknown classes the best offset would be infinite.
  constexpr double kOffsetPull = 1e-6;
  sum.value -= kOffsetPull * offset * offset;
  sum.of_offset -= 2 * kOffsetPull * offset;
  sum.offsets += 2 * kOffsetPull;
  return sum;
}

}  // namespace

// Newton's method; the objective is concave. Steps that do not raise it are halved.
OpenSetCalibration OpenSetCalibration::fit(std::span<const JudgedRow> rows, double of_unknown_rows,
                                           double pull) {
  const auto known = static_cast<double>(
      std::ranges::count_if(rows, [](const JudgedRow& row) { return row.truth.has_value(); }));
  const double others = static_cast<double>(rows.size()) - known;
  if (!(known > 0)) throw UsageError("there is no leaf from which to learn probabilities");
  if (std::clamp(of_unknown_rows, 0.0, 1.0) != of_unknown_rows) {
    throw UsageError("the share of unknown leaves is not 0 to 1");
  }
  const double share = others > 0 ? of_unknown_rows : 0;
  const double of_known = (1 - share) / known, of_unknown = others > 0 ? share / others : 0;
  double slope = kUsualSlope, offset = 0;
  Objective now = objective(rows, of_known, of_unknown, pull, slope, offset);
  constexpr int kSteps = 100;
  for (int step = 0; step < kSteps; ++step) {
    const double determinant = now.slopes * now.offsets - now.both * now.both;
    if (!(determinant > 0)) break;
    const double to_slope = (now.offsets * now.of_slope - now.both * now.of_offset) / determinant;
    const double to_offset = (now.slopes * now.of_offset - now.both * now.of_slope) / determinant;
    // What the step gains if the objective is a parabola. If that is less than the rounding of its
    // sums, the steps no longer lead anywhere: so it is where no leaf is in doubt.
    const double gain = 0.5 * (to_slope * now.of_slope + to_offset * now.of_offset);
    if (!(gain > 1e-14 * std::abs(now.value))) break;
    double length = 1;
    Objective next =
        objective(rows, of_known, of_unknown, pull, slope + to_slope, offset + to_offset);
    while (!(next.value >= now.value) && length > 1e-10) {
      length /= 2;
      next = objective(rows, of_known, of_unknown, pull, slope + length * to_slope,
                       offset + length * to_offset);
    }
    if (!(next.value >= now.value)) break;
    slope += length * to_slope;
    offset += length * to_offset;
    const bool done = std::abs(to_slope) < 1e-9 * kUsualSlope && std::abs(to_offset) < 1e-9;
    now = next;
    if (done) break;
  }
  return OpenSetCalibration(slope, offset);
}

std::vector<double> OpenSetCalibration::probabilities(std::span<const double> evidence) const {
  std::vector<double> all;
  write_shares(evidence, slope_, offset_, all);
  all.pop_back();
  return all;
}

OpenSetCalibration::Certainty OpenSetCalibration::certainty_of(
    std::span<const double> probabilities) {
  Certainty certainty{1, 0};
  for (const double p : probabilities) {
    certainty.unknown -= p;
    certainty.best = std::max(certainty.best, p);
  }
  return certainty;
}

}  // namespace leafglyph
