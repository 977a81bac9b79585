// What could explain the published accuracy of 97.19 % at order 30, and its drop at higher orders.
// Runs other readings of the published experiment over 10,000 splits, and the literature's other
// features and classifiers on the ten splits of leaf_published.yaml.
//   bench_leaf_splits CONFIG      configs/leaf_published.yaml; needs its photographs
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "classify/evaluation/protocol.h"
#include "classify/leaf/leaf_config.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/leaf/preprocess.h"
#include "gpu/plans.h"
#include "tools/literature/leaf/leaf_peers.h"
#include "tools/literature/leaf/leaf_ways.h"

namespace leafglyph {
namespace {

constexpr std::size_t kSplits = 10'000;
constexpr std::size_t kTest = 10;  // test leaves per species
constexpr double kPublished = 0.971875;
constexpr int kOrders[] = {6, 10, 20, 30, 40, 50};
constexpr int kHighest = 50;
constexpr std::size_t kBatch = 128;

// The moments of the prepared leaves, and the literature's other features.
struct Leaves {
  LeafMoments moments;
  Rows hu;
  Rows geometric;
  Rows patterns;
};

void append(Rows& rows, const std::vector<double>& row) {
  rows.columns = row.size();
  rows.values.insert(rows.values.end(), row.begin(), row.end());
}

Leaves read_leaves(const LeafConfig& config, bool peers) {
  const LeafDataset dataset = load_dataset(config.data);
  std::vector<int> labels;
  for (const LeafSample& sample : dataset.samples) labels.push_back(sample.label);
  const auto eligible = eligible_samples(config.protocol, labels);
  MomentSpec spec;
  spec.order = kHighest;
  const auto plan = make_moment_plan(spec, config.preparation.size);
  Leaves leaves;
  leaves.moments.indices = moment_indices(spec.family, spec.order);
  for (std::size_t first = 0; first < eligible.size(); first += kBatch) {
    const std::span<const std::size_t> part =
        std::span(eligible).subspan(first, std::min(kBatch, eligible.size() - first));
    std::vector<PreparedLeaf> prepared(part.size());
    parallel_for(part.size(), [&](std::size_t i) {
      prepared[i] = prepare_file(dataset.samples[part[i]].file, config.preparation);
    });
    for (std::size_t i = 0; const PreparedLeaf& leaf : prepared) {
      const std::span<const float> grey = leaf.grey.pixels();
      std::vector<float> image(grey.begin(), grey.end());
      for (float& value : image) value /= 255.0F;
      const std::size_t count = leaves.moments.indices.size();
      leaves.moments.values.resize(leaves.moments.values.size() + count);
      plan->moments(ImageBatch(image, 1, config.preparation.size),
                    std::span(leaves.moments.values).last(count));
      leaves.moments.labels.push_back(labels[part[i++]]);
      if (!peers) continue;
      append(leaves.hu, hu_invariants(leaf));
      append(leaves.geometric, geometric_moments(leaf));
      append(leaves.patterns, local_binary_patterns(leaf));
    }
  }
  return leaves;
}

struct Spread {
  double mean = 0.0;
  double deviation = 0.0;
  double low = 1.0;
  double high = 0.0;
  std::size_t reached = 0;  // splits that reach the published accuracy
};

Spread spread_of(const std::vector<double>& shares) {
  Spread spread;
  double squares = 0.0;
  for (const double share : shares) {
    spread.mean += share / static_cast<double>(shares.size());
    squares += share * share / static_cast<double>(shares.size());
    spread.low = std::min(spread.low, share);
    spread.high = std::max(spread.high, share);
    if (share >= kPublished) ++spread.reached;
  }
  spread.deviation = std::sqrt(std::max(0.0, squares - spread.mean * spread.mean));
  return spread;
}

std::vector<double> shares_of(const Rows& rows, RowDistance distance, bool itself, int k,
                              const std::vector<int>& labels, const std::vector<Split>& splits,
                              std::size_t named = 1) {
  const NeighbourOrder order(rows, distance, itself);
  std::vector<double> shares;
  shares.reserve(splits.size());
  for (const Split& split : splits) shares.push_back(order.accuracy(split, labels, k, named));
  return shares;
}

// A way to read the published description of the experiment.
struct Reading {
  const char* name;
  LeafValues values = LeafValues::kMagnitude;
  RowScaling scaling = RowScaling::kNone;
  RowDistance distance = RowDistance::kEuclidean;
  int k = 5;
  bool itself = false;    // the test leaves are training leaves, too
  std::size_t named = 1;  // right if the species is among so many with most votes
};

// Splits whose training part is all leaves, including the test leaves.
std::vector<Split> with_all_learnt(std::vector<Split> splits, std::size_t leaves) {
  for (Split& split : splits) {
    split.train.clear();
    for (std::size_t i = 0; i < leaves; ++i) split.train.push_back(i);
  }
  return splits;
}

void print_reading(const Reading& reading, const LeafMoments& moments,
                   const std::vector<Split>& splits) {
  std::printf("%-42s", reading.name);
  Spread at_30;
  for (const int order : kOrders) {
    Rows rows = rows_of(moments, order, reading.values);
    scale_over_all(rows, reading.scaling);
    const Spread spread = spread_of(shares_of(
        rows, reading.distance, reading.itself, reading.k, moments.labels,
        reading.itself ? with_all_learnt(splits, moments.leaves()) : splits, reading.named));
    std::printf("  %6.2f", 100.0 * spread.mean);
    if (order == 30) at_30 = spread;
  }
  std::printf("   %5.2f  %6.2f to %6.2f  %7zu\n", 100.0 * at_30.deviation, 100.0 * at_30.low,
              100.0 * at_30.high, at_30.reached);
  std::fflush(stdout);
}

// Jia's suggestion: the moments to the highest order that vary most from leaf to leaf. No species
// is asked, so that the test leaves may be.
void print_by_variance(const LeafMoments& moments, const std::vector<Split>& splits) {
  const Rows rows = rows_of(moments, kHighest, LeafValues::kMagnitude);
  std::printf("\nmagnitudes of largest variance, of %zu to order %d, mean of %zu splits, %%\n",
              rows.columns, kHighest, splits.size());
  for (const std::size_t count : {36, 72, 121, 256}) {
    const Spread spread =
        spread_of(shares_of(of_largest_variance(rows, count), RowDistance::kEuclidean, false, 5,
                            moments.labels, splits));
    std::printf("  %-28zu %6.2f\n", count, 100.0 * spread.mean);
  }
}

void print_distribution(const LeafMoments& moments, const std::vector<Split>& splits) {
  const auto shares = shares_of(rows_of(moments, 30, LeafValues::kMagnitude),
                                RowDistance::kEuclidean, false, 5, moments.labels, splits);
  // Correct predictions per bin. Bins count whole predictions, so that rounding cannot move a split
  // to the wrong bin.
  constexpr std::size_t kBinned = 4;
  const std::size_t tested = splits.front().test.size();
  const auto bin_of = [&](double share) {
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(tested))) / kBinned;
  };
  std::vector<std::size_t> bins(tested / kBinned + 1, 0);
  for (const double share : shares) ++bins[bin_of(share)];
  const std::size_t top = *std::max_element(bins.begin(), bins.end());
  const std::size_t marked = bin_of(kPublished);
  std::printf("\naccuracy at order 30 over %zu splits, as published\n", splits.size());
  std::size_t first = 0;
  while (bins[first] == 0) ++first;
  for (std::size_t b = first; b <= marked; ++b) {
    std::printf("%6.2f %% %6zu %s%s\n",
                100.0 * static_cast<double>(b * kBinned) / static_cast<double>(tested), bins[b],
                std::string(60 * bins[b] / top, '#').c_str(),
                b == marked ? " <- 97.19 % printed" : "");
  }
}

// One split by file number instead of random splits.
void print_sorted(const LeafMoments& moments) {
  std::printf("\none split by the files' numbers, at order 30, %%\n");
  const Rows rows = rows_of(moments, 30, LeafValues::kMagnitude);
  const RowsByClass classes = rows_by_class(moments.labels);
  const std::pair<const char*, std::function<bool(std::size_t, std::size_t)>> rules[] = {
      {"the last ten as test leaves", [](std::size_t i, std::size_t n) { return i + kTest >= n; }},
      {"the first ten", [](std::size_t i, std::size_t) { return i < kTest; }},
      {"every fifth", [](std::size_t i, std::size_t) { return i % 5 == 4; }}};
  for (const auto& [name, tested] : rules) {
    Split split;
    for (const auto& [label, members] : classes) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        (tested(i, members.size()) ? split.test : split.train).push_back(members[i]);
      }
    }
    sort_split(split);
    const auto share =
        shares_of(rows, RowDistance::kEuclidean, false, 5, moments.labels, {split}).front();
    std::printf("  %-28s %6.2f\n", name, 100.0 * share);
  }
}

Rows joined(const Rows& one, const Rows& other) {
  Rows rows;
  for (std::size_t i = 0; i < one.values.size() / one.columns; ++i) {
    std::vector<double> row(one.row(i), one.row(i) + one.columns);
    row.insert(row.end(), other.row(i), other.row(i) + other.columns);
    append(rows, row);
  }
  return rows;
}

void print_peers(const Leaves& leaves, const std::vector<Split>& splits) {
  std::printf("\nother features and classifiers, mean of %zu splits, %%\n", splits.size());
  std::printf("%-42s  %8s  %8s  %8s\n", "", "5-NN", "SVM", "PNN");
  const std::vector<int>& labels = leaves.moments.labels;
  const std::pair<const char*, Rows> features[] = {
      {"|Z_nm| to order 20", rows_of(leaves.moments, 20, LeafValues::kMagnitude)},
      {"Hu's invariants", leaves.hu},
      {"geometric moments of order 2 and 3", leaves.geometric},
      {"local binary patterns", leaves.patterns},
      {"Hu's invariants and binary patterns", joined(leaves.hu, leaves.patterns)}};
  for (const auto& [name, rows] : features) {
    Rows scaled = rows;
    scale_over_all(scaled, RowScaling::kStandardised);
    double svm = 0.0;
    double pnn = 0.0;
    for (const Split& split : splits) {
      svm += svm_accuracy(rows, labels, split) / static_cast<double>(splits.size());
      pnn += pnn_accuracy(rows, labels, split) / static_cast<double>(splits.size());
    }
    const double nearest =
        spread_of(shares_of(scaled, RowDistance::kEuclidean, false, 5, labels, splits)).mean;
    std::printf("%-42s  %8.2f  %8.2f  %8.2f\n", name, 100.0 * nearest, 100.0 * svm, 100.0 * pnn);
    std::fflush(stdout);
  }
}

void run(const std::string& file) {
  LeafConfig config = load_leaf_config(file);
  const Leaves leaves = read_leaves(config, /*peers=*/true);
  const auto splits = random_splits(leaves.moments.labels, kTest, kSplits, config.protocol.seed);
  std::printf(
      "accuracy, %%, mean of %zu splits of %zu leaves, by order; at order 30 its deviation,\n"
      "extremes, and how many splits reach the printed 97.19\n%-42s",
      splits.size(), leaves.moments.leaves(), "");
  for (const int order : kOrders) std::printf("  %6d", order);
  std::printf("   +-     from        to   reached\n");
  constexpr Reading kReadings[] = {
      {"as published"},
      {"one neighbour", LeafValues::kMagnitude, RowScaling::kNone, RowDistance::kEuclidean, 1},
      {"three neighbours", LeafValues::kMagnitude, RowScaling::kNone, RowDistance::kEuclidean, 3},
      {"Manhattan distance", LeafValues::kMagnitude, RowScaling::kNone, RowDistance::kManhattan},
      {"chi-square distance", LeafValues::kMagnitude, RowScaling::kNone, RowDistance::kChiSquare},
      {"cosine distance", LeafValues::kMagnitude, RowScaling::kNone, RowDistance::kCosine},
      {"standardised over all leaves", LeafValues::kMagnitude, RowScaling::kStandardised},
      {"scaled to 0..1 over all leaves", LeafValues::kMagnitude, RowScaling::kMinMax},
      {"logarithms", LeafValues::kLogMagnitude},
      {"logarithms, standardised", LeafValues::kLogMagnitude, RowScaling::kStandardised},
      {"|Z_nm| / |Z_00|", LeafValues::kRelative},
      {"real and imaginary parts", LeafValues::kComplex},
      {"phases alone", LeafValues::kPhase},
      {"also trained on the test leaves", LeafValues::kMagnitude, RowScaling::kNone,
       RowDistance::kEuclidean, 5, true},
      {"the same, three neighbours", LeafValues::kMagnitude, RowScaling::kNone,
       RowDistance::kEuclidean, 3, true},
      {"species among the three with most votes", LeafValues::kMagnitude, RowScaling::kNone,
       RowDistance::kEuclidean, 5, false, 3},
      {"any of the five neighbours right", LeafValues::kMagnitude, RowScaling::kNone,
       RowDistance::kEuclidean, 5, false, 5},
  };
  for (const Reading& reading : kReadings) print_reading(reading, leaves.moments, splits);
  config.preparation.geometry = Geometry::kShapePreserving;
  print_reading({"the leaf's shape kept, Otsu at full size"},
                read_leaves(config, /*peers=*/false).moments, splits);
  print_by_variance(leaves.moments, splits);
  print_distribution(leaves.moments, splits);
  print_sorted(leaves.moments);
  const LeafDataset dataset = load_dataset(config.data);
  print_peers(leaves, make_splits(config.protocol, leaves.moments.labels, dataset.class_names));
}

}  // namespace
}  // namespace leafglyph

int main(int count, char** arguments) {
  try {
    if (count != 2)
      throw leafglyph::UsageError("use bench_leaf_splits configs/leaf_published.yaml");
    leafglyph::run(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_leaf_splits: %s\n", error.what());
    return 1;
  }
}
