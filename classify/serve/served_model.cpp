#include "classify/serve/served_model.h"

#include <algorithm>
#include <utility>

#include "classify/classifier/predictions.h"

namespace leafglyph {
namespace {

constexpr std::size_t kRowsLookedAt = 200;  // searched for leaves of a prediction's species

}  // namespace

ServedModel::ServedModel(std::string name, LeafModel model, const LeafRun& run)
    : name_(std::move(name)),
      model_(std::move(model)),
      // Like `leaf classify` without --source-aspect.
      preparation_(preparation_for(model_.config, /*source_aspect=*/0.0)),
      area_share_(usual_area_share(model_.features.log_area())),
      makers_(leaf_rows(model_.config, model_.config.features.order), run.engine) {
  // Prepared in the background, so that the page is available before.
  part_classifiers_ =
      std::async(std::launch::async, [this]() -> std::shared_ptr<const PartClassifiers> {
        return std::make_shared<PartClassifiers>(model_);
      }).share();
  makers_.warm_up();
}

LeafReply ServedModel::identify(const SentPhotograph& photograph) {
  LeafReply reply;
  PrepareSpec preparation = preparation_;
  reply.outlines = OutlineSink(/*with_leaflets=*/preparation.parts == LeafParts::kLeaf);
  if (photograph.background) preparation.background = *photograph.background;
  if (photograph.is_one_leaf) preparation.parts = LeafParts::kTogether;
  const Source source =
      outlined_source(photograph.name, photograph.bytes, {photograph.part, area_share_},
                      preparation, reply.outlines, reply.outline);
  std::vector<MadeRows<float>> made;
  made.push_back(rows_of(source, 0, makers_));
  reply.leaf = std::move(classify_rows(model_, std::move(made), kSpecies).front());
  reply.leaf.file = photograph.name;
  if (reply.leaf.prediction) explain(reply);
  return reply;
}

void ServedModel::explain(LeafReply& reply) const {
  const FeatureTable row{model_.features.layout(), reply.leaf.features};
  reply.near = near_leaves(reply, row);
  reply.parts = std::move(part_classifiers_.get()->predictions(row).front());
  reply.evidence = leaf_evidence(model_, *reply.leaf.prediction, row, reply.parts);
  weigh_evidence(model_, reply.evidence, *reply.leaf.prediction);
}

std::vector<std::vector<NearLeaf>> ServedModel::near_leaves(const LeafReply& reply,
                                                            const FeatureTable& row) const {
  const NearestClassifier& classifier = model_.classifier;
  const std::size_t count = std::min(kRowsLookedAt, classifier.labels().size());
  const NeighbourLists lists = classifier.nearest(row, count);
  std::vector<std::vector<NearLeaf>> near;
  for (const RankedClass& ranked : reply.leaf.prediction->ranking) {
    std::vector<NearLeaf>& leaves = near.emplace_back();
    for (const Neighbour& neighbour : lists.of(0)) {
      const auto position = static_cast<std::size_t>(neighbour.row);
      if (leaves.size() == kLeavesOfSpecies) break;
      if (classifier.labels()[position] != ranked.label) continue;
      leaves.push_back({position, static_cast<double>(neighbour.distance)});
    }
    // If no leaf of a species is near, any of its leaves are shown.
    for (std::size_t i = 0; leaves.empty() && i < classifier.labels().size(); ++i) {
      if (classifier.labels()[i] == ranked.label) leaves.push_back({i, std::nullopt});
    }
  }
  return near;
}

}  // namespace leafglyph
