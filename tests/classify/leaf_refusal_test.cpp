// Perturbed training leaves, and what models of few species call unknown: other leaves, blots, two
// leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf/leaf_training.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/grey_bmp.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLeafRefusalSeed = 5;

// A smaller version of configs/leaf.yaml. Drawn pictures are small; none is halved.
const std::string kOfRefusals = R"(
preparation: {size: 64, area: 500, oversampling: 8}
features: {order: 20, channels: [inverted, mask, standardised, gradient], measures: true}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda, measure_weight: 3}
classifier: {k: 5, metric: cosine, answered_share: 0.95}
)";

Image<std::uint8_t> drawn_leaf(int species, int number) {
  return draw_synthetic_leaf(species, number, kLeafRefusalSeed);
}

// Dark blots on light paper, most of which the preparation mistakes for leaves.
Image<std::uint8_t> blots(unsigned seed) {
  std::mt19937 generator(seed);
  Image<std::uint8_t> image(320, 240, 235);
  for (int blot = 0; blot < 12; ++blot) {
    const int x = static_cast<int>(60 + generator() % 200);
    const int y = static_cast<int>(60 + generator() % 120);
    const int half = static_cast<int>(8 + generator() % 30);
    for (int row = std::max(0, y - half); row < std::min(240, y + half); ++row) {
      for (int column = std::max(0, x - half); column < std::min(320, x + half); ++column) {
        image.at(row, column) = static_cast<std::uint8_t>(40 + generator() % 100);
      }
    }
  }
  return image;
}

// Two leaves that touch in the middle of a photograph.
Image<std::uint8_t> two_leaves(int species, int number) {
  const Image<std::uint8_t> left = drawn_leaf(species, number);
  const Image<std::uint8_t> right = drawn_leaf(1 - species, number + 1);
  Image<std::uint8_t> both(left.width() + right.width() / 3, left.height(), 235);
  for (int row = 0; row < both.height(); ++row) {
    for (int column = 0; column < both.width(); ++column) {
      const int other = column - both.width() + right.width();
      const std::uint8_t a = column < left.width() ? left.at(row, column) : std::uint8_t{235};
      const std::uint8_t b = other >= 0 ? right.at(row, other) : std::uint8_t{235};
      both.at(row, column) = std::min(a, b);
    }
  }
  return both;
}

LeafConfig config_of(const std::string& data, const std::string& rest) {
  return parse_leaf_config("data: {" + data + "}\n" + rest, "config.yaml");
}

class LeafRefusalTest : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }

  // The share of the photographs that are predicted `unknown` or have no prediction.
  double refused(const LeafModel& model, const std::vector<Image<std::uint8_t>>& images) const {
    std::vector<fs::path> files;
    files.reserve(images.size());
    for (const auto& image : images) {
      files.emplace_back(at(std::to_string(files.size()) + ".bmp"));
      write_grey_bmp(files.back(), image);
    }
    std::size_t count = 0;
    for (const ClassifiedLeaf& prediction : classify_leaves(model, files, 1, LeafRun{})) {
      count += !prediction.prediction || !prediction.prediction->decision.known();
    }
    return static_cast<double>(count) / static_cast<double>(files.size());
  }

  struct Shares {
    double known, unknown, blots, pairs;
    friend std::ostream& operator<<(std::ostream& out, const Shares& share) {
      return out << "refused: known " << share.known << ", unknown " << share.unknown << ", blots "
                 << share.blots << ", pairs " << share.pairs;
    }
  };
  // For new leaves of the model's first `species`, for 24 leaves of others, for blots and for pairs
  // of leaves.
  Shares refused_shares(const LeafModel& model, int species) const {
    std::vector<Image<std::uint8_t>> known;
    std::vector<Image<std::uint8_t>> unknown;
    std::vector<Image<std::uint8_t>> noise;
    std::vector<Image<std::uint8_t>> pairs;
    for (int i = 0; i < 24; ++i) {
      known.push_back(drawn_leaf(i % species, 100 + i));
      unknown.push_back(drawn_leaf(species + i / 2, 100 + i));
      noise.push_back(blots(static_cast<unsigned>(i)));
      pairs.push_back(two_leaves(i % 2, 100 + i));
    }
    return {refused(model, known), refused(model, unknown), refused(model, noise),
            refused(model, pairs)};
  }

  TemporaryFolder folder_;
};

// mechanics: with a weight, every second leaf of a class has an augmented copy, which equals no
// leaf; a feature store has none, and the user is warned.
TEST_F(LeafRefusalTest, EverySecondLeafHasAnAugmentedCopy) {
  std::string product = kOfRefusals;
  product.insert(product.find("measure_weight"), "augmentation: 0.5, ");
  const LeafConfig config = config_of("source: generated, species: 3, leaves: 5", product);
  const LeafData data = load_leaf_data(config, std::nullopt, 20, LeafRun{});
  ASSERT_EQ(data.table.rows(), 15U);
  // Of the leaves 0, 2 and 4 of each class, unless no leaf was found in a copy.
  EXPECT_LE(data.table.augmented.of.size(), 9U);
  EXPECT_GE(data.table.augmented.of.size(), 7U);
  for (std::size_t i = 0; i < data.table.augmented.of.size(); ++i) {
    const std::size_t of = data.table.augmented.of[i];
    EXPECT_EQ(of % 5 % 2, 0U);
    EXPECT_FALSE(std::ranges::equal(data.table.augmented_row(i), data.table.row(of)));
  }
  const LeafData again = load_leaf_data(config, std::nullopt, 20, LeafRun{});
  EXPECT_EQ(again.table.augmented.values, data.table.augmented.values);
}

// regression: with two species a discriminant without a prior has one direction, so that every
// photograph was one of the two; with three it has two. Known leaves are mostly answered (95 % were
// required); most unknown photographs are refused. A single species is recognised, too.
TEST_F(LeafRefusalTest, FewSpeciesRefuseForeignPhotographs) {
  for (const int species : {1, 2, 3}) {
    const TrainedLeaves trained =
        train_leaves(config_of("source: generated, species: " + std::to_string(species) +
                                   ", leaves: 24, seed: 5",
                               kOfRefusals),
                     LeafRun{});
    EXPECT_EQ(trained.warnings, std::vector<std::string>());
    EXPECT_GT(trained.model.classifier.pipeline().dimension(), 10U);
    save_model(trained.model, WriteLock(at("m")));
    const LeafModel model = load_model(at("m"));
    EXPECT_EQ(model.classifier.spec(), trained.model.classifier.spec());
    EXPECT_EQ(model.classifier.outlier_scores(model.features.table()),
              trained.model.classifier.outlier_scores(model.features.table()));  // to the last bit
    SCOPED_TRACE(species);
    const Shares share = refused_shares(model, species);
    EXPECT_LT(share.known, 0.15) << share;
    EXPECT_GT(share.unknown, 0.5) << share;
    EXPECT_GT(share.blots, 0.7) << share;
    EXPECT_GT(share.pairs, 0.5) << share;
    for (const char* name : {"prior.npy", "spread.npy"}) {
      const fs::path file = fs::path(at("m")) / name;
      const std::string bytes = read_file(file);
      fs::remove(file);
      EXPECT_THROW(load_model(at("m")), FormatError) << name;
      write_file(file, bytes.substr(0, bytes.size() - 8));
      EXPECT_THROW(load_model(at("m")), FormatError) << name;
      write_file(file, bytes);
    }
  }
}

}  // namespace
}  // namespace leafglyph
