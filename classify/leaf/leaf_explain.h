// Why a leaf got its answer: what each part of its features says by itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/leaf/leaf_classify.h"

namespace leafglyph {

/// What one channel, or the global measures, answers by itself.
struct PartAnswer {
  std::string part;              ///< the channel's name, or "measures"
  std::optional<Answer> answer;  ///< none where the part is constant in the training leaves
};

/// A classifier of the model's kind for each part of its features, which learnt from the same
/// training leaves, but from that part's columns only, and answers everything.
class PartClassifiers {
 public:
  explicit PartClassifiers(const LeafModel& model);

  /// What each part answers for each row, by the layout of the model.
  std::vector<std::vector<PartAnswer>> answers(const FeatureTable& rows) const;

 private:
  struct Part {
    std::string name;
    std::optional<NearestClassifier> classifier;  // none where every column is constant
  };
  std::vector<Part> parts_;
};

/// PartClassifiers::answers for each leaf that has an answer, in order; leaves without an answer
/// get an empty list.
std::vector<std::vector<PartAnswer>> part_answers(const LeafModel& model,
                                                  std::span<const ClassifiedLeaf> leaves);

}  // namespace leafglyph
