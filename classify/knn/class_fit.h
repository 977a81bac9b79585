// How well a feature row fits a class: evidence for a prediction in addition to the neighbours'
// votes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "classify/knn/class_nearness.h"
#include "classify/knn/confidence.h"
#include "classify/knn/feature_pipeline.h"
#include "classify/knn/typical_distance.h"

namespace leafglyph {

/// The part that takes time to fit.
struct ClassFitState {
  std::vector<double> means;     ///< after the pipeline: class c's j-th at [c * dimension + j]
  std::vector<float> log_usual;  ///< as ClassNearness::log_usual
};

class ClassFit {
 public:
  /// For the classes `labels` of the rows of `training`, to which `pipeline` and `typical` were
  /// fitted.
  ClassFit(const FeatureTable& training, std::span<const int> labels,
           const FeaturePipeline& pipeline, TypicalDistance typical);

  /// A fit that was saved. Throws UsageError when the state does not match.
  ClassFit(const FeatureTable& training, std::span<const int> labels,
           const FeaturePipeline& pipeline, TypicalDistance typical, ClassFitState state);

  const TypicalDistance& typical() const { return typical_; }
  ClassFitState state() const;

  /// Fills in the evidence about row i and the class labels[i] in evidence[i]: typical, contrast,
  /// length, apart and local. Throws UsageError when the table has another layout or a class was
  /// not in the training rows.
  void judge(const FeatureTable& rows, std::span<const int> labels,
             std::span<Evidence> evidence) const;

 private:
  void judge_typical(const FeatureTable& rows, std::span<const std::size_t> classes,
                     std::span<Evidence> evidence) const;

  FeaturePipeline pipeline_;
  TypicalDistance typical_;
  ClassNearness nearness_;
  std::vector<double> means_;
};

}  // namespace leafglyph
