// A leaf model that identifies photographs in memory, on many threads.
#pragma once

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_evidence.h"
#include "classify/rows/leaf_outline.h"
#include "classify/rows/row_pipeline.h"

namespace leafglyph {

/// A photograph that was sent.
struct SentPhotograph {
  std::string name;  ///< only a label
  std::string_view bytes;
  /// The background, if the user corrected it, and which of OutlineSink::parts is the leaf; none:
  /// the largest.
  std::optional<Background> background;
  std::optional<std::size_t> part;
  bool is_one_leaf = false;  ///< everything in it that may be a leaf is one (LeafParts::kTogether)
};

/// A training leaf of one species that is near a photograph.
struct NearLeaf {
  std::size_t row = 0;             ///< index in the model
  std::optional<double> distance;  ///< set if it is among the nearest rows
};

struct LeafReply {
  ClassifiedLeaf leaf;  ///< as classify_leaves returns it
  OutlineSink outlines;
  OutlinePoints outline;  ///< of the leaf that was used; empty if there is none
  LeafEvidence evidence;
  std::vector<std::vector<NearLeaf>> near;  ///< for each class of the ranking
  std::vector<PartPrediction> parts;
};

class ServedModel {
 public:
  /// `name` identifies the model.
  ServedModel(std::string name, LeafModel model, const LeafRun& run);
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const std::string& name() const { return name_; }
  const LeafModel& model() const { return model_; }

  /// Number of species in a result.
  static constexpr std::size_t kSpecies = 5;
  /// Training leaves shown per species.
  static constexpr std::size_t kLeavesOfSpecies = 3;

  /// The result that classify_leaves gives for a file with this name and these bytes. If there is
  /// no prediction, leaf.error says why. Throws what rows_of throws.
  LeafReply identify(const SentPhotograph& photograph);

 private:
  void explain(LeafReply& reply) const;
  std::vector<std::vector<NearLeaf>> near_leaves(const LeafReply& reply,
                                                 const FeatureTable& row) const;

  std::string name_;
  LeafModel model_;
  PrepareSpec preparation_;
  double area_share_;  // that one of several leaves counts as covering
  std::shared_future<std::shared_ptr<const PartClassifiers>> part_classifiers_;
  MakerPool<float> makers_;
};

}  // namespace leafglyph
