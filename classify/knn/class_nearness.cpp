#include "classify/knn/class_nearness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// Lower bound on the distance between two leaves in one column, in standard deviations of the
// training rows. Smaller distances arise only by chance: for example, convex leaves have no hull
// gaps, so they all agree in those columns.
constexpr float kLeastOfColumn = 1.0F / 16;

float sum_of_squares(const float* a, const float* b, std::size_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < count; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace

ClassNearness::ClassNearness(const FeatureTable& training, std::span<const int> labels,
                             const FeaturePipeline& pipeline) {
  take_rows(training, labels, pipeline);
  learn_usual();
}

ClassNearness::ClassNearness(const FeatureTable& training, std::span<const int> labels,
                             const FeaturePipeline& pipeline, std::vector<float> log_usual)
    : log_usual_(std::move(log_usual)) {
  take_rows(training, labels, pipeline);
  if (log_usual_.size() != (starts_.size() - 1) * parts_.size() ||
      !std::ranges::all_of(log_usual_, [](float value) { return std::isfinite(value); })) {
    throw UsageError("the usual distances do not match the classes");
  }
}

void ClassNearness::take_rows(const FeatureTable& training, std::span<const int> labels,
                              const FeaturePipeline& pipeline) {
  columns_ = training.layout.columns();
  const FeatureLayout& layout = training.layout;
  const bool only_measures = std::ranges::all_of(
      layout.groups, [](const ColumnGroup& group) { return group.kind == ColumnKind::kMeasure; });
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const std::size_t count = layout.width(g);
    const bool counts = only_measures || layout.groups[g].kind != ColumnKind::kMeasure;
    parts_.push_back(
        {layout.start(g), count, counts, kLeastOfColumn * std::sqrt(static_cast<float>(count))});
  }
  const std::vector<float> scaled = pipeline.scaled(training);
  rows_.reserve(scaled.size());
  for (const auto& [label, of_class] : rows_by_class(labels)) {
    starts_.push_back(rows_.size() / columns_);
    for (const std::size_t row : of_class) {
      const auto at = scaled.begin() + static_cast<std::ptrdiff_t>(row * columns_);
      rows_.insert(rows_.end(), at, at + static_cast<std::ptrdiff_t>(columns_));
    }
  }
  starts_.push_back(rows_.size() / columns_);
}

NearestRow ClassNearness::in_all_columns(std::span<const float> rows,
                                         std::size_t query_count) const {
  const auto sum = [this](const float* a, const float* b) {
    float all = 0;
    for (const Part& part : parts_) {
      all += sum_of_squares(a + part.first, b + part.first, part.count);
    }
    return all;
  };
  return NearestRow(rows, columns_, {0, columns_}, sum, query_count);
}

std::span<const float> ClassNearness::rows_of_class(std::size_t c) const {
  return std::span(rows_).subspan(starts_[c] * columns_, (starts_[c + 1] - starts_[c]) * columns_);
}

// Squared distances, in the columns of one part, from each query to the nearest row of class c.
// Rows in a query's gap are left out.
std::vector<NearestRow::Found> ClassNearness::nearest_in(
    const Part& part, std::size_t c, std::span<const float> queries,
    std::span<const NearestRow::Gap> gaps) const {
  const auto sum = [&part](const float* a, const float* b) {
    return sum_of_squares(a + part.first, b + part.first, part.count);
  };
  return NearestRow(rows_of_class(c), columns_, {part.first, part.count}, sum, gaps.size())
      .of(queries, gaps);
}

// For each class and part, the logarithm of the median distance of a row from its nearest
// neighbour in the class. Classes of one row get the median over the other classes.
void ClassNearness::learn_usual() {
  const std::size_t classes = starts_.size() - 1;
  log_usual_.assign(classes * parts_.size(), kFar);
  parallel_for(classes, [&](std::size_t c) {
    const std::size_t count = starts_[c + 1] - starts_[c];
    if (count < 2) return;
    std::vector<NearestRow::Gap> itself(count);
    for (std::size_t i = 0; i < count; ++i) itself[i] = {i, i + 1};
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      std::vector<float> nearest;
      for (const auto& found : nearest_in(parts_[p], c, rows_of_class(c), itself)) {
        nearest.push_back(found.distance);
      }
      const float usual = median(std::move(nearest));
      log_usual_[c * parts_.size() + p] = std::log(std::max(parts_[p].least, std::sqrt(usual)));
    }
  });
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    std::vector<float> others;
    for (std::size_t i = p; i < log_usual_.size(); i += parts_.size()) {
      if (log_usual_[i] != kFar) others.push_back(log_usual_[i]);
    }
    const float middle = others.empty() ? 0 : median(std::move(others));
    for (std::size_t i = p; i < log_usual_.size(); i += parts_.size()) {
      if (log_usual_[i] == kFar) log_usual_[i] = middle;
    }
  }
}

// For the rows of `scaled` listed in `query_rows`: fills `own` with the squared distances, in all
// columns, to the nearest row of class c, and fills Nearness::local.
void ClassNearness::compare_with_class(std::size_t c, std::span<const float> scaled,
                                       std::span<const std::size_t> query_rows,
                                       std::span<float> own, std::span<Nearness> result) const {
  std::vector<float> queries;
  queries.reserve(query_rows.size() * columns_);
  for (const std::size_t i : query_rows) {
    const auto row = scaled.subspan(i * columns_, columns_);
    queries.insert(queries.end(), row.begin(), row.end());
  }
  const std::vector<NearestRow::Gap> none(query_rows.size());
  const auto nearest = in_all_columns(rows_of_class(c), query_rows.size()).of(queries, none);
  std::vector<std::vector<NearestRow::Found>> of_part;
  for (const Part& part : parts_) of_part.push_back(nearest_in(part, c, queries, none));
  for (std::size_t q = 0; q < query_rows.size(); ++q) {
    own[query_rows[q]] = nearest[q].distance;
    double sum = 0, count = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!parts_[p].counts) continue;
      sum += std::log(std::max(parts_[p].least, std::sqrt(of_part[p][q].distance))) -
             log_usual_[c * parts_.size() + p];
      ++count;
    }
    result[query_rows[q]].local = std::exp(sum / std::max(1.0, count));
  }
}

std::vector<Nearness> ClassNearness::of(std::span<const float> scaled,
                                        std::span<const std::size_t> classes) const {
  std::vector<Nearness> result(classes.size());
  std::vector<float> own(classes.size());
  std::vector<std::vector<std::size_t>> query_rows(starts_.size() - 1);
  for (std::size_t i = 0; i < classes.size(); ++i) query_rows[classes[i]].push_back(i);
  parallel_for(query_rows.size(), [&](std::size_t c) {
    if (!query_rows[c].empty()) compare_with_class(c, scaled, query_rows[c], own, result);
  });
  // Queries per matrix product. Each product runs on one thread.
  constexpr std::size_t kTogether = 32;
  const NearestRow others = in_all_columns(rows_, classes.size());
  parallel_for((classes.size() + kTogether - 1) / kTogether, [&](std::size_t part) {
    const std::size_t first = part * kTogether;
    const std::size_t count = std::min(kTogether, classes.size() - first);
    std::vector<NearestRow::Gap> of_class;
    for (const std::size_t c : classes.subspan(first, count)) {
      of_class.push_back({starts_[c], starts_[c + 1]});
    }
    const auto other = others.of(scaled.subspan(first * columns_, count * columns_), of_class);
    for (std::size_t q = 0; q < count; ++q) {
      const float square = other[q].distance;
      if (square != kFar && square > 0)
        result[first + q].apart = std::sqrt(own[first + q] / square);
    }
  });
  return result;
}

}  // namespace leafglyph
