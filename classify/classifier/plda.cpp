#include "classify/classifier/plda.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/classifier/plda_parts.h"
#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The logarithm of the ratio of the densities of x in one direction, for a class of m rows with
// that mean and a query that is the mean of 1 / share rows.
double term(double beta, double m, double mean, double x, double share) {
  const double omega = 1 - beta, known = m * beta + omega;
  const double v = omega * share + beta * omega / known, of_unknown = beta + omega * share;
  const double off = x - m * beta / known * mean;
  return 0.5 * (std::log(of_unknown / v) + x * x / of_unknown - off * off / v);
}

}  // namespace

void declare(Keys& keys, PldaSpec& spec) {
  keys.number("shrinkage", spec.shrinkage, kShrinkages,
              "Of the covariance within species towards its mean variance");
  keys.number("prior_leaves", spec.prior_rows, {0, 1e9},
              "Number of training leaves that the prior's variation within species weighs");
  keys.number("prior_species", spec.prior_classes, {0, 1e9},
              "Number of species that the prior's variation between species weighs");
  keys.number("augmentation", spec.augmentation, {0, 1e6},
              "Weight of what damage, blur and noise change, learnt from augmented copies of half "
              "of the training leaves; 0: none");
}

void validate(const PldaSpec& spec) { check_keys(spec, "pipeline."); }

ScatterPrior prior_of(const ClassSums& sums, std::size_t rank) {
  const std::size_t d = sums.columns(), classes = sums.classes().size();
  const ClassSizes sizes = sizes_of(sums.classes());
  const double freedom_of_rows = sizes.rows - static_cast<double>(classes);
  if (classes < 2 || !(freedom_of_rows > 0)) {
    throw UsageError("a prior needs two classes, and two rows of one of them");
  }
  ScatterPrior prior;
  prior.columns = d;
  std::vector<double> w = sums.within();
  for (double& value : w) value /= freedom_of_rows;
  for (std::size_t j = 0; j < d; ++j) prior.remainder.push_back(w[j * d + j]);
  const std::size_t kept = std::min(rank, d);
  const SymmetricEigen eigen = largest_eigen(std::move(w), d, kept);
  for (std::size_t k = 0; k < kept && eigen.values[k] > 0; ++k) {
    const double factor = std::sqrt(eigen.values[k]);
    for (std::size_t j = 0; j < d; ++j) {
      const double value = factor * eigen.vectors[k * d + j];
      prior.within.push_back(value);
      prior.remainder[j] -= value * value;
    }
  }
  // Where the kept directions explain all of a column, rounding may leave less than 0.
  for (double& value : prior.remainder) value = std::max(0.0, value);
  const double freedom = static_cast<double>(classes) - 1;
  for_centred_means(sums.classes(), d, std::sqrt(freedom), [&](std::span<const double> means) {
    prior.between.insert(prior.between.end(), means.begin(), means.end());
  });
  prior.mean_noise = sizes.inverses / freedom;
  return prior;
}

PldaFit::PldaFit(const ScatterPrior& prior, const PldaSpec& spec) : prior_(prior), spec_(spec) {
  validate(spec);
  const std::size_t d = prior.columns;
  std::vector<double> within(d * d);
  // The prior's rows are the columns of a column-major matrix.
  add_outer_products(prior.within, d, prior.within.size() / d, spec.prior_rows, within);
  for (std::size_t j = 0; j < d; ++j) within[j * d + j] += spec.prior_rows * prior.remainder[j];
  // Added up in double and rounded once; from here on float halves the memory of a fold.
  within_.assign(within.begin(), within.end());
}

void PldaScatter::take_off(std::span<PldaScatter> scatters, std::span<const LabelledRows> rows) {
  if (rows.size() != scatters.size()) throw UsageError("PldaScatter: rows of other scatters");
  if (scatters.empty()) return;
  const std::size_t columns = scatters.front().sums_->columns(), tiles = tiles_of(columns);
  for (std::size_t s = 0; s < scatters.size(); ++s) {
    if (scatters[s].sums_->columns() != columns ||
        rows[s].values.size() != rows[s].labels.size() * columns) {
      throw UsageError("PldaScatter: the labels do not fit the rows");
    }
  }
  parallel_for(scatters.size() * tiles, [&](std::size_t i) {
    const LabelledRows& of = rows[i / tiles];
    add_to_tile(i % tiles, of.values, columns, of.labels.size(), -1.0F,
                scatters[i / tiles].products_);
  });
  parallel_for(scatters.size(), [&](std::size_t s) {
    add_to(scatters[s].off_, rows[s].values, rows[s].labels, columns);
  });
}

PldaScatter PldaFit::scatter_of(const ClassSums& sums) const {
  const std::size_t d = prior_.columns;
  if (sums.columns() != d) throw UsageError("the prior has other columns than the rows");
  LargeVector<float> products = within_;
  const std::span<const double> own = sums.products();
  for (std::size_t i = 0; i < own.size(); ++i) products[i] += static_cast<float>(own[i]);
  return PldaScatter(std::move(products), sums);
}

namespace {

// Turns n0 W0 plus the sum of z z^T into the lower triangle of Plda's W, and shrinks it. Float is
// enough: shrinkage bounds the condition number to some thousands.
void make_within(LargeVector<float>& w, std::size_t d, const RemainingClasses& classes,
                 double total, const PldaSpec& spec, const ClassSums* deviations) {
  for_class_rows<float>(
      classes, d,
      [](double of_class, std::span<const double> sum, std::vector<float>& means) {
        // The sum of z z^T less s s^T / m, with s the sum of the m rows, is the scatter about the
        // mean.
        const double factor = 1.0 / std::sqrt(of_class);
        for (const double value : sum) means.push_back(static_cast<float>(factor * value));
      },
      [&](std::span<const float> means) {
        add_outer_products(means, d, means.size() / d, -1.0F, w);
      });
  if (deviations != nullptr && deviations->rows() > 0 && spec.augmentation > 0) {
    // W is divided by `total` below, which the mean of d d^T must not be.
    const double weight = spec.augmentation * total / static_cast<double>(deviations->rows());
    const std::span<const double> varied = deviations->products();
    for (std::size_t i = 0; i < d * d; ++i) w[i] += static_cast<float>(weight * varied[i]);
  }
  double trace = 0;
  for (std::size_t j = 0; j < d; ++j) trace += w[j * d + j];
  const double s = spec.shrinkage;
  // One pass for the division by `total` and the shrinkage, over the lower triangle, which is all
  // that factorise() reads.
  const auto scale = static_cast<float>((1 - s) / total);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j * d + j; i < (j + 1) * d; ++i) w[i] *= scale;
    w[j * d + j] += static_cast<float>(s * trace / (total * static_cast<double>(d)));
  }
}

// L^-T times the columns of `along` (d x p), as rows.
std::vector<double> directions_of(std::span<const float> factor, std::span<const double> along,
                                  std::size_t d, std::size_t p) {
  std::vector<float> solved(along.begin(), along.end());
  solve_lower_transposed(factor, solved, d, p);
  std::vector<double> matrix(d * p);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t c = 0; c < d; ++c) matrix[c * p + j] = solved[j * d + c];
  }
  return matrix;
}

}  // namespace

// With F the rows of factors of B (before its noise is taken off), F W^-1 F^T = U diag(l) U^T gives
// the directions. If there are more factors than columns, L^-1 B L^-T has the same eigenvalues.
Plda PldaFit::fit(PldaScatter& scatter, const ClassSums* deviations) const {
  const std::size_t d = prior_.columns;
  if (deviations != nullptr && deviations->columns() != d) {
    throw UsageError("the prior has other columns than the deviations");
  }
  const RemainingClasses classes = scatter.classes();
  const PldaBalance balance = balance_of(prior_, spec_, classes);
  const double noise = balance.noise, of_means = std::sqrt(balance.between_total);
  LargeVector<float>& w = scatter.products_;
  make_within(w, d, classes, balance.within_total, spec_, deviations);
  factorise(w, d);
  std::vector<double> factors = prior_.between;
  for (double& value : factors) value *= balance.of_prior;
  Coefficients along;
  const std::size_t rank = classes.size() + prior_.species();
  // The eigenvectors of the smaller of the two matrices, r x r or d x d.
  if (rank <= d) {
    for_centred_means(classes, d, of_means, [&](std::span<const double> means) {
      factors.insert(factors.end(), means.begin(), means.end());
    });
    // L^-1 F^T, whose inner products are F W^-1 F^T. Solved in float like W; the eigenvectors are
    // found in double, because b is a small difference of eigenvalues and noise.
    std::vector<float> half(factors.begin(), factors.end());
    solve_lower(w, half, d, rank);
    factors.assign(half.begin(), half.end());
    along = coefficients_of(
        eigen_above(inner_products(factors, d, rank), rank, noise + Plda::kLeastSpread), noise,
        /*of_factors=*/true);
    along.values = product(factors, along.values, d, rank, along.spread.size());
  } else {
    // With many classes F would be larger than B: its outer products are added up some at a time.
    std::vector<float> between(d * d), some(factors.begin(), factors.end());
    add_outer_products(some, d, prior_.species(), 1, between);
    for_centred_means(classes, d, of_means, [&](std::span<const double> means) {
      some.assign(means.begin(), means.end());
      add_outer_products(some, d, means.size() / d, 1, between);
    });
    whiten(between, w, d);
    std::vector<double> whitened(between.begin(), between.end());
    std::vector<float>().swap(between);  // eleven fits at a time are most of the memory
    along = coefficients_of(eigen_above(std::move(whitened), d, noise + Plda::kLeastSpread), noise,
                            /*of_factors=*/false);
  }
  std::vector<double> matrix = directions_of(w, along.values, d, along.spread.size());
  return Plda(mean_to_fit(classes, d), std::move(matrix), std::move(along.spread), "plda");
}

Plda::Plda(std::vector<double> mean, std::vector<double> matrix, std::vector<double> spread,
           const std::string& source)
    : mean_(std::move(mean)), matrix_(std::move(matrix)), spread_(std::move(spread)) {
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  if (spread_.empty() || matrix_.size() != mean_.size() * spread_.size() || !finite(mean_) ||
      !finite(matrix_) || !finite(spread_) || std::ranges::min(spread_) <= 0) {
    throw FormatError(source + ": the directions do not fit together; train again");
  }
  products_ = RowProducts(matrix_, columns());
}

std::vector<float> Plda::transform(std::span<const float> rows) const { return along(rows, true); }

std::vector<float> Plda::transform_means(std::span<const float> means) const {
  return along(means, false);
}

double Plda::factor_to_length(std::span<const double> row) {
  double square = 0;
  for (const double value : row) square += value * value;
  return square > 0 ? std::sqrt(static_cast<double>(row.size()) / square) : 0.0;
}

std::vector<float> Plda::along(std::span<const float> rows, bool normalised) const {
  const std::size_t d = columns(), p = dimension();
  if (d == 0 || rows.size() % d != 0) {
    throw UsageError("Plda: the rows have another number of columns");
  }
  constexpr std::size_t kTogether = 48;  // a multiple of the rows that RowProducts takes together
  const std::size_t count = rows.size() / d;
  std::vector<float> result(count * p);
  parallel_for((count + kTogether - 1) / kTogether, [&](std::size_t part) {
    const std::size_t first = part * kTogether, present = std::min(kTogether, count - first);
    std::vector<float> centred(present * d);
    std::vector<double> x(present * p);
    for (std::size_t i = 0; i < present; ++i) {
      for (std::size_t c = 0; c < d; ++c) {
        centred[i * d + c] = static_cast<float>(rows[(first + i) * d + c] - mean_[c]);
      }
    }
    products_.multiply(centred, present, x);
    for (std::size_t i = 0; i < present; ++i) {
      const double factor = normalised ? factor_to_length(std::span(x).subspan(i * p, p)) : 1.0;
      for (std::size_t j = 0; j < p; ++j) {
        result[(first + i) * p + j] = static_cast<float>(factor * x[i * p + j]);
      }
    }
  });
  return result;
}

ClassLikelihood::ClassLikelihood(std::span<const double> spread, const ClassTotals& totals) {
  for (const double b : spread) beta_.push_back(b / (1 + b));
  for (const auto& [label, of_class] : totals) {
    if (of_class.sum.size() != spread.size()) {
      throw UsageError("ClassLikelihood: the sums do not fit the spread");
    }
    const auto count = static_cast<double>(of_class.rows);
    labels_.push_back(label);
    counts_.push_back(count);
    for (const double value : of_class.sum) means_.push_back(value / count);
  }
}

ClassLikelihood::ClassLikelihood(std::span<const double> spread,
                                 const std::map<int, std::size_t>& counts,
                                 std::vector<double> means)
    : means_(std::move(means)) {
  for (const double b : spread) beta_.push_back(b / (1 + b));
  for (const auto& [label, rows] : counts) {
    labels_.push_back(label);
    counts_.push_back(static_cast<double>(rows));
  }
  if (means_.size() != counts_.size() * spread.size()) {
    throw UsageError("ClassLikelihood: the means do not fit the spread");
  }
}

std::size_t ClassLikelihood::place_of(int label) const {
  const auto at = std::ranges::lower_bound(labels_, label);
  if (at == labels_.end() || *at != label) {
    throw UsageError("ClassLikelihood: a class without rows");
  }
  return static_cast<std::size_t>(at - labels_.begin());
}

void ClassLikelihood::check(std::size_t c, std::span<const float> x) const {
  if (c >= labels_.size() || x.size() != beta_.size()) {
    throw UsageError("ClassLikelihood: there is no such class, or the row has another length");
  }
}

double ClassLikelihood::log_ratio(std::size_t c, std::span<const float> x,
                                  std::size_t queries) const {
  check(c, x);
  if (queries == 0) throw UsageError("ClassLikelihood: the mean of no rows");
  const std::size_t p = beta_.size();
  const double m = counts_[c], share = 1.0 / static_cast<double>(queries);
  double sum = 0;
  for (std::size_t j = 0; j < p; ++j) sum += term(beta_[j], m, means_[c * p + j], x[j], share);
  return sum;
}

}  // namespace leafglyph
