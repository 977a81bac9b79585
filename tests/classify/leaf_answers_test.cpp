// Photographs that are framed otherwise than those that a model has learnt.
#include "classify/leaf/leaf_answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "classify/leaf/leaf_training.h"
#include "datasets/leaf/synthetic_leaves.h"

namespace leafglyph {
namespace {

constexpr int kSpecies = 6, kAsked = 8;
constexpr std::uint64_t kLeafAnswersSeed = 5;

// As configs/leaf.yaml, smaller. Of drawn pictures, which are small, none is halved.
constexpr const char* kProduct = R"(
data: {source: generated, species: 6, leaves: 16, seed: 5}
preparation: {size: 64, area: 500, oversampling: 8}
features: {order: 12, channels: [inverted, mask, standardised], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, scaling: standardise, projection: lda, shrinkage: 0.5, measure_weight: 30}
classifier: {k: 5, metric: cosine, answered_share: 0.95, novelty: calibrated}
)";

const LeafModel& model() {
  static const LeafModel trained =
      train_leaves(parse_leaf_config(kProduct, "product.yaml"), LeafRun{}).model;
  return trained;
}

// The photograph in the middle of paper that is thrice as wide and as high.
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
                   [&](std::size_t i, MemoryTurn&, FileDigest&, StageLoad&) {
                     const int leaf = static_cast<int>(i);
                     const Image<std::uint8_t> near =
                         draw_synthetic_leaf(leaf / kAsked, 100 + leaf % kAsked, kLeafAnswersSeed);
                     return Photograph{is_far ? from_afar(near) : near};
                   }},
                  config.preparation);
  FeatureTable table{rows->layout(), {}};
  stream_rows<float>(source, makers, {}, [&](const MadeRows<float>& made) {
    table.values.insert(table.values.end(), made.values.begin(), made.values.end());
  });
  return table;
}

// Answers that are known and right.
int right(const std::vector<Answer>& answers) {
  int count = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    count += answers[i].decision.known() &&
             answers[i].ranking.front().label == static_cast<int>(i) / kAsked;
  }
  return count;
}

// invariant: leaves from thrice as far are named about as well as the same ones from near, where
// the classifier by itself refuses or mistakes many; sure answers stay as they are.
TEST(AnswersOf, DoNotDependOnTheFrame) {
  FeatureTable near = rows_of(false), far = rows_of(true);
  const std::vector<Answer> plain = model().classifier.answer(near, 1);
  const FeatureTable measured = near;
  const std::vector<Answer> of_near = answers_of(model(), near, 1);
  const int plainly_far = right(model().classifier.answer(far, 1));
  const int of_far = right(answers_of(model(), far, 1));
  EXPECT_GE(right(of_near), right(plain));
  // The outlines differ by rounding, as do probabilities near the threshold: of 48, two.
  EXPECT_GE(of_far, right(of_near) - 2);
  EXPECT_LE(plainly_far, of_far - 10);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_GE(*of_near[i].probability, *plain[i].probability) << i;
    if (*plain[i].probability < kSureFrom || !plain[i].decision.known()) continue;
    EXPECT_EQ(of_near[i].probability, plain[i].probability) << i;
    EXPECT_TRUE(std::ranges::equal(near.row(i), measured.row(i))) << i;
  }
}

// oracle: the usual share is the geometric mean of those of the training leaves.
TEST(AnswersOf, UsualShareIsTheGeometricMean) {
  const std::size_t column = model().features.layout.columns() - kMeasureCount;
  double product = 1;
  const auto count = static_cast<double>(model().features.rows());
  for (std::size_t i = 0; i < model().features.rows(); ++i) {
    product *= std::pow(std::exp(model().features.row(i)[column]), 1 / count);
  }
  EXPECT_NEAR(usual_area_share(model()), product, 1e-9);
}

}  // namespace
}  // namespace leafglyph
