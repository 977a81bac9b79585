#include "classify/knn/plda_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "classify/knn/algebra.h"
#include "classify/knn/plda_parts.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

/// A symmetric matrix, whole.
struct Square {
  std::size_t size;
  std::vector<float> values;

  float* column(std::size_t j) { return &values[j * size]; }
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

void multiply_by(std::span<const float> diagonal, std::span<float> row) {
  for (std::size_t c = 0; c < row.size(); ++c) row[c] *= diagonal[c];
}

}  // namespace

/// The rows of a fit, class by class, then the prior's.
struct PldaKernel::Selected {
  std::size_t rows = 0;
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
  constexpr double kRounding = 0x1p-20;  // of products in float
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

Plda PldaKernel::fit(std::span<const std::size_t> which, std::span<const int> labels,
                     const RemainingClasses& classes) const {
  if (which.size() != labels.size() || which.empty()) {
    throw UsageError("PldaKernel: the labels do not fit the rows");
  }
  const PldaBalance balance = balance_of(fit_.prior(), fit_.spec(), classes);
  Selected selected;
  const std::size_t n = selected.rows = which.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return labels[i]; });
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || labels[order[i]] != labels[order[i - 1]]) selected.starts.push_back(i);
    selected.places.push_back(which[order[i]]);
    selected.classes.push_back(selected.starts.size() - 1);
  }
  selected.starts.push_back(n);
  if (selected.class_count() != classes.size()) {
    throw UsageError("PldaKernel: the totals are those of other rows");
  }
  for (std::size_t i = rows_; i < size_; ++i) selected.places.push_back(i);
  const double d = static_cast<double>(columns_), n0 = fit_.spec().prior_rows;
  const double s = fit_.spec().shrinkage;
  const double a = (1 - s) / balance.within_total;
  const double trace = trace_of(which, classes);
  const double b = s * trace / (balance.within_total * d);
  const std::size_t size = selected.places.size();
  Square k{size, products_in(selected, factor_of(trace), b)};
  k.mirror();
  // The products of the means of classes with all, and with each other.
  const std::size_t kinds = selected.class_count(), g = n + within_, r = between_ + kinds;
  std::vector<double> means(kinds * size), both(kinds * kinds);
  for (std::size_t j = 0; j < size; ++j) {
    const float* const column = k.column(j);
    for (std::size_t c = 0; c < kinds; ++c) {
      double sum = 0;
      for (std::size_t i = selected.starts[c]; i < selected.starts[c + 1]; ++i) sum += column[i];
      means[j * kinds + c] = sum / selected.size_of(c);
    }
  }
  for (std::size_t c = 0; c < kinds; ++c) {
    for (std::size_t j = selected.starts[c]; j < selected.starts[c + 1]; ++j) {
      for (std::size_t other = 0; other < kinds; ++other) {
        both[c * kinds + other] += means[j * kinds + other] / selected.size_of(c);
      }
    }
  }
  // Those of the means less the mean of all classes, with all.
  std::vector<double> centred = means, centred_both = both;
  const auto centre = [&](double* of_classes) {
    const double mean =
        std::accumulate(of_classes, of_classes + kinds, 0.0) / static_cast<double>(kinds);
    for (std::size_t c = 0; c < kinds; ++c) of_classes[c] -= mean;
  };
  for (std::size_t j = 0; j < size; ++j) centre(&centred[j * kinds]);
  for (std::size_t c = 0; c < kinds; ++c) centre(&centred_both[c * kinds]);
  std::vector<double> twice = centred_both;
  for (std::size_t c = 0; c < kinds; ++c) {
    double mean = 0;
    for (std::size_t other = 0; other < kinds; ++other) mean += twice[other * kinds + c];
    mean /= static_cast<double>(kinds);
    for (std::size_t other = 0; other < kinds; ++other) twice[other * kinds + c] -= mean;
  }
  // I + a G D^-1 G^T, and G D^-1 F^T for the factors F of B.
  const double root = std::sqrt(n0), of_means = 1 / std::sqrt(balance.between_total);
  std::vector<float> h(g * g), crossed(g * r);
  for (std::size_t j = 0; j < g; ++j) {
    const double scale = a * (j < n ? 1 : root);
    const float* const column = k.column(j);
    const double* const of_column = &means[j * kinds];
    for (std::size_t i = j; i < g; ++i) {
      double value = column[i];
      if (j < n) value -= means[i * kinds + selected.classes[j]];
      if (i < n) {
        const std::size_t of_row = selected.classes[i];
        value += both[of_row * kinds + selected.classes[j]] - of_column[of_row];
      }
      h[j * g + i] = static_cast<float>(scale * (i < n ? 1 : root) * value + (i == j ? 1 : 0));
    }
  }
  for (std::size_t i = 0; i < g; ++i) {
    const double scale = i < n ? 1 : root;
    const std::size_t of_row = i < n ? selected.classes[i] : 0;
    for (std::size_t f = 0; f < between_; ++f) {
      double value = k.column(g + f)[i];
      if (i < n) value -= means[(g + f) * kinds + of_row];
      crossed[f * g + i] = static_cast<float>(scale * balance.of_prior * value);
    }
    for (std::size_t c = 0; c < kinds; ++c) {
      double value = centred[i * kinds + c];
      if (i < n) value -= centred_both[of_row * kinds + c];
      crossed[(between_ + c) * g + i] = static_cast<float>(scale * of_means * value);
    }
  }
  factorise(h, g);
  solve_lower(h, crossed, g, r);
  // F W^-1 F^T.
  std::vector<double> half(crossed.begin(), crossed.end());
  std::vector<double> inner = inner_products(half, g, r);
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t i = j; i < r; ++i) {
      double value = 0;
      if (i < between_) {
        value = balance.of_prior * balance.of_prior * k.column(g + j)[g + i];
      } else if (j < between_) {
        value = balance.of_prior * of_means * centred[(g + j) * kinds + i - between_];
      } else {
        value = of_means * of_means * twice[(j - between_) * kinds + i - between_];
      }
      inner[j * r + i] = value - a * inner[j * r + i];
    }
  }
  Coefficients along = coefficients_of(
      eigen_above(std::move(inner), r, balance.noise + Plda::kLeastSpread), balance.noise,
      /*of_factors=*/true);
  const std::size_t p = along.spread.size();
  const std::vector<double> whitened = product(half, along.values, g, r, p);
  std::vector<float> solved(whitened.begin(), whitened.end());
  solve_lower_transposed(h, solved, g, p);
  // W^-1 F^T times the coefficients is D^-1 times a sum of rows.
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
  const std::vector<float> sums = product(all_, shares, columns_, size_, p);
  std::vector<double> matrix(columns_ * p);
  for (std::size_t c = 0; c < columns_; ++c) {
    const double diagonal = b + a * n0 * fit_.prior().remainder[c];
    for (std::size_t j = 0; j < p; ++j) matrix[c * p + j] = sums[j * columns_ + c] / diagonal;
  }
  return Plda(mean_of(classes, columns_), std::move(matrix), std::move(along.spread), "plda");
}

}  // namespace leafglyph
