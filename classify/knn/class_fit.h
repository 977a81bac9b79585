// How well a feature row fits a class: what speaks for an answer beside the neighbours' votes.
#pragma once

#include <span>
#include <vector>

#include "classify/knn/class_nearness.h"
#include "classify/knn/confidence.h"
#include "classify/knn/feature_pipeline.h"
#include "classify/knn/typical_distance.h"

namespace leafglyph {

class ClassFit {
 public:
  /// Of the classes `labels` of the rows of `training`, from which `pipeline` and `typical` have
  /// learnt.
  ClassFit(const FeatureTable& training, std::span<const int> labels,
           const FeaturePipeline& pipeline, TypicalDistance typical);

  const TypicalDistance& typical() const { return typical_; }

  /// Fills in what evidence[i] says of row i and the class labels[i]: typical, contrast, length,
  /// apart and local. Throws UsageError when the table has another layout or a class was not
  /// learnt.
  void judge(const FeatureTable& rows, std::span<const int> labels,
             std::span<Evidence> evidence) const;

 private:
  void judge_typical(const FeatureTable& rows, std::span<const int> labels,
                     std::span<Evidence> evidence) const;
  std::size_t position_of(int label) const;

  FeaturePipeline pipeline_;
  TypicalDistance typical_;
  ClassNearness nearness_;
  std::vector<std::vector<double>> means_;  // of the classes of typical_, after the pipeline
};

}  // namespace leafglyph
