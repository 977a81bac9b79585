// Feature rows of invented classes, as a probabilistic discriminant assumes them, and their prior.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "classify/classifier/feature_pipeline.h"
#include "classify/classifier/row_prior.h"

namespace leafglyph {

/// The logarithm's floor of the rows and of their prior.
inline constexpr double kLogFloorOfClasses = 0.03;

/// `leaves` rows of each class: 12 columns of one channel, whose logarithms vary five times as much
/// between classes as within. Classes with other seeds are other classes.
inline FeatureTable rows_of_classes(int classes, int leaves, unsigned seed,
                                    std::vector<int>& labels) {
  FeatureTable table;
  table.layout.order = 5;
  table.layout.groups = {{"mask"}};
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  const std::size_t columns = table.layout.columns();
  labels.clear();
  for (int c = 0; c < classes; ++c) {
    std::vector<double> mean(columns);
    for (double& value : mean) value = normal(generator);
    for (int i = 0; i < leaves; ++i) {
      for (const double value : mean) {
        table.values.push_back(static_cast<float>(std::exp(value + 0.2 * normal(generator))));
      }
      labels.push_back(c);
    }
  }
  return table;
}

/// The prior that 30 such classes give.
inline std::shared_ptr<const RowPrior> prior_of_classes() {
  std::vector<int> labels;
  const FeatureTable table = rows_of_classes(30, 10, /*seed=*/99, labels);
  return std::make_shared<RowPrior>(row_prior(table, labels, kLogFloorOfClasses));
}

/// A pipeline for these rows.
inline PipelineSpec pipeline_of_classes(Projection projection = Projection::kPlda) {
  PipelineSpec spec;
  spec.values = Values::kLogMagnitude;
  spec.log_floor = kLogFloorOfClasses;
  spec.projection = projection;
  return spec;
}

}  // namespace leafglyph
