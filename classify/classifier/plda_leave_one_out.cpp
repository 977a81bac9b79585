#include "classify/classifier/plda_leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/classifier/plda_parts.h"
#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Terms of the series that are smaller than this share of the first are less than the rounding of
// PldaFit. The ratio of two terms is at most the reach.
constexpr double kSmallest = 1e-9, kLongestReach = 0.25;
// Rows that are left out together: a solution reads the whole factor of H + g I, however few
// columns are solved.
constexpr std::size_t kLeftOutTogether = 128;

// sum over t of weights[t] times `count` numbers of parts[t], from number `first` on.
std::vector<double> summed(const std::vector<std::vector<double>>& parts,
                           std::span<const double> weights, std::size_t first, std::size_t count) {
  std::vector<double> sum(count);
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const double* part = parts[t].data() + first;
    for (std::size_t i = 0; i < count; ++i) sum[i] += weights[t] * part[i];
  }
  return sum;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

PldaLeaveOneOut::PldaLeaveOneOut(const PldaFit& fit, const ClassSums& sums,
                                 std::span<const float> rows, std::span<const int> labels)
    : totals_(&sums.classes()),
      spec_(fit.spec()),
      labels_(labels.begin(), labels.end()),
      columns_(sums.columns()),
      mean_(mean_of(sums.classes(), sums.columns())),
      rows_(rows.begin(), rows.end()) {
  const std::size_t d = columns_, classes = totals_->size();
  const ScatterPrior& prior = fit.prior();
  if (!is_possible(spec_) || classes < 2 || prior.columns != d ||
      rows_.size() != labels.size() * d || sums.rows() != labels.size()) {
    throw UsageError("PldaLeaveOneOut: the rows do not fit the sums or the spec");
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] -= mean_[i % d];
  means_ = spec_.prior_classes + static_cast<double>(classes) - 1;
  noise_ = spec_.prior_classes * prior.mean_noise + sizes_of(*totals_).inverses;
  for (const double value : prior.between) {
    factors_.push_back(std::sqrt(spec_.prior_classes / means_) * value);
  }
  for (const auto& [label, of_class] : *totals_) {
    factor_of_.emplace(label, prior.species() + factor_of_.size());
  }
  for_centred_means(*totals_, d, std::sqrt(means_), [&](std::span<const double> of_classes) {
    factors_.insert(factors_.end(), of_classes.begin(), of_classes.end());
  });
  factor_count_ = factors_.size() / d;
  inverse_ = sums.within();
  const std::span<const float> within = fit.prior_within();
  for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] += within[i];
  for (std::size_t j = 0; j < d; ++j) trace_ += inverse_[j * d + j];
  // g of W = k (H + g I): k g is the mean variance times the shrinkage.
  added_ = spec_.shrinkage / (1 - spec_.shrinkage) * trace_ / static_cast<double>(d);
  for (std::size_t j = 0; j < d; ++j) inverse_[j * d + j] += added_;
  factorise(inverse_, d);
  double longest = 0;
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const bool is_alone = totals_->at(labels_[i]).rows == 1;
    const std::vector<double> v = is_alone ? std::vector<double>() : deviation(i);
    // The inverse of H + g I is at most 1 / g. With d = g |v|^2 / tr H, each term of the series is
    // at most this times the one before.
    reach_.push_back(is_alone ? 1 : dot(v, v) / trace_);
    if (can_leave_out(i)) longest = std::max(longest, reach_.back());
  }
  of_factors_ = powers_of(factors_, factor_count_, terms_for(longest));
}

bool PldaLeaveOneOut::can_leave_out(std::size_t row) const { return reach_[row] <= kLongestReach; }

std::size_t PldaLeaveOneOut::terms_for(double reach) const {
  if (reach <= kSmallest) return 1;
  return static_cast<std::size_t>(std::ceil(std::log(kSmallest) / std::log(reach)));
}

// v of a row.
std::vector<double> PldaLeaveOneOut::deviation(std::size_t row) const {
  const ClassSum& of_class = totals_->at(labels_[row]);
  const auto m = static_cast<double>(of_class.rows);
  const double factor = std::sqrt(m / (m - 1));
  std::vector<double> v(columns_);
  for (std::size_t j = 0; j < columns_; ++j) {
    // rows_ are less the mean of all rows; the sums of classes are not.
    v[j] = factor * (rows_[row * columns_ + j] + mean_[j] - of_class.sum[j] / m);
  }
  return v;
}

PldaLeaveOneOut::Powers PldaLeaveOneOut::powers_of(std::vector<double> columns, std::size_t count,
                                                   std::size_t terms) const {
  Powers powers;
  for (std::size_t t = 0; t < terms; ++t) {
    // One more power each time, in place.
    solve_factorised(inverse_, columns, columns_, count);
    powers.values.push_back(columns);
    powers.with_rows.push_back(product_tn(rows_, columns, labels_.size(), columns_, count));
    powers.with_factors.push_back(product_tn(factors_, columns, factor_count_, columns_, count));
  }
  return powers;
}

void PldaLeaveOneOut::for_each(std::span<const std::size_t> which,
                               const std::function<void(std::size_t, Left)>& take) const {
  for (std::size_t first = 0; first < which.size(); first += kLeftOutTogether) {
    throw_if_interrupted();
    const auto some = which.subspan(first, std::min(kLeftOutTogether, which.size() - first));
    std::vector<double> deviations;
    double longest = 0;
    for (const std::size_t row : some) {
      if (!can_leave_out(row)) throw UsageError("PldaLeaveOneOut: the row cannot be left out");
      const std::vector<double> v = deviation(row);
      deviations.insert(deviations.end(), v.begin(), v.end());
      longest = std::max(longest, reach_[row]);
    }
    const Powers powers = powers_of(deviations, some.size(), terms_for(longest));
    parallel_for(some.size(), [&](std::size_t i) {
      take(first + i,
           without(some[i], std::span(deviations).subspan(i * columns_, columns_), powers, i));
    });
  }
}

// With R the inverse of H + g I - d I and F' = F + e v^T the factors of the others,
//
//   (H' + g' I)^-1 F'^T = R F^T + R v h^T,  h = (e + F R v) / (1 - v^T R v),
//   F' (H' + g' I)^-1 F'^T = F R F^T + (e + F R v) h^T - e e^T.
//
// Products with v are of the row's place in the block.
PldaLeaveOneOut::Left PldaLeaveOneOut::without(std::size_t row, std::span<const double> v,
                                               const Powers& of_block, std::size_t place) const {
  const std::size_t d = columns_, n = labels_.size(), r = factor_count_;
  // d^t of the series
  std::vector<double> weights = {1};
  while (weights.size() < terms_for(reach_[row])) {
    weights.push_back(weights.back() * added_ * reach_[row]);
  }
  const std::vector<double> rv = summed(of_block.values, weights, place * d, d);
  const std::vector<double> rows_rv = summed(of_block.with_rows, weights, place * n, n);
  const std::vector<double> f_rv = summed(of_block.with_factors, weights, place * r, r);
  const auto m = static_cast<double>(totals_->at(labels_[row]).rows);
  const double step = 1 / std::sqrt(m * (m - 1) * means_);  // of the mean of the class, along v
  const auto classes = static_cast<double>(totals_->size());
  std::vector<double> e(r), h(r);
  for (const auto& [label, factor] : factor_of_) {
    // Without the row, the mean of its class moves by -step v, and the mean of the means with it.
    e[factor] = step / classes - (label == labels_[row] ? step : 0);
  }
  const double rest = 1 - dot(v, rv);
  for (std::size_t i = 0; i < r; ++i) h[i] = (e[i] + f_rv[i]) / rest;
  const double freedom = static_cast<double>(n) - 1 - classes;
  const double scale =
      (spec_.prior_rows + std::max(1.0, freedom)) / (1 - spec_.shrinkage);  // 1 / k'
  std::vector<double> among = summed(of_factors_.with_factors, weights, 0, r * r);
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t i = 0; i < r; ++i) {
      among[j * r + i] += (e[i] + f_rv[i]) * h[j] - e[i] * e[j];
      among[j * r + i] *= scale;
    }
  }
  // The uncertainty of the mean of its class grows.
  const double noise = (noise_ - 1 / m + 1 / (m - 1)) / means_;
  Coefficients along = coefficients_of(eigen_above(std::move(among), r, noise + Plda::kLeastSpread),
                                       noise, /*of_factors=*/true);
  for (double& value : along.values) value *= scale;
  const std::size_t p = along.spread.size();
  const std::vector<double> of_v = product(h, along.values, 1, r, p);
  const std::vector<double> weights_of_columns =
      product(summed(of_factors_.values, weights, 0, d * r), along.values, d, r, p);
  std::vector<double> matrix(d * p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t c = 0; c < d; ++c) {
      matrix[c * p + j] = weights_of_columns[j * d + c] + rv[c] * of_v[j];
    }
  }
  std::vector<double> x =
      product(summed(of_factors_.with_rows, weights, 0, n * r), along.values, n, r, p);
  // rows_ are less the mean of all rows. The mean of the others is less by share times the row, so
  // that all rows gain as much.
  const double share = 1 / (static_cast<double>(n) - 1);
  for (std::size_t j = 0; j < p; ++j) {
    const auto of_rows = std::span(x).subspan(j * n, n);
    for (std::size_t i = 0; i < n; ++i) of_rows[i] += rows_rv[i] * of_v[j];
    const double off = share * of_rows[row];
    for (double& value : of_rows) value += off;
  }
  std::vector<float> transformed(n * p);
  std::vector<double> of_row(p);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < p; ++j) of_row[j] = x[j * n + i];
    const double factor = Plda::factor_to_length(of_row);
    for (std::size_t j = 0; j < p; ++j) {
      transformed[i * p + j] = static_cast<float>(factor * of_row[j]);
    }
  }
  std::vector<double> mean = mean_;
  for (std::size_t c = 0; c < d; ++c) mean[c] -= share * rows_[row * d + c];
  return {Plda(std::move(mean), std::move(matrix), std::move(along.spread), "plda"),
          std::move(transformed)};
}

}  // namespace leafglyph
