// How close rows are to a class in all columns, and the other measures of how well they fit it.
#include "classify/knn/class_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "classify/knn/class_nearness.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

/// Rows of three classes, the last with a single row, in two channels and two measures. The second
/// channel is 0 in the rows of the first class.
struct Rows {
  FeatureTable table;
  std::vector<int> labels;
  Rows(std::size_t of_class, unsigned seed) {
    table.layout = {
        Family::kZernike,
        3,
        {{"grey"},
         {"mask"},
         {std::string(kMeasuresGroup), ColumnKind::kMeasure, {"log-area", "mean-grey"}}}};
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    const std::size_t width = table.layout.width(0);
    for (const int label : {2, 5, 9}) {
      for (std::size_t i = 0; i < (label == 9 ? 1 : of_class); ++i) {
        labels.push_back(label);
        for (std::size_t j = 0; j < table.layout.columns(); ++j) {
          const bool none = label == 2 && j >= width && j < 2 * width;
          table.values.push_back(none ? 0.0F : 20.0F + static_cast<float>(label) + normal(random));
        }
      }
    }
  }
};

FeaturePipeline pipeline_of(const Rows& rows) {
  PipelineSpec spec;
  spec.scaling = Scaling::kStandardise;
  spec.projection = Projection::kDiscriminant;
  spec.measure_weight = 3;
  return FeaturePipeline::fit(rows.table, rows.labels, spec);
}

// The index of a label's class in Rows.
std::size_t place_of(int label) { return label == 2 ? 0U : (label == 5 ? 1U : 2U); }

double distance(std::span<const float> a, std::span<const float> b, std::size_t first,
                std::size_t count) {
  double sum = 0;
  for (std::size_t j = first; j < first + count; ++j) sum += std::pow(double(a[j]) - b[j], 2);
  return std::sqrt(sum);
}

/// The definitions, with one distance at a time in double.
struct SlowNearness {
  std::vector<float> scaled;
  std::vector<int> labels;
  std::size_t columns, width;

  std::span<const float> row(std::size_t i) const {
    return std::span(scaled).subspan(i * columns, columns);
  }
  // The distance to the nearest row for which `counts` holds.
  template <class Counts>
  double nearest(std::span<const float> query, std::size_t first, std::size_t count,
                 Counts counts) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (counts(i)) least = std::min(least, distance(query, row(i), first, count));
    }
    return least;
  }
  double at_least(double value) const { return std::max(value, std::sqrt(double(width)) / 16); }
  // The usual distance within the class; 0 if it has a single row.
  double usual(int label, std::size_t channel) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != label) continue;
      values.push_back(nearest(row(i), channel * width, width,
                               [&](std::size_t k) { return k != i && labels[k] == label; }));
    }
    if (values.size() == 1) return 0;
    std::ranges::sort(values);
    return at_least(values[values.size() / 2]);
  }
};

// oracle: both figures from their definitions, for training rows and for others. Float and double
// distances of 24 numbers of about 1 differ by less than 1e-5 of their value.
TEST(ClassNearness, AgreesWithItsDefinition) {
  const Rows training(8, 3), asked(4, 4);
  const FeaturePipeline pipeline = pipeline_of(training);
  const SlowNearness slow{pipeline.scaled(training.table), training.labels,
                          training.table.layout.columns(), training.table.layout.width(0)};
  const std::vector<float> queries = pipeline.scaled(asked.table);
  const ClassNearness nearness(training.table, training.labels, pipeline);
  for (const int label : {2, 5, 9}) {
    const std::vector<Nearness> found =
        nearness.of(queries, std::vector<std::size_t>(asked.labels.size(), place_of(label)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto query = std::span(queries).subspan(i * slow.columns, slow.columns);
      const auto of_class = [&](std::size_t k) { return slow.labels[k] == label; };
      const auto of_others = [&](std::size_t k) { return slow.labels[k] != label; };
      EXPECT_NEAR(found[i].apart,
                  slow.nearest(query, 0, slow.columns, of_class) /
                      slow.nearest(query, 0, slow.columns, of_others),
                  1e-5 * found[i].apart);
      double product = 1;
      for (const std::size_t channel : {0, 1}) {
        double usual = slow.usual(label, channel);
        // The median of the two other classes' values is the upper one.
        if (usual == 0) usual = std::max(slow.usual(2, channel), slow.usual(5, channel));
        product *=
            slow.at_least(slow.nearest(query, channel * slow.width, slow.width, of_class)) / usual;
      }
      EXPECT_NEAR(found[i].local, std::sqrt(product), 1e-5 * found[i].local) << label << " " << i;
    }
  }
}

// invariant: the result for a row does not depend on the other rows classified with it.
TEST(ClassNearness, DoesNotDependOnOtherRows) {
  const Rows training(8, 3), asked(12, 4);
  const FeaturePipeline pipeline = pipeline_of(training);
  const ClassNearness nearness(training.table, training.labels, pipeline);
  const std::vector<float> queries = pipeline.scaled(asked.table);
  std::vector<std::size_t> classes;
  for (const int label : asked.labels) classes.push_back(place_of(label));
  const std::vector<Nearness> together = nearness.of(queries, classes);
  const std::size_t columns = asked.table.layout.columns();
  for (std::size_t i = 0; i < together.size(); ++i) {
    const Nearness alone =
        nearness
            .of(std::span(queries).subspan(i * columns, columns), std::span(classes).subspan(i, 1))
            .front();
    EXPECT_EQ(alone.apart, together[i].apart) << i;
    EXPECT_EQ(alone.local, together[i].local) << i;
  }
}

// oracle: typical, contrast and length from the distances and the projected rows; the mean of a
// class has length 1, and half of it half that length.
TEST(ClassFit, AgreesWithItsDefinition) {
  const Rows training(10, 5), asked(6, 6);
  const FeaturePipeline pipeline = pipeline_of(training);
  const TypicalDistance typical = TypicalDistance::fit(training.table, training.labels, pipeline);
  const ClassFit fit(training.table, training.labels, pipeline, typical);
  const std::vector<float> learnt = pipeline.transform(training.table),
                           rows = pipeline.transform(asked.table);
  const std::size_t dimension = pipeline.dimension();
  const std::vector<double> distances = typical.distances_to_all(asked.table);
  for (const int label : {2, 5, 9}) {
    const std::vector<int> labels(asked.labels.size(), label);
    std::vector<Evidence> evidence(labels.size());
    fit.judge(asked.table, labels, evidence);
    std::vector<double> mean(dimension, 0.0);
    const auto count = static_cast<double>(std::ranges::count(training.labels, label));
    for (std::size_t i = 0; i < training.labels.size(); ++i) {
      if (training.labels[i] != label) continue;
      for (std::size_t j = 0; j < dimension; ++j) mean[j] += learnt[i * dimension + j] / count;
    }
    double square = 0;
    for (const double m : mean) square += m * m;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const double* of_row = &distances[3 * i];
      const double own = of_row[place_of(label)];
      double other = std::numeric_limits<double>::infinity(), along = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        if (c != place_of(label)) other = std::min(other, of_row[c]);
      }
      for (std::size_t j = 0; j < dimension; ++j) along += mean[j] * rows[i * dimension + j];
      EXPECT_EQ(evidence[i].typical, own);
      EXPECT_EQ(evidence[i].contrast, own / other);
      EXPECT_NEAR(evidence[i].length, along / square, 1e-9);
    }
  }
  std::vector<Evidence> evidence(asked.labels.size());
  EXPECT_THROW(fit.judge(asked.table, std::vector<int>(asked.labels.size(), 4), evidence),
               UsageError);
}

// agreement: a restored state gives the same result as a new fit, bit by bit; mechanics: a state
// for other classes, or one that contains no numbers, is refused.
TEST(ClassFit, KeepsWhatItHasLearnt) {
  const Rows training(10, 5), asked(6, 6);
  const FeaturePipeline pipeline = pipeline_of(training);
  const TypicalDistance typical = TypicalDistance::fit(training.table, training.labels, pipeline);
  const ClassFit fit(training.table, training.labels, pipeline, typical);
  const auto with = [&](ClassFitState state) {
    return ClassFit(training.table, training.labels, pipeline, typical, std::move(state));
  };
  std::vector<Evidence> learnt(asked.labels.size()), kept = learnt;
  fit.judge(asked.table, asked.labels, learnt);
  with(fit.state()).judge(asked.table, asked.labels, kept);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].terms(), learnt[i].terms());
  ClassFitState one_less = fit.state(), none_usual = fit.state(), endless = fit.state();
  one_less.means.pop_back();
  none_usual.log_usual.clear();
  endless.means[0] = std::numeric_limits<double>::infinity();
  for (const ClassFitState& state : {one_less, none_usual, endless}) {
    EXPECT_THROW(with(state), UsageError);
  }
}

}  // namespace
}  // namespace leafglyph
