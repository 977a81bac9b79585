#include "classify/classifier/plda_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

void multiply_by(std::span<const float> diagonal, std::span<float> row) {
  for (std::size_t c = 0; c < row.size(); ++c) row[c] *= diagonal[c];
}

}  // namespace

/// The rows of a fit, class by class, then the prior's.
struct PldaKernel::Selected {
  std::vector<std::size_t> places;   // in all_
  std::vector<std::size_t> starts;   // of each class, and the end of the last
  std::vector<std::size_t> classes;  // of each row

  std::size_t class_count() const { return starts.size() - 1; }
  double size_of(std::size_t c) const { return static_cast<double>(starts[c + 1] - starts[c]); }
};

bool PldaKernel::pays(const PldaFit& fit, std::size_t rows, std::size_t fitted) {
  const std::size_t columns = fit.prior().columns;
  const std::size_t of_prior = fit.prior().within.size() / columns;
  return fit.spec().augmentation == 0 && 4 * (fitted + of_prior) <= 3 * columns &&
         4 * (rows + of_prior) <= 5 * columns;
}

PldaKernel::PldaKernel(PldaFit fit, std::vector<float> rows, std::span<const int> labels,
                       std::size_t fitted)
    : fit_(std::move(fit)),
      columns_(fit_.prior().columns),
      rows_(labels.size()),
      within_(fit_.prior().within.size() / columns_),
      between_(fit_.prior().species()),
      size_(rows_ + within_ + between_),
      memory_(sizeof(float) * static_cast<double>(size_) *
                  static_cast<double>(kTerms * size_ + columns_),
              fmt::format("the products of {} rows", rows_)),
      all_(std::move(rows)) {
  if (all_.size() != rows_ * columns_)
    throw UsageError("PldaKernel: the labels do not fit the rows");
  if (fit_.spec().augmentation != 0) throw UsageError("PldaKernel: copies of rows need PldaFit");
  const ScatterPrior& prior = fit_.prior();
  for (std::size_t i = 0; i < rows_; ++i) {
    const auto row = std::span(all_).subspan(i * columns_, columns_);
    squares_.push_back(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
  }
  prior_trace_ = std::accumulate(prior.remainder.begin(), prior.remainder.end(), 0.0);
  for (const double value : prior.within) prior_trace_ += value * value;
  ClassTotals totals;
  add_to(totals, all_, labels, columns_);
  std::vector<std::size_t> every(rows_);
  std::iota(every.begin(), every.end(), std::size_t{0});
  // Most fits are without a fifth of the rows of a larger one.
  const double share = 0.9 * static_cast<double>(fitted) / static_cast<double>(rows_);
  const double n0 = fit_.spec().prior_rows, of_prior = n0 * prior_trace_;
  usual_ = factor_of(of_prior + share * (trace_of(every, totals) - of_prior));
  for (const auto* more : {&prior.within, &prior.between}) {
    all_.insert(all_.end(), more->begin(), more->end());
  }
  std::vector<float> first, step;
  for (const double remainder : prior.remainder) {
    first.push_back(static_cast<float>(1 / (1 + usual_ * remainder)));
    step.push_back(static_cast<float>(remainder / (1 + usual_ * remainder)));
  }
  reach_ = *std::ranges::max_element(step);
  constexpr std::size_t kTogether = 128;
  powers_.assign(kTerms, LargeVector<float>(size_ * size_));
  parallel_for((size_ + kTogether - 1) / kTogether, [&](std::size_t part) {
    const std::size_t start = part * kTogether, count = std::min(kTogether, size_ - start);
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(start * columns_);
    std::vector<float> some(begin, begin + static_cast<std::ptrdiff_t>(count * columns_)), products;
    for (std::size_t q = 0; q < kTerms; ++q) {
      for (std::size_t i = 0; i < some.size(); i += columns_) {
        multiply_by(q == 0 ? first : step, std::span(some).subspan(i, columns_));
      }
      // Below the diagonal, and the same above it.
      const std::size_t below = size_ - start;
      products.resize(below * count);
      product_tn({&all_[start * columns_], below, columns_}, {some.data(), count, columns_},
                 columns_, products);
      for (std::size_t i = 0; i < below; ++i) {
        float* const row = &powers_[q][(start + i) * size_ + start];
        for (std::size_t k = 0; k < count; ++k) row[k] = products[k * below + i];
      }
      for (std::size_t k = 0; k < count; ++k) {
        std::copy_n(&products[k * below], below, &powers_[q][(start + k) * size_ + start]);
      }
    }
  });
}

// m, for tr(n0 W0 + S).
double PldaKernel::factor_of(double trace) const {
  const double s = fit_.spec().shrinkage;
  return (1 - s) * fit_.spec().prior_rows * static_cast<double>(columns_) / (s * trace);
}

// tr(n0 W0 + S).
double PldaKernel::trace_of(std::span<const std::size_t> which,
                            const RemainingClasses& classes) const {
  double trace = fit_.spec().prior_rows * prior_trace_;
  for (const std::size_t row : which) trace += squares_[row];
  classes.for_each([&](int, double rows, std::span<const double> sum) {
    trace -= std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0) / rows;
  });
  return trace;
}

// The lower triangle of the products Y D^-1 Y^T of the selected rows.
std::vector<float> PldaKernel::products_in(const Selected& selected, double factor,
                                           double b) const {
  const std::size_t size = selected.places.size();
  std::vector<float> products(size * size);
  constexpr double kRounding = 0x1p-20;  // about what sums of thousands of floats are rounded by
  const double off = factor - usual_;
  if (std::pow(std::abs(off) * reach_, static_cast<double>(kTerms)) > kRounding) {
    std::vector<float> diagonal, rows;
    for (const double remainder : fit_.prior().remainder) {
      diagonal.push_back(static_cast<float>(1 / (b * (1 + factor * remainder))));
    }
    for (const std::size_t place : selected.places) {
      const auto row = std::span(all_).subspan(place * columns_, columns_);
      rows.insert(rows.end(), row.begin(), row.end());
    }
    std::vector<float> weighted = rows;
    for (std::size_t i = 0; i < rows.size(); i += columns_) {
      multiply_by(diagonal, std::span(weighted).subspan(i, columns_));
    }
    product_tn({rows.data(), size, columns_}, {weighted.data(), size, columns_}, columns_,
               products);
    return products;
  }
  float weights[kTerms];
  double weight = 1 / b;
  for (float& of_power : weights) {
    of_power = static_cast<float>(weight);
    weight *= -off;
  }
  for (std::size_t j = 0; j < size; ++j) {
    const float* columns[kTerms];
    for (std::size_t q = 0; q < kTerms; ++q) columns[q] = &powers_[q][selected.places[j] * size_];
    for (std::size_t i = j; i < size; ++i) {
      const std::size_t place = selected.places[i];
      float sum = 0;
      for (std::size_t q = kTerms; q-- > 0;) sum += weights[q] * columns[q][place];
      products[j * size + i] = sum;
    }
  }
  return products;
}

PldaKernel::Selected PldaKernel::select(std::span<const std::size_t> which,
                                        std::span<const int> labels) const {
  Selected selected;
  std::vector<std::size_t> order(which.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return labels[i]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || labels[order[i]] != labels[order[i - 1]]) selected.starts.push_back(i);
    selected.places.push_back(which[order[i]]);
    selected.classes.push_back(selected.starts.size() - 1);
  }
  selected.starts.push_back(order.size());
  for (std::size_t i = rows_; i < size_; ++i) selected.places.push_back(i);
  return selected;
}

/// Products of the rows of a fit, and of the means of their classes.
struct PldaKernel::Products {
  /// A symmetric matrix, whole.
  struct Square {
    std::size_t size;
    std::vector<float> values;

    const float* column(std::size_t j) const { return &values[j * size]; }
    // Above the diagonal as below it.
    void mirror() {
      constexpr std::size_t kBlock = 32;
      for (std::size_t top = 0; top < size; top += kBlock) {
        for (std::size_t left = 0; left <= top; left += kBlock) {
          for (std::size_t j = left; j < std::min(size, left + kBlock); ++j) {
            for (std::size_t i = std::max(j, top); i < std::min(size, top + kBlock); ++i) {
              values[i * size + j] = values[j * size + i];
            }
          }
        }
      }
    }
  };

  Square with_rows;
  std::size_t classes;
  /// Those of the means with all rows, row after row, and with each other.
  std::vector<double> means, both;
  /// Those of the means less the mean of all classes; in `twice` with each other.
  std::vector<double> centred, centred_both, twice;

  Products(Square square, const Selected& selected)
      : with_rows(std::move(square)),
        classes(selected.class_count()),
        means(classes * with_rows.size),
        both(classes * classes) {
    with_rows.mirror();
    for (std::size_t j = 0; j < with_rows.size; ++j) {
      const float* const column = with_rows.column(j);
      for (std::size_t c = 0; c < classes; ++c) {
        double sum = 0;
        for (std::size_t i = selected.starts[c]; i < selected.starts[c + 1]; ++i) sum += column[i];
        means[j * classes + c] = sum / selected.size_of(c);
      }
    }
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t j = selected.starts[c]; j < selected.starts[c + 1]; ++j) {
        for (std::size_t other = 0; other < classes; ++other) {
          both[c * classes + other] += means[j * classes + other] / selected.size_of(c);
        }
      }
    }
    centred = centred_by_row(means);
    centred_both = centred_by_row(both);
    twice = centred_by_row(transposed(centred_both));
  }

 private:
  // Subtracts from each row, which has `classes` numbers, its mean.
  std::vector<double> centred_by_row(std::vector<double> values) const {
    for (auto row = values.begin(); row != values.end();) {
      const auto end = row + static_cast<std::ptrdiff_t>(classes);
      const double mean = std::accumulate(row, end, 0.0) / static_cast<double>(classes);
      for (; row != end; ++row) *row -= mean;
    }
    return values;
  }

  std::vector<double> transposed(const std::vector<double>& square) const {
    std::vector<double> result(square.size());
    for (std::size_t i = 0; i < square.size(); ++i) {
      result[i % classes * classes + i / classes] = square[i];
    }
    return result;
  }
};

// I + a G D^-1 G^T, its lower triangle.
std::vector<float> PldaKernel::inside(const Selected& selected, const Products& products,
                                      double a) const {
  const std::size_t kinds = products.classes, n = selected.classes.size(), g = n + within_;
  const double root = std::sqrt(fit_.spec().prior_rows);
  std::vector<float> h(g * g);
  for (std::size_t j = 0; j < g; ++j) {
    const double scale = a * (j < n ? 1 : root);
    const float* const column = products.with_rows.column(j);
    const double* const of_column = &products.means[j * kinds];
    for (std::size_t i = j; i < g; ++i) {
      double value = column[i];
      if (j < n) value -= products.means[i * kinds + selected.classes[j]];
      if (i < n) {
        const std::size_t of_row = selected.classes[i];
        value += products.both[of_row * kinds + selected.classes[j]] - of_column[of_row];
      }
      h[j * g + i] = static_cast<float>(scale * (i < n ? 1 : root) * value + (i == j ? 1 : 0));
    }
  }
  return h;
}

// G D^-1 F^T, for the factors F of B.
std::vector<float> PldaKernel::crossed(const Selected& selected, const Products& products,
                                       const PldaBalance& balance) const {
  const std::size_t kinds = products.classes, n = selected.classes.size(), g = n + within_;
  const double root = std::sqrt(fit_.spec().prior_rows);
  const double of_means = 1 / std::sqrt(balance.between_total);
  std::vector<float> crossed(g * (between_ + kinds));
  for (std::size_t i = 0; i < g; ++i) {
    const double scale = i < n ? 1 : root;
    const std::size_t of_row = i < n ? selected.classes[i] : 0;
    for (std::size_t f = 0; f < between_; ++f) {
      double value = products.with_rows.column(g + f)[i];
      if (i < n) value -= products.means[(g + f) * kinds + of_row];
      crossed[f * g + i] = static_cast<float>(scale * balance.of_prior * value);
    }
    for (std::size_t c = 0; c < kinds; ++c) {
      double value = products.centred[i * kinds + c];
      if (i < n) value -= products.centred_both[of_row * kinds + c];
      crossed[(between_ + c) * g + i] = static_cast<float>(scale * of_means * value);
    }
  }
  return crossed;
}

// F D^-1 F^T, its lower triangle.
std::vector<double> PldaKernel::of_factors(const Selected& selected, const Products& products,
                                           const PldaBalance& balance) const {
  const std::size_t kinds = products.classes, g = selected.classes.size() + within_;
  const std::size_t r = between_ + kinds;
  const double of_means = 1 / std::sqrt(balance.between_total);
  std::vector<double> inner(r * r);
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t i = j; i < r; ++i) {
      double value = 0;
      if (i < between_) {
        value = balance.of_prior * balance.of_prior * products.with_rows.column(g + j)[g + i];
      } else if (j < between_) {
        value = balance.of_prior * of_means * products.centred[(g + j) * kinds + i - between_];
      } else {
        value = of_means * of_means * products.twice[(j - between_) * kinds + i - between_];
      }
      inner[j * r + i] = value;
    }
  }
  return inner;
}

// The shares of all rows in D W^-1 F^T times the coefficients: F^T times these, less a G^T times
// `solved`.
std::vector<float> PldaKernel::shares_of(const Selected& selected, const PldaBalance& balance,
                                         const Coefficients& along, std::span<const float> solved,
                                         double a) const {
  const std::size_t kinds = selected.class_count(), n = selected.classes.size(), g = n + within_;
  const std::size_t r = between_ + kinds, p = along.spread.size();
  const double root = std::sqrt(fit_.spec().prior_rows);
  const double of_means = 1 / std::sqrt(balance.between_total);
  std::vector<float> shares(size_ * p);
  for (std::size_t j = 0; j < p; ++j) {
    const double* const factor = &along.values[j * r];
    const double mean =
        std::accumulate(factor + between_, factor + r, 0.0) / static_cast<double>(kinds);
    float* const share = &shares[j * size_];
    const float* const of_g = &solved[j * g];
    for (std::size_t c = 0; c < kinds; ++c) {
      double sum = 0;
      for (std::size_t i = selected.starts[c]; i < selected.starts[c + 1]; ++i) sum += of_g[i];
      const double of_class =
          (of_means * (factor[between_ + c] - mean) + a * sum) / selected.size_of(c);
      for (std::size_t i = selected.starts[c]; i < selected.starts[c + 1]; ++i) {
        share[selected.places[i]] = static_cast<float>(of_class - a * of_g[i]);
      }
    }
    for (std::size_t v = 0; v < within_; ++v) {
      share[rows_ + v] = static_cast<float>(-a * root * of_g[n + v]);
    }
    for (std::size_t f = 0; f < between_; ++f) {
      share[rows_ + within_ + f] = static_cast<float>(balance.of_prior * factor[f]);
    }
  }
  return shares;
}

Plda PldaKernel::fit(std::span<const std::size_t> which, std::span<const int> labels,
                     const RemainingClasses& classes) const {
  if (which.size() != labels.size() || which.empty()) {
    throw UsageError("PldaKernel: the labels do not fit the rows");
  }
  const PldaBalance balance = balance_of(fit_.prior(), fit_.spec(), classes);
  const Selected selected = select(which, labels);
  if (selected.class_count() != classes.size()) {
    throw UsageError("PldaKernel: the totals are those of other rows");
  }
  const double trace = trace_of(which, classes), s = fit_.spec().shrinkage;
  if (!(trace > 0)) {
    throw UsageError("the rows of a class do not differ: raise pipeline.prior_leaves above 0");
  }
  const double a = (1 - s) / balance.within_total, factor = factor_of(trace);
  const double b = s * trace / (balance.within_total * static_cast<double>(columns_));
  const Products products({selected.places.size(), products_in(selected, factor, b)}, selected);
  std::vector<float> h = inside(selected, products, a);
  std::vector<float> half = crossed(selected, products, balance);
  const std::size_t g = selected.classes.size() + within_, r = between_ + products.classes;
  factorise(h, g);
  solve_lower(h, half, g, r);
  // F W^-1 F^T.
  const std::vector<double> whitened(half.begin(), half.end());
  std::vector<double> inner = of_factors(selected, products, balance);
  const std::vector<double> less = inner_products(whitened, g, r);
  for (std::size_t i = 0; i < inner.size(); ++i) inner[i] -= a * less[i];
  Coefficients along = coefficients_of(
      eigen_above(std::move(inner), r, balance.noise + Plda::kLeastSpread), balance.noise,
      /*of_factors=*/true);
  const std::size_t p = along.spread.size();
  const std::vector<double> crossed_along = product(whitened, along.values, g, r, p);
  std::vector<float> solved(crossed_along.begin(), crossed_along.end());
  solve_lower_transposed(h, solved, g, p);
  const std::vector<float> sums =
      product(all_, shares_of(selected, balance, along, solved, a), columns_, size_, p);
  std::vector<double> matrix(columns_ * p);
  for (std::size_t c = 0; c < columns_; ++c) {
    const double diagonal = b * (1 + factor * fit_.prior().remainder[c]);
    for (std::size_t j = 0; j < p; ++j) matrix[c * p + j] = sums[j * columns_ + c] / diagonal;
  }
  return Plda(mean_to_fit(classes, columns_), std::move(matrix), std::move(along.spread), "plda");
}

}  // namespace leafglyph
