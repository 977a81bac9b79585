// Why a leaf got its prediction: what each part of its features predicts by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "classify/leaf/leaf_classify.h"

namespace leafglyph {

/// The prediction of one channel, or of the global measures, by itself.
struct PartPrediction {
  std::string part;                      ///< the channel's name, or "measures"
  std::optional<Prediction> prediction;  ///< none if the part is constant in the training leaves
};

/// For each part of its features, a classifier of the model's kind, trained on that part's columns
/// of the same training leaves. It predicts a class for every leaf. A model whose features are
/// withheld has no parts.
class PartClassifiers {
 public:
  explicit PartClassifiers(const LeafModel& model);

  /// The predictions of each part for each row, in the layout of the model.
  std::vector<std::vector<PartPrediction>> predictions(const FeatureTable& rows) const;

 private:
  struct Part {
    std::string name;
    std::optional<NearestClassifier> classifier;  // none if every column is constant
  };
  std::vector<Part> parts_;
};

}  // namespace leafglyph
