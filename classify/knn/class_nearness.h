// How near a feature row is to the training rows of a class, in all scaled columns. A discriminant
// sees only a few directions, along which leaves of unknown species may look the same.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"
#include "classify/knn/nearest_row.h"

namespace leafglyph {

struct Nearness {
  /// Distance to the nearest row of the class / distance to the nearest row of any other class; 1
  /// if there is no other class.
  double apart = 1;
  /// Distance to the nearest row of the class / the usual distance of its rows from their nearest
  /// neighbour: geometric mean over the channels, or over the global measures if there are no
  /// channels. The usual distance is the median over the rows of the class, each compared with the
  /// others. A class with a single row gets the median of the other classes' usual distances (after
  /// the local outlier factor of Breunig et al., 2000).
  double local = 1;
};

class ClassNearness {
 public:
  /// For the rows of `training` with classes `labels`, scaled by `pipeline`.
  ClassNearness(const FeatureTable& training, std::span<const int> labels,
                const FeaturePipeline& pipeline);

  /// Uses the saved result of log_usual of another object for the same rows. Throws UsageError when
  /// it does not fit them.
  ClassNearness(const FeatureTable& training, std::span<const int> labels,
                const FeaturePipeline& pipeline, std::vector<float> log_usual);

  /// The groups of columns that are compared separately: each channel, and the measures.
  std::size_t parts() const { return parts_.size(); }
  /// Logarithm of the usual distance of part p in class c, at [c * parts + p].
  std::span<const float> log_usual() const { return log_usual_; }

  /// For row i of `scaled`, as returned by FeaturePipeline::scaled, and the class classes[i], an
  /// index into the ascending labels. A row's result does not depend on the other rows.
  std::vector<Nearness> of(std::span<const float> scaled,
                           std::span<const std::size_t> classes) const;

 private:
  struct Part {
    std::size_t first = 0, count = 0;
    bool counts = true;  // whether Nearness::local includes it
    float least = 0;     // shorter distances are raised to this
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
  std::vector<float> rows_;          // scaled, grouped by class
  std::vector<std::size_t> starts_;  // first row of each class, then the number of rows
  std::vector<float> log_usual_;
};

}  // namespace leafglyph
