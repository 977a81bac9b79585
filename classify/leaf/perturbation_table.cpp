#include "classify/leaf/perturbation_table.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "classify/classifier/predictions.h"
#include "classify/leaf/colour_choice.h"
#include "datasets/leaf/example_photographs.h"
#include "datasets/leaf/perturbation.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {
namespace {

// Photographs in memory at a time.
constexpr std::size_t kPicturesPerPart = 64;

/// A test leaf before it is perturbed.
struct TestLeaf {
  std::size_t sample = 0;
  Photograph photograph;
  Image<std::uint8_t> mask;
};

std::vector<TestLeaf> test_leaves(const LeafDataset& dataset, std::span<const std::size_t> samples,
                                  const LeafConfig& config) {
  std::vector<TestLeaf> leaves(samples.size());
  PrepareSpec spec = preparation_for(config, 0);
  spec.colours = LeafColour::kNone;  // only the mask is needed
  parallel_for(samples.size(), [&](std::size_t i) {
    TestLeaf& leaf = leaves[i];
    leaf.sample = samples[i];
    leaf.photograph = sample_photograph(dataset, samples[i], config.data.source_aspect);
    leaf.mask = segment_leaf(leaf.photograph, sample_name(dataset, samples[i]), spec).mask;
  });
  return leaves;
}

/// Classifies pictures with a fitted classifier and counts the predictions.
class Examiner {
 public:
  Examiner(const LeafConfig& config, const NearestClassifier& classifier,
           const FeatureTable& training, const LeafRun& run)
      : classifier_(classifier),
        log_area_(mean_log_area(training)),
        spec_(preparation_for(config, 0)),
        rows_(leaf_rows(config, config.features.order)),
        makers_(rows_, run.engine) {}

  /// Adds `count` pictures to `score`; the true class of picture i is truth(i), if it has one.
  void ask(std::size_t count, const std::function<Photograph(std::size_t)>& picture,
           const std::function<std::optional<int>(std::size_t)>& truth, PerturbedScore& score) {
    const Source source = leaf_source(
        {count, [](std::size_t) { return std::string("picture"); },
         [&](std::size_t i, MemoryReservation&, FileDigest&, StageLoad&) { return picture(i); }},
        spec_);
    FeatureTable rows{rows_->layout(), {}};
    std::vector<std::size_t> tested;
    run_row_pipeline<float>(source, makers_, {}, [&](const MadeRows<float>& made) {
      if (!made.error.empty()) return;
      tested.push_back(made.index);
      rows.values.insert(rows.values.end(), made.values.begin(), made.values.end());
    });
    score.pictures += count;
    score.refused += count - tested.size();
    score.wrong += count - tested.size();
    score.doubted += count - tested.size();
    const std::vector<Prediction> predictions = predict(classifier_, log_area_, rows, /*top=*/1);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      const bool right = predictions[i].ranking.front().label == truth(tested[i]);
      score.right += right;
      const Decision& decision = predictions[i].decision;
      const std::optional<Word> word = decision.word();
      score.unknown += !decision.known();
      score.misidentified += decision.known() && !right;
      score.wrong += !right;
      score.doubted += !right && (word == Word::kDoubtful || word == Word::kUnknown);
      score.sure += word == Word::kSure;
      score.sure_right += word == Word::kSure && right;
    }
  }

  const PrepareSpec& spec() const { return spec_; }

 private:
  const NearestClassifier& classifier_;
  std::optional<double> log_area_;
  PrepareSpec spec_;
  std::shared_ptr<const LeafRows> rows_;
  MakerPool<float> makers_;
};

// The configuration after choosing, on the training leaves, whether to use colours. Keeps only the
// chosen columns of the table.
LeafConfig settled(const LeafConfig& config, std::span<const int> labels, FeatureTable& training) {
  LeafConfig used = config;
  const TuningSpec tuning = tuning_for(config, training.layout);
  if (tuning.asks()) {
    const TunedSettings best = tune(training, labels, tuning, config.classifier);
    settle(best.settings, used);
    training = select_columns(training, best.settings);
  } else {
    settle_colour(training.layout, used);
  }
  return used;
}

// These pictures are drawn in grey. If colours are required, the grey values become three equal
// colour channels, so that no picture is refused for its file format.
Photograph leafless(std::size_t kind, std::uint64_t seed, const PrepareSpec& spec) {
  Photograph picture{draw_leafless(kind, seed)};
  if (spec.colours != LeafColour::kRequired) return picture;
  for (const std::uint8_t value : picture.grey.pixels())
    picture.colour.insert(picture.colour.end(), 3, value);
  return picture;
}

void check_protocol(const LeafConfig& config, const SavedSplits& splits) {
  if (config.tuning.asks()) {
    throw UsageError("perturbed photographs need a single classifier: leave tuning out");
  }
  if (splits.protocol.kind == ProtocolKind::kLeaveOneOut) {
    throw UsageError("perturbed photographs need a protocol of splits or folds");
  }
  if (config.features.join.is_used()) {
    throw UsageError("perturbed photographs have no rows in a table: leave features.join out");
  }
}

}  // namespace

double PerturbedScore::share(std::size_t count) const {
  return pictures == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(pictures);
}

double PerturbedScore::right_of_sure() const {
  return sure == 0 ? 0.0 : static_cast<double>(sure_right) / static_cast<double>(sure);
}

double PerturbedScore::wrong_doubted() const {
  return wrong == 0 ? 1.0 : static_cast<double>(doubted) / static_cast<double>(wrong);
}

PerturbationTable perturbation_table(const LeafConfig& config, const LeafData& data,
                                     const SavedSplits& splits, std::uint64_t seed,
                                     const LeafRun& run) {
  check_protocol(config, splits);
  const Stopwatch watch;
  const Split& split = splits.splits.front();
  PerturbationTable table;
  table.seed = seed;
  table.training_leaves = split.train.size();
  for (const Perturbation& p : perturbations()) {
    table.leaves.push_back({std::string(p.name), std::string(p.description)});
  }
  for (const Perturbation& p : leafless_pictures()) {
    table.leafless.push_back({std::string(p.name), std::string(p.description)});
  }
  FeatureTable training = select_rows(
      select_columns(data.table, config.features.order, data.table.layout.group_names()),
      split.train);
  const std::vector<int> labels = select_labels(data.labels, split.train);
  const LeafConfig used = settled(config, labels, training);
  const NearestClassifier classifier =
      NearestClassifier::fit(training, labels, used.classifier, run.search_gpu());
  Examiner examiner(used, classifier, training, run);
  Progress progress(
      "perturbed pictures",
      split.test.size() * table.leaves.size() + kLeaflessPictures * table.leafless.size(),
      run.progress);
  for (std::size_t first = 0; first < split.test.size(); first += kPicturesPerPart) {
    const auto part =
        std::span(split.test).subspan(first, std::min(kPicturesPerPart, split.test.size() - first));
    const std::vector<TestLeaf> leaves = test_leaves(data.dataset, part, used);
    for (std::size_t which = 0; which < table.leaves.size(); ++which) {
      throw_if_interrupted();
      std::vector<const TestLeaf*> changed;
      for (const TestLeaf& leaf : leaves) {
        if (leaf.photograph.has_colour() || !perturbations()[which].of_colours) {
          changed.push_back(&leaf);
        }
      }
      examiner.ask(
          changed.size(),
          [&](std::size_t i) {
            const TestLeaf& leaf = *changed[i];
            return perturbed(leaf.photograph, leaf.mask, which, seed + leaf.sample);
          },
          [&](std::size_t i) { return std::optional(data.labels[changed[i]->sample]); },
          table.leaves[which]);
      progress.advance(leaves.size());
    }
  }
  std::erase_if(table.leaves, [](const PerturbedScore& score) { return score.pictures == 0; });
  for (std::size_t kind = 0; kind < table.leafless.size(); ++kind) {
    for (std::size_t first = 0; first < kLeaflessPictures; first += kPicturesPerPart) {
      throw_if_interrupted();
      const std::size_t count = std::min(kPicturesPerPart, kLeaflessPictures - first);
      examiner.ask(
          count, [&](std::size_t i) { return leafless(kind, seed + first + i, examiner.spec()); },
          [](std::size_t) { return std::optional<int>(); }, table.leafless[kind]);
      progress.advance(count);
    }
  }
  table.seconds = watch.seconds();
  return table;
}

}  // namespace leafglyph
