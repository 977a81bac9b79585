#include "classify/knn/class_nearness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "classify/knn/column_values.h"
#include "classify/knn/folds.h"
#include "features/base/errors.h"
#include "features/base/order_statistics.h"
#include "features/base/parallel_for.h"

namespace leafglyph {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
// A leaf has no column nearer to another one's than this, in deviations of the training rows, but
// by chance: convex leaves have no hull gaps, and all are equal in them.
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
    throw UsageError("usual distances that do not fit the classes");
  }
}

void ClassNearness::take_rows(const FeatureTable& training, std::span<const int> labels,
                              const FeaturePipeline& pipeline) {
  columns_ = training.layout.columns();
  const std::size_t width = training.layout.columns_per_channel();
  const std::size_t measures = training.layout.measures.size();
  const auto add_part = [&](std::size_t first, std::size_t count, bool counts) {
    parts_.push_back({first, count, counts, kLeastOfColumn * std::sqrt(static_cast<float>(count))});
  };
  for (std::size_t c = 0; c < training.layout.channels.size(); ++c)
    add_part(c * width, width, true);
  if (measures > 0) add_part(measures_start(training.layout), measures, parts_.empty());
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

void ClassNearness::add_squares(const float* a, const float* b, std::span<float> squares) const {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    squares[p] = sum_of_squares(a + parts_[p].first, b + parts_[p].first, parts_[p].count);
  }
}

void ClassNearness::learn_usual() {
  const std::size_t classes = starts_.size() - 1;
  log_usual_.assign(classes * parts_.size(), kFar);
  parallel_for(classes, [&](std::size_t c) {
    const std::size_t count = starts_[c + 1] - starts_[c];
    if (count < 2) return;
    std::vector<float> squares(parts_.size());
    std::vector<std::vector<float>> nearest(parts_.size(), std::vector<float>(count, kFar));
    const float* rows = &rows_[starts_[c] * columns_];
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        add_squares(rows + i * columns_, rows + k * columns_, squares);
        for (std::size_t p = 0; p < parts_.size(); ++p) {
          nearest[p][i] = std::min(nearest[p][i], squares[p]);
          nearest[p][k] = std::min(nearest[p][k], squares[p]);
        }
      }
    }
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      log_usual_[c * parts_.size() + p] =
          std::log(std::max(parts_[p].least, std::sqrt(median(nearest[p]))));
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

std::vector<Nearness> ClassNearness::of(std::span<const float> scaled,
                                        std::span<const std::size_t> classes) const {
  std::vector<Nearness> result(classes.size());
  parallel_for({classes.size(), /*at_a_time=*/4}, [&](std::size_t i) {
    const std::size_t c = classes[i];
    const float* row = &scaled[i * columns_];
    std::vector<float> squares(parts_.size()), nearest(parts_.size(), kFar);
    float own = kFar, other = kFar;
    for (std::size_t r = 0; r < starts_.back(); ++r) {
      add_squares(row, &rows_[r * columns_], squares);
      float all = 0;
      for (const float square : squares) all += square;
      if (r < starts_[c] || r >= starts_[c + 1]) {
        other = std::min(other, all);
        continue;
      }
      own = std::min(own, all);
      for (std::size_t p = 0; p < parts_.size(); ++p) nearest[p] = std::min(nearest[p], squares[p]);
    }
    if (other != kFar && other > 0) result[i].apart = std::sqrt(own / other);
    double sum = 0, count = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!parts_[p].counts) continue;
      sum += std::log(std::max(parts_[p].least, std::sqrt(nearest[p]))) -
             log_usual_[c * parts_.size() + p];
      ++count;
    }
    result[i].local = std::exp(sum / std::max(1.0, count));
  });
  return result;
}

}  // namespace leafglyph
