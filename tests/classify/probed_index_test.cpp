// Neighbours among the classes with the nearest means, and models of many species, whose rows stay
// in their folder.
#include "classify/nearest/probed_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "classify/leaf/leaf_training.h"
#include "classify/leaf/model_folder.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/record/checked_file.h"
#include "tests/support/small_leaf_config.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

constexpr unsigned kProbedSeed = 20261126;
constexpr std::size_t kDimension = 24;

/// Rows about the centres of their classes. Values are of few bits: half precision keeps them where
/// lengths are 1, as those of rows with a single number are not.
struct Classes {
  std::vector<float> rows, means;
  std::vector<std::uint32_t> of_rows;
};
Classes drawn_classes(std::size_t count, std::size_t leaves) {
  std::mt19937 generator(kProbedSeed);
  std::normal_distribution<float> normal;
  Classes classes;
  std::vector<float> centres(count * kDimension);
  for (float& value : centres) value = 2 * normal(generator);
  for (std::size_t i = 0; i < count * leaves; ++i) {
    // Not class by class.
    const std::size_t c = (i * 7) % count;
    classes.of_rows.push_back(static_cast<std::uint32_t>(c));
    for (std::size_t j = 0; j < kDimension; ++j) {
      classes.rows.push_back(centres[c * kDimension + j] + normal(generator));
    }
  }
  classes.means.resize(count * kDimension);
  for (std::size_t i = 0; i < classes.rows.size(); ++i) {
    classes.means[classes.of_rows[i / kDimension] * kDimension + i % kDimension] +=
        classes.rows[i] / static_cast<float>(leaves);
  }
  return classes;
}

ProbedIndex index_of(const Classes& classes) {
  HalfRowsMaker maker(classes.of_rows, kDimension);
  // In parts, as a training adds them.
  const std::size_t part = 5 * kDimension;
  for (std::size_t i = 0; i < classes.rows.size(); i += part) {
    maker.add(std::span(classes.rows).subspan(i, std::min(part, classes.rows.size() - i)));
  }
  return {classes.of_rows, classes.means, kDimension, maker.finish()};
}

std::set<std::int64_t> rows_of(std::span<const Neighbour> neighbours) {
  std::set<std::int64_t> rows;
  for (const Neighbour& neighbour : neighbours) rows.insert(neighbour.row);
  return rows;
}

// oracle: with no more classes than are probed, the neighbours are those of the exact index, up to
// half precision: distances within 2^-11 of the lengths, which are 1, and hardly another row.
TEST(ProbedIndex, FindsWhatAnExactIndexFinds) {
  const Classes classes = drawn_classes(50, 12);
  const ProbedIndex probed = index_of(classes);
  KnnIndex exact(Metric::kCosine, kDimension);
  exact.add(classes.rows);
  const std::span<const float> queries = std::span(classes.rows).first(200 * kDimension);
  const NeighbourLists expected = exact.search(queries, 20);
  const ProbedIndex::Found found = probed.search(queries, 20);
  std::size_t same = 0;
  for (std::size_t q = 0; q < expected.count(); ++q) {
    const auto near = found.nearest.of(q);
    EXPECT_EQ(near[0].row, static_cast<std::int64_t>(q));
    EXPECT_TRUE(std::ranges::is_sorted(near, nearer));
    std::set<std::int64_t> both = rows_of(near);
    EXPECT_EQ(both.size(), 20U);
    both.merge(rows_of(expected.of(q)));
    same += both.size() == 20;
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(near[i].distance, expected.of(q)[i].distance, 0x1p-11F);
    }
    // One row of every class, the nearest first.
    const std::vector<Neighbour>& of_classes = found.of_classes[q];
    EXPECT_EQ(of_classes.size(), 50U);
    EXPECT_EQ(of_classes[0], near[0]);
    EXPECT_TRUE(std::ranges::is_sorted(of_classes, nearer));
    std::set<std::uint32_t> distinct;
    for (const Neighbour& n : of_classes) distinct.insert(classes.of_rows[std::size_t(n.row)]);
    EXPECT_EQ(distinct.size(), 50U);
  }
  EXPECT_GE(same, 190U);
}

// oracle: of many classes, the rows of those with the nearest means are compared, and of more if
// these have too few rows. A query alone gets what it gets among others.
TEST(ProbedIndex, ComparesTheNearestClasses) {
  const Classes classes = drawn_classes(300, 2);
  const ProbedIndex probed = index_of(classes);
  KnnIndex means(Metric::kEuclidean, kDimension);
  means.add(classes.means);
  const std::span<const float> queries = std::span(classes.rows).first(30 * kDimension);
  for (const std::size_t k : {std::size_t{10}, std::size_t{200}, std::size_t{600}}) {
    const ProbedIndex::Found found = probed.search(queries, k);
    const std::size_t searched = std::max(kProbedClasses, k / 2);
    const NeighbourLists near = means.search(queries, searched);
    for (std::size_t q = 0; q < near.count(); ++q) {
      const std::set<std::int64_t> allowed = rows_of(near.of(q));
      EXPECT_EQ(found.of_classes[q].size(), searched);
      for (const Neighbour& neighbour : found.nearest.of(q)) {
        EXPECT_TRUE(allowed.contains(classes.of_rows[std::size_t(neighbour.row)]));
      }
      const ProbedIndex::Found alone =
          probed.search(queries.subspan(q * kDimension, kDimension), k);
      EXPECT_TRUE(std::ranges::equal(alone.nearest.of(0), found.nearest.of(q)));
    }
  }
  // More classes are ranked, but the neighbours stay.
  const ProbedIndex::Found few = probed.search(queries, 10), all = probed.search(queries, 10, 300);
  EXPECT_EQ(all.nearest.entries, few.nearest.entries);
  EXPECT_EQ(all.of_classes[0].size(), 300U);
  EXPECT_THROW(probed.search(queries, 601), UsageError);
}

// A model of more species than can be drawn: its rows vary those of a small model.
LeafModel model_of_many() {
  LeafModel few = train_leaves(small_config(), LeafRun{}).model;
  const FeatureTable& drawn = few.features.table();
  constexpr std::size_t kSpecies = kSearchedClasses + 4, kLeaves = 6;
  std::mt19937 generator(kProbedSeed);
  std::normal_distribution<float> normal;
  FeatureTable rows{drawn.layout, {}};
  rows.prior = drawn.prior;
  std::vector<int> labels;
  std::vector<std::string> names, classes;
  std::vector<float> of_species(rows.layout.columns());
  for (std::size_t c = 0; c < kSpecies; ++c) {
    for (float& factor : of_species) factor = std::exp(0.5F * normal(generator));
    classes.push_back("species " + std::to_string(c));
    for (std::size_t leaf = 0; leaf < kLeaves; ++leaf) {
      const auto row = drawn.row(c % drawn.rows());
      for (std::size_t j = 0; j < row.size(); ++j) {
        rows.values.push_back(row[j] * of_species[j] * std::exp(0.05F * normal(generator)));
      }
      labels.push_back(static_cast<int>(c));
      names.push_back(classes.back() + "/" + std::to_string(leaf));
    }
  }
  NearestClassifier classifier = NearestClassifier::fit(rows, labels, few.config.classifier);
  ModelHistory history = few.history;
  history.classes.clear();
  const std::vector<std::string> none(kSpecies);
  return {few.config,
          classes,
          none,
          none,
          names,
          std::move(rows),
          std::move(classifier),
          few.requested,
          std::vector<SmallPicture>(labels.size()),
          history};
}

class ManySpecies : public ::testing::Test {
 protected:
  ManySpecies() : trained_(model_of_many()) { save_model(trained_, WriteLock(path())); }
  std::filesystem::path path() const { return folder_.path() / "m"; }

  TemporaryFolder folder_;
  LeafModel trained_;
};

// oracle: the means of the likelihood are those of the transformed rows of each class: summed in
// another order with many species, and from rows that were rounded to float with few.
TEST_F(ManySpecies, MeansAreThoseOfTheRows) {
  const auto check = [](const LeafModel& model, double tolerance) {
    const NearestClassifier& classifier = model.classifier;
    const std::size_t p = classifier.pipeline().dimension();
    const std::vector<float> rows = classifier.pipeline().transform(model.features.table());
    const std::span<const double> means = classifier.likelihood()->means();
    std::vector<double> expected(means.size()), counts(means.size() / p);
    for (const int label : classifier.labels()) ++counts[static_cast<std::size_t>(label)];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto label = static_cast<std::size_t>(classifier.labels()[i / p]);
      expected[label * p + i % p] += rows[i] / counts[label];
    }
    for (std::size_t i = 0; i < means.size(); ++i) EXPECT_NEAR(means[i], expected[i], tolerance);
  };
  check(trained_, 1e-12);
  check(load_model(path()), 1e-12);
  check(train_leaves(small_config(), LeafRun{}).model, 1e-5);
}

// invariant: a model whose rows lie in its folder predicts like the trained one, bit by bit, also
// when the folder is gone; and most of its own leaves are identified. One byte of damage among the
// rows is found by the predictions that compare them.
TEST_F(ManySpecies, PredictAsTrained) {
  const FeatureTable& rows = trained_.features.table();
  const auto before = trained_.classifier.predict(rows, 5);
  {
    const LeafModel loaded = load_model(path());
    const LeafModel removed = load_model(path());
    std::filesystem::rename(path(), folder_.path() / "kept");
    const auto after = loaded.classifier.predict(rows, 5);
    std::size_t right = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].ranking, after[i].ranking);
      EXPECT_EQ(before[i].neighbours, after[i].neighbours);
      EXPECT_EQ(before[i].probability, after[i].probability);
      EXPECT_EQ(before[i].neighbours[0].row, static_cast<std::int64_t>(i));
      EXPECT_EQ(before[i].ranking.size(), 5U);
      right += before[i].ranking[0].label == trained_.classifier.labels()[i];
    }
    // A leaf is its own nearest neighbour.
    EXPECT_GT(right, before.size() * 9 / 10);
    EXPECT_EQ(removed.sample_names, trained_.sample_names);
    EXPECT_EQ(removed.features.table().values, rows.values);
    EXPECT_EQ(loaded.classifier.predict(rows, 1000)[0].ranking.size(), trained_.class_names.size());
    std::filesystem::rename(folder_.path() / "kept", path());
  }
  std::string bytes = read_file(path() / "rows.npy");
  EXPECT_NE(bytes.find("<f2"), std::string::npos);
  ASSERT_GT(bytes.size(), CheckedFile::kBlock);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_file(path() / "rows.npy", bytes);
  const LeafModel damaged = load_model(path());
  EXPECT_THROW(damaged.classifier.predict(rows, 1), FormatError);
  EXPECT_THROW(damaged.classifier.nearest(rows, 1), FormatError);
}

}  // namespace
}  // namespace leafglyph
