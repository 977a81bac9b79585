// How near a feature row is to the training rows of a class, in all scaled columns: a discriminant
// looks at a few directions of them, along which leaves of unknown species may look the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"
#include "classify/knn/nearest_row.h"

namespace leafglyph {

struct Nearness {
  /// Distance of the class's nearest row / that of the nearest one of any other class; 1 where
  /// there is no other.
  double apart = 1;
  /// Distance of the class's nearest row / the usual distance of its rows from their nearest one:
  /// geometric mean over the channels, or of the global measures where there are no channels. The
  /// usual one is the median over the rows of the class, each against the others; of a class of one
  /// row, the median of the other classes' (after the local outlier factor of Breunig et al.,
  /// 2000).
  double local = 1;
};

class ClassNearness {
 public:
  /// Of the rows of `training`, whose classes are `labels`, scaled by `pipeline`.
  ClassNearness(const FeatureTable& training, std::span<const int> labels,
                const FeaturePipeline& pipeline);

  /// With what log_usual of another one of these rows gave. Throws UsageError when it does not fit
  /// them.
  ClassNearness(const FeatureTable& training, std::span<const int> labels,
                const FeaturePipeline& pipeline, std::vector<float> log_usual);

  /// The columns that are compared by themselves: each channel's, and the measures.
  std::size_t parts() const { return parts_.size(); }
  /// Logarithm of the usual distance of part p in class c, at [c * parts + p].
  std::span<const float> log_usual() const { return log_usual_; }

  /// Of row i of `scaled`, as FeaturePipeline::scaled has them, to the class classes[i], a place
  /// among the ascending labels. A row's result does not depend on the other rows.
  std::vector<Nearness> of(std::span<const float> scaled,
                           std::span<const std::size_t> classes) const;

 private:
  struct Part {
    std::size_t first = 0, count = 0;
    bool counts = true;  // in Nearness::local
    float least = 0;     // shorter distances are as this one
  };
  void take_rows(const FeatureTable& training, std::span<const int> labels,
                 const FeaturePipeline& pipeline);
  void learn_usual();
  NearestRow in_all_columns(std::span<const float> rows, std::size_t query_count) const;
  std::span<const float> rows_of_class(std::size_t c) const;
  std::vector<NearestRow::Found> nearest_in(const Part& part, std::size_t c,
                                            std::span<const float> queries,
                                            std::span<const NearestRow::Gap> gaps) const;
  void compare_with_class(std::size_t c, std::span<const float> scaled,
                          std::span<const std::size_t> query_rows, std::span<float> own,
                          std::span<Nearness> result) const;

  std::vector<Part> parts_;
  std::size_t columns_ = 0;
  std::vector<float> rows_;          // scaled, class by class
  std::vector<std::size_t> starts_;  // first row of each class; then all rows
  std::vector<float> log_usual_;
};

}  // namespace leafglyph
