#include "classify/serve/leaf_answerer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/leaf/photograph.h"

namespace leafglyph {
namespace {

constexpr std::size_t kRowsLookedAt = 200;  // for leaves of each species of an answer

// How far the sides of two boxes are apart, in shares of the photograph.
double difference(const FoundLeaf& leaf, const Photograph& photograph, const Outline& outline) {
  const auto [left, right] = std::ranges::minmax(outline, {}, &OutlinePoint::x);
  const auto [top, bottom] = std::ranges::minmax(outline, {}, &OutlinePoint::y);
  const double width = photograph.grey.width(), height = photograph.grey.height();
  return std::abs(leaf.left / width - left.x) +
         std::abs((leaf.left + leaf.width) / width - right.x) +
         std::abs(leaf.top / height - top.y) +
         std::abs((leaf.top + leaf.height) / height - bottom.y);
}

// The leaf of the photograph that the outline is of.
PreparedLeaf leaf_of_part(const Photograph& photograph, const SentPhotograph& sent,
                          const PrepareSpec& preparation, const OutlineSink& outlines) {
  if (*sent.part >= outlines.parts().size()) {
    throw UsageError(fmt::format("{}: there is no part {}; there are {}", sent.name, *sent.part,
                                 outlines.parts().size()));
  }
  const Outline& outline = outlines.parts()[*sent.part].outline;
  std::vector<FoundLeaf> leaves = prepare_leaves(photograph, sent.name, preparation);
  return std::move(std::ranges::min_element(leaves, {}, [&](const FoundLeaf& leaf) {
                     return difference(leaf, photograph, outline);
                   })->leaf);
}

}  // namespace

LeafAnswerer::LeafAnswerer(std::string name, LeafModel model, const LeafRun& run)
    : name_(std::move(name)),
      model_(std::move(model)),
      run_(run),
      // As `leaf classify` without --source-aspect.
      preparation_(preparation_for(model_.config, /*source_aspect=*/0.0)) {
  const NearestClassifier& classifier = model_.classifier;
  if (classifier.confidence()) {
    typical_ =
        classifier.confidence()->fit.typical().distances(model_.features, classifier.labels());
  }
  // The page is there before they are.
  part_classifiers_ =
      std::async(std::launch::async, [this]() -> std::shared_ptr<const PartClassifiers> {
        return std::make_shared<PartClassifiers>(model_);
      }).share();
  give_back(take_extractor());
}

std::unique_ptr<LeafFeatureExtractor> LeafAnswerer::take_extractor() {
  {
    const std::lock_guard lock(mutex_);
    if (!extractors_.empty()) {
      std::unique_ptr<LeafFeatureExtractor> extractor = std::move(extractors_.back());
      extractors_.pop_back();
      return extractor;
    }
  }
  return std::make_unique<LeafFeatureExtractor>(model_.config, model_.config.features.order, run_);
}

void LeafAnswerer::give_back(std::unique_ptr<LeafFeatureExtractor> extractor) {
  const std::lock_guard lock(mutex_);
  extractors_.push_back(std::move(extractor));
}

PreparedLeaf LeafAnswerer::prepare(const SentPhotograph& sent, const PrepareSpec& preparation,
                                   LeafReply& reply) {
  MemoryTurn memory;
  const Photograph photograph =
      read_photograph(sent.bytes, sent.name, request_of(preparation, memory));
  PreparedLeaf leaf = prepare_leaf(photograph, sent.name, preparation, &reply.outlines);
  reply.outline = reply.outlines.leaf();
  if (sent.part.value_or(0) == 0) return leaf;  // the largest part
  leaf = leaf_of_part(photograph, sent, preparation, reply.outlines);
  reply.outline = reply.outlines.parts()[*sent.part].outline;
  return leaf;
}

LeafReply LeafAnswerer::answer(const SentPhotograph& photograph) {
  LeafReply reply;
  reply.leaf.file = photograph.name;
  PrepareSpec preparation = preparation_;
  if (photograph.background) preparation.background = *photograph.background;
  const std::vector<PrepareOutcome> outcomes = prepare_each(
      1, preparation, [&](std::size_t) { return prepare(photograph, preparation, reply); },
      [&](std::size_t) { return photograph.name; });
  reply.leaf.error = outcomes.front().error;
  if (!outcomes.front().leaf) return reply;
  const PreparedLeaf* leaf = &*outcomes.front().leaf;
  ClassifiedLeaf* result = &reply.leaf;
  std::unique_ptr<LeafFeatureExtractor> extractor = take_extractor();
  answer_prepared(model_, *extractor, std::span(&leaf, 1), kSpecies, std::span(&result, 1));
  give_back(std::move(extractor));
  explain(reply);
  return reply;
}

void LeafAnswerer::explain(LeafReply& reply) const {
  const FeatureTable row{model_.features.layout, reply.leaf.features};
  const Answer& answer = *reply.leaf.answer;
  if (model_.classifier.confidence()) {
    const std::array label = {answer.ranking.front().label};
    reply.typical = model_.classifier.confidence()->fit.typical().distances(row, label).front();
  }
  reply.near = near_leaves(reply, row);
  reply.parts = std::move(part_classifiers_.get()->answers(row).front());
}

std::vector<std::vector<NearLeaf>> LeafAnswerer::near_leaves(const LeafReply& reply,
                                                             const FeatureTable& row) const {
  const NearestClassifier& classifier = model_.classifier;
  const std::size_t count = std::min(kRowsLookedAt, classifier.index().size());
  const NeighbourLists lists =
      classifier.index().search(classifier.pipeline().transform(row), count);
  std::vector<std::vector<NearLeaf>> near;
  for (const RankedClass& ranked : reply.leaf.answer->ranking) {
    std::vector<NearLeaf>& leaves = near.emplace_back();
    for (const Neighbour& neighbour : lists.of(0)) {
      const auto position = static_cast<std::size_t>(neighbour.row);
      if (leaves.size() == kLeavesOfSpecies) break;
      if (classifier.labels()[position] != ranked.label) continue;
      leaves.push_back({position, static_cast<double>(neighbour.distance)});
    }
    // A species none of whose leaves is near shows any of them.
    for (std::size_t i = 0; leaves.empty() && i < classifier.labels().size(); ++i) {
      if (classifier.labels()[i] == ranked.label) leaves.push_back({i, std::nullopt});
    }
  }
  return near;
}

double LeafAnswerer::less_typical(int label, double typical) const {
  std::size_t of_class = 0, beyond = 0;
  for (std::size_t i = 0; i < typical_.size(); ++i) {
    if (model_.classifier.labels()[i] != label) continue;
    ++of_class;
    beyond += typical_[i] > typical;
  }
  return of_class == 0 ? 0 : static_cast<double>(beyond) / static_cast<double>(of_class);
}

}  // namespace leafglyph
