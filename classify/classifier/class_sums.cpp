#include "classify/classifier/class_sums.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/table/algebra.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {

namespace {

// How many rounds of a sum over some rows run on the calling thread: all, if the rows are few.
std::size_t serial_for(std::size_t rows, std::size_t rounds) {
  constexpr std::size_t kFew = 64;
  return rows < kFew ? rounds : 1;
}

// All tiles at once. On one thread that takes an eighth less time; the sums are exact either way.
void add_converted(std::span<const float> rows, std::size_t columns, std::span<double> products) {
  constexpr std::size_t kTogether = 256;
  std::vector<double> some;
  for (std::size_t first = 0; first < rows.size(); first += kTogether * columns) {
    const auto values = rows.subspan(first, std::min(kTogether * columns, rows.size() - first));
    some.assign(values.begin(), values.end());
    add_outer_products(some, columns, some.size() / columns, 1.0, products);
  }
}

}  // namespace

void add_to(ClassTotals& totals, std::span<const float> rows, std::span<const int> labels,
            std::size_t columns) {
  std::vector<double*> sums;
  sums.reserve(labels.size());
  for (const int label : labels) {
    ClassSum& of_class = totals[label];
    if (of_class.sum.empty()) of_class.sum.resize(columns);
    ++of_class.rows;
    sums.push_back(of_class.sum.data());
  }
  constexpr std::size_t kTogether = 128;
  const std::size_t parts = (columns + kTogether - 1) / kTogether;
  parallel_for({parts, /*at_a_time=*/1, serial_for(labels.size(), parts)}, [&](std::size_t part) {
    const std::size_t first = part * kTogether, end = std::min(columns, first + kTogether);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const float* const row = &rows[i * columns];
      for (std::size_t j = first; j < end; ++j) sums[i][j] += row[j];
    }
  });
}

RemainingClasses::RemainingClasses(const ClassTotals& totals, const ClassTotals* off)
    : totals_(&totals), off_(off), size_(totals.size()) {
  if (off == nullptr) return;
  for (const auto& [label, less] : *off) {
    const auto found = totals.find(label);
    if (found == totals.end() || found->second.rows < less.rows) {
      throw UsageError("more rows of a class are left out than there are");
    }
    if (found->second.rows == less.rows) --size_;
  }
}

void RemainingClasses::for_each(const Take& take) const {
  std::vector<double> rest;
  for (const auto& [label, of_class] : *totals_) {
    const auto rows = static_cast<double>(of_class.rows);
    const auto less = off_ == nullptr ? ClassTotals::const_iterator() : off_->find(label);
    if (off_ == nullptr || less == off_->end()) {
      take(label, rows, of_class.sum);
      continue;
    }
    if (of_class.rows == less->second.rows) continue;
    rest = of_class.sum;
    for (std::size_t j = 0; j < rest.size(); ++j) rest[j] -= less->second.sum[j];
    take(label, rows - static_cast<double>(less->second.rows), rest);
  }
}

std::vector<double> mean_of(const RemainingClasses& classes, std::size_t columns) {
  double all = 0;
  classes.for_each([&](int, double rows, std::span<const double>) { all += rows; });
  std::vector<double> mean(columns);
  const double share = 1.0 / std::max(1.0, all);
  classes.for_each([&](int, double, std::span<const double> sum) {
    for (std::size_t j = 0; j < columns; ++j) mean[j] += share * sum[j];
  });
  return mean;
}

ClassSums::ClassSums(std::size_t columns) : columns_(columns) {}

ClassSums::ClassSums(std::size_t columns, ClassTotals classes, LargeVector<double> products)
    : columns_(columns), classes_(std::move(classes)), products_(std::move(products)) {
  const auto fits = [&](const auto& of) { return of.second.sum.size() == columns_; };
  if ((!products_.empty() && products_.size() != columns_ * columns_) ||
      !std::ranges::all_of(classes_, fits)) {
    throw UsageError("ClassSums: sums of other columns");
  }
}

void ClassSums::add(std::span<const float> rows, std::span<const int> labels) {
  if (rows.size() != labels.size() * columns_) {
    throw UsageError("ClassSums: the labels do not fit the rows");
  }
  if (products_.empty() && !labels.empty()) products_.resize(columns_ * columns_);
  if (thread_count() > 1) {
    const std::size_t tiles = tiles_of(columns_);
    parallel_for({tiles, /*at_a_time=*/1, serial_for(labels.size(), tiles)}, [&](std::size_t tile) {
      add_to_tile(tile, rows, columns_, labels.size(), 1.0, products_);
    });
  } else {
    add_converted(rows, columns_, products_);
  }
  add_to(classes_, rows, labels, columns_);
}

void ClassSums::add(const ClassSums& other) {
  if (other.columns_ != columns_) throw UsageError("ClassSums: sums of other columns");
  if (products_.empty()) products_.resize(other.products_.size());
  for (std::size_t i = 0; i < other.products_.size(); ++i) products_[i] += other.products_[i];
  for (const auto& [label, more] : other.classes_) {
    ClassSum& of_class = classes_[label];
    if (of_class.sum.empty()) of_class.sum.resize(columns_);
    of_class.rows += more.rows;
    for (std::size_t j = 0; j < columns_; ++j) of_class.sum[j] += more.sum[j];
  }
}

void ClassSums::take_off(const ClassSums& part) {
  if (part.columns_ != columns_) throw UsageError("ClassSums: sums of other columns");
  RemainingClasses(classes_, &part.classes_);  // throws before anything is changed
  for (const auto& [label, less] : part.classes_) {
    const auto found = classes_.find(label);
    found->second.rows -= less.rows;
    if (found->second.rows == 0) {
      classes_.erase(found);
      continue;
    }
    for (std::size_t j = 0; j < less.sum.size(); ++j) found->second.sum[j] -= less.sum[j];
  }
  for (std::size_t i = 0; i < part.products_.size(); ++i) products_[i] -= part.products_[i];
}

std::size_t ClassSums::rows() const {
  std::size_t rows = 0;
  for (const auto& [label, of_class] : classes_) rows += of_class.rows;
  return rows;
}

// The sum of z z^T minus, for each class of n rows with sum s, s s^T / n.
std::vector<double> ClassSums::within() const {
  std::vector<double> scatter(products_.begin(), products_.end()), means;
  for (const auto& [label, of_class] : classes_) {
    const double factor = 1.0 / std::sqrt(static_cast<double>(of_class.rows));
    for (const double value : of_class.sum) means.push_back(factor * value);
  }
  add_outer_products(means, columns_, classes_.size(), -1, scatter);
  return scatter;
}

}  // namespace leafglyph
