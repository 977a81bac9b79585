// Photographs framed differently from those that a model has learned.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "classify/classifier/predictions.h"
#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf/leaf_training.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

constexpr int kSpecies = 6, kAsked = 8;
constexpr std::uint64_t kPredictionsSeed = 5;

// A smaller version of configs/leaf.yaml. Drawn pictures are small; none is halved.
constexpr const char* kProduct = R"(
data: {source: generated, species: 6, leaves: 16, seed: 5}
preparation: {size: 64, area: 500, oversampling: 8}
features: {order: 12, channels: [inverted, mask, standardised], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}
classifier: {k: 5, metric: cosine, answered_share: 0.95}
)";

const LeafModel& model() {
  static const LeafModel trained =
      train_leaves(parse_leaf_config(kProduct, "product.yaml"), LeafRun{}).model;
  return trained;
}

// The photograph in the middle of paper three times as wide and as high.
Image<std::uint8_t> from_afar(const Image<std::uint8_t>& near) {
  Image<std::uint8_t> far(3 * near.width(), 3 * near.height(), near.at(0, 0));
  for (int row = 0; row < near.height(); ++row) {
    for (int column = 0; column < near.width(); ++column) {
      far.at(near.height() + row, near.width() + column) = near.at(row, column);
    }
  }
  return far;
}

FeatureTable rows_of(bool is_far) {
  const LeafConfig& config = model().config;
  const auto rows = leaf_rows(config, config.features.order);
  MakerPool<float> makers(rows, {});
  const Source source =
      leaf_source({kSpecies * kAsked, [](std::size_t) { return std::string("leaf"); },
                   [&](std::size_t i, MemoryReservation&, FileDigest&, StageLoad&) {
                     const int leaf = static_cast<int>(i);
                     const Image<std::uint8_t> near =
                         draw_synthetic_leaf(leaf / kAsked, 100 + leaf % kAsked, kPredictionsSeed);
                     return Photograph{is_far ? from_afar(near) : near};
                   }},
                  config.preparation);
  FeatureTable table{rows->layout(), {}};
  run_row_pipeline<float>(source, makers, {}, [&](const MadeRows<float>& made) {
    table.values.insert(table.values.end(), made.values.begin(), made.values.end());
  });
  return table;
}

// The number of predictions that are known and right.
int right(const std::vector<Prediction>& predictions) {
  int count = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    count += predictions[i].decision.known() &&
             predictions[i].ranking.front().label == static_cast<int>(i) / kAsked;
  }
  return count;
}

// invariant: leaves photographed from three times the distance are identified about as well as from
// nearby, where the classifier by itself refuses or mistakes many; sure predictions are unchanged.
TEST(PredictionsOf, DoNotDependOnTheFrame) {
  FeatureTable near = rows_of(false), far = rows_of(true);
  const std::vector<Prediction> plain = model().classifier.predict(near, 1);
  const FeatureTable measured = near;
  const std::vector<Prediction> of_near =
      predict(model().classifier, model().features.log_area(), near, 1);
  const int plainly_far = right(model().classifier.predict(far, 1));
  const int of_far = right(predict(model().classifier, model().features.log_area(), far, 1));
  EXPECT_GE(right(of_near), right(plain));
  // The outlines differ by rounding, and so do probabilities near the threshold: two of 48.
  EXPECT_GE(of_far, right(of_near) - 2);
  EXPECT_LE(plainly_far, of_far - 10);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_GE(std::pair(of_near[i].decision.known(), of_near[i].probability),
              std::pair(plain[i].decision.known(), plain[i].probability))
        << i;
    if (*plain[i].probability < kSureFrom || !plain[i].decision.known()) continue;
    EXPECT_EQ(of_near[i].probability, plain[i].probability) << i;
    EXPECT_TRUE(std::ranges::equal(near.row(i), measured.row(i))) << i;
  }
}

// oracle: the usual share is the geometric mean over the training leaves.
TEST(PredictionsOf, UsualShareIsTheGeometricMean) {
  const std::size_t column = model().features.layout().columns() - kMeasureCount;
  double product = 1;
  const FeatureTable& table = model().features.table();
  const auto count = static_cast<double>(table.rows());
  for (std::size_t i = 0; i < table.rows(); ++i) {
    product *= std::pow(std::exp(table.row(i)[column]), 1 / count);
  }
  EXPECT_NEAR(usual_area_share(model().features.log_area()), product, 1e-9);
}

// Photographs in <folder>/all. Those below kLearnt of each species are also in <folder>/learnt; of
// the others every second one is taken from afar.
constexpr int kLearnt = 16, kHeldOut = 4;
void write_photographs(const std::filesystem::path& folder) {
  for (int species = 0; species < kSpecies; ++species) {
    const std::string name = "species-" + std::to_string(species);
    std::filesystem::create_directories(folder / "all" / name);
    std::filesystem::create_directories(folder / "learnt" / name);
    for (int leaf = 0; leaf < kLearnt + kHeldOut; ++leaf) {
      const std::string file = name + "/" + std::to_string(100 + leaf) + ".bmp";
      const Image<std::uint8_t> near = draw_synthetic_leaf(species, leaf, kPredictionsSeed);
      const bool is_far = leaf >= kLearnt && leaf % 2 == 1;
      write_grey_bmp(folder / "all" / file, is_far ? from_afar(near) : near);
      if (leaf >= kLearnt) continue;
      std::filesystem::create_symlink(folder / "all" / file, folder / "learnt" / file);
    }
  }
}

LeafConfig config_of(const std::filesystem::path& data) {
  LeafConfig config = parse_leaf_config(kProduct, "product.yaml");
  config.data = {DataSource::kFolders, data, {}, /*source_aspect=*/0, {}};
  config.protocol.kind = ProtocolKind::kAuto;
  return config;
}

// agreement: for held-out photographs the evaluation gives the same predictions as the command with
// a model of the others, so that both have the same accuracy; some are classified a second time.
TEST(PredictionsOf, EvaluationDecidesAsClassificationDoes) {
  const TemporaryFolder folder;
  write_photographs(folder.path());
  const LeafConfig config = config_of(folder.path() / "all");
  const LeafData data = load_evaluation_data(config, {}, config.features.order, LeafRun{});
  ASSERT_EQ(data.names.size(), static_cast<std::size_t>(kSpecies * (kLearnt + kHeldOut)));
  SavedSplits splits;
  Split& split = splits.splits.emplace_back();
  std::vector<std::filesystem::path> held_out;
  for (std::size_t row = 0; row < data.names.size(); ++row) {
    const bool is_learnt = static_cast<int>(row) % (kLearnt + kHeldOut) < kLearnt;
    (is_learnt ? split.train : split.test).push_back(row);
    if (!is_learnt) held_out.push_back(data.dataset.samples[row].file);
  }
  const EvaluationResult evaluated = evaluate_leaves(config, data, splits, LeafRun{}).result;
  const LeafModel learnt = train_leaves(config_of(folder.path() / "learnt"), LeafRun{}).model;
  const std::vector<ClassifiedLeaf> classified =
      classify_leaves(learnt, held_out, kRankedClasses, LeafRun{});
  ASSERT_EQ(evaluated.predictions.size(), classified.size());
  std::size_t right = 0, known = 0, asked_twice = 0;
  for (std::size_t i = 0; i < classified.size(); ++i) {
    const TestPrediction& of_evaluation = evaluated.predictions[i];
    const Prediction& of_command = classified[i].prediction.value();
    EXPECT_EQ(of_evaluation.ranking, of_command.ranking) << held_out[i];
    EXPECT_EQ(of_evaluation.probability, of_command.probability) << held_out[i];
    EXPECT_EQ(of_evaluation.decision.word(), of_command.decision.word()) << held_out[i];
    right += of_command.ranking.front().label == of_evaluation.truth;
    known += of_command.decision.known();
    asked_twice += of_command.decision.reading() == 1;
  }
  const auto tests = static_cast<double>(classified.size());
  EXPECT_DOUBLE_EQ(evaluated.top1.mean, static_cast<double>(right) / tests);
  EXPECT_DOUBLE_EQ(evaluated.answered.mean, static_cast<double>(known) / tests);
  EXPECT_GT(asked_twice, 0U);
}

}  // namespace
}  // namespace leafglyph
