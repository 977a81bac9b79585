#include "tools/literature/leaf/leaf_ways.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

void add_values(const MomentIndex& index, const std::complex<double>& z, double first,
                LeafValues values, std::vector<double>& out) {
  switch (values) {
    case LeafValues::kMagnitude:
      out.push_back(std::abs(z));
      break;
    case LeafValues::kLogMagnitude:
      out.push_back(std::log(std::abs(z) + 1e-3));
      break;
    case LeafValues::kRelative:
      if (index.n > 0 && index != MomentIndex{1, 1}) out.push_back(std::abs(z) / first);
      break;
    case LeafValues::kComplex:
      out.push_back(z.real());
      if (index.m > 0) out.push_back(z.imag());
      break;
    case LeafValues::kPhase:
      if (index.m > 0) {
        out.push_back(std::cos(std::arg(z)));
        out.push_back(std::sin(std::arg(z)));
      }
      break;
  }
}

double distance_of(const double* a, const double* b, std::size_t columns, RowDistance distance) {
  double sum = 0.0;
  double squares_a = 0.0;
  double squares_b = 0.0;
  for (std::size_t c = 0; c < columns; ++c) {
    const double d = a[c] - b[c];
    switch (distance) {
      case RowDistance::kEuclidean:
        sum += d * d;
        break;
      case RowDistance::kManhattan:
        sum += std::abs(d);
        break;
      case RowDistance::kChiSquare:
        if (a[c] + b[c] > 0.0) sum += d * d / (a[c] + b[c]);
        break;
      case RowDistance::kCosine:
        sum += a[c] * b[c];
        squares_a += a[c] * a[c];
        squares_b += b[c] * b[c];
        break;
    }
  }
  if (distance == RowDistance::kEuclidean) return std::sqrt(sum);
  if (distance == RowDistance::kCosine) return 1.0 - sum / std::sqrt(squares_a * squares_b);
  return sum;
}

}  // namespace

Rows rows_of(const LeafMoments& moments, int order, LeafValues values) {
  Rows rows;
  const std::size_t all = moments.indices.size();
  for (std::size_t i = 0; i < moments.leaves(); ++i) {
    const std::complex<double>* leaf = moments.values.data() + i * all;
    for (std::size_t c = 0; c < all && moments.indices[c].n <= order; ++c) {
      add_values(moments.indices[c], leaf[c], std::abs(leaf[0]), values, rows.values);
    }
  }
  rows.columns = rows.values.size() / moments.leaves();
  return rows;
}

namespace {

struct ColumnSpread {
  double mean = 0.0;
  double variance = 0.0;
  double low = 0.0;
  double high = 0.0;
};

ColumnSpread spread_of_column(const Rows& rows, std::size_t column) {
  const std::size_t count = rows.values.size() / rows.columns;
  double sum = 0.0;
  double squares = 0.0;
  ColumnSpread spread{0.0, 0.0, rows.values[column], rows.values[column]};
  for (std::size_t i = 0; i < count; ++i) {
    const double value = rows.values[i * rows.columns + column];
    sum += value;
    squares += value * value;
    spread.low = std::min(spread.low, value);
    spread.high = std::max(spread.high, value);
  }
  spread.mean = sum / static_cast<double>(count);
  spread.variance = std::max(0.0, squares / static_cast<double>(count) - spread.mean * spread.mean);
  return spread;
}

}  // namespace

void scale_over_all(Rows& rows, RowScaling scaling) {
  if (scaling == RowScaling::kNone) return;
  const std::size_t count = rows.values.size() / rows.columns;
  for (std::size_t c = 0; c < rows.columns; ++c) {
    const ColumnSpread spread = spread_of_column(rows, c);
    const bool standardised = scaling == RowScaling::kStandardised;
    const double offset = standardised ? spread.mean : spread.low;
    const double width = standardised ? std::sqrt(spread.variance) : spread.high - spread.low;
    for (std::size_t i = 0; i < count; ++i) {
      double& value = rows.values[i * rows.columns + c];
      value = spread.high > spread.low ? (value - offset) / width : 0.0;
    }
  }
}

Rows of_largest_variance(const Rows& rows, std::size_t count) {
  std::vector<std::pair<double, std::size_t>> by_variance;
  for (std::size_t c = 0; c < rows.columns; ++c) {
    by_variance.emplace_back(-spread_of_column(rows, c).variance, c);
  }
  std::sort(by_variance.begin(), by_variance.end());
  by_variance.resize(std::min(count, by_variance.size()));
  std::vector<std::size_t> columns;
  for (const auto& [variance, column] : by_variance) columns.push_back(column);
  std::sort(columns.begin(), columns.end());
  Rows chosen;
  chosen.columns = columns.size();
  for (std::size_t i = 0; i < rows.values.size() / rows.columns; ++i) {
    for (const std::size_t column : columns) chosen.values.push_back(rows.row(i)[column]);
  }
  return chosen;
}

NeighbourOrder::NeighbourOrder(const Rows& rows, RowDistance distance, bool itself)
    : leaves_(rows.values.size() / rows.columns), lists_(leaves_ * leaves_) {
  parallel_for(leaves_, [&](std::size_t i) {
    Near* list = lists_.data() + i * leaves_;
    for (std::size_t j = 0; j < leaves_; ++j) {
      list[j] = {static_cast<std::uint32_t>(j),
                 static_cast<float>(distance_of(rows.row(i), rows.row(j), rows.columns, distance))};
    }
    if (itself) list[i].distance = -1.0F;
    std::sort(list, list + leaves_, [](const Near& a, const Near& b) {
      return a.distance != b.distance ? a.distance < b.distance : a.leaf < b.leaf;
    });
  });
}

double NeighbourOrder::accuracy(const Split& split, const std::vector<int>& labels, int k,
                                std::size_t named) const {
  std::vector<char> learnt(leaves_, 0);
  for (const std::size_t leaf : split.train) learnt[leaf] = 1;
  std::size_t right = 0;
  struct Votes {
    int label;
    int votes;
    double distance;
  };
  std::vector<Votes> votes;
  for (const std::size_t leaf : split.test) {
    votes.clear();
    int taken = 0;
    const Near* list = lists_.data() + leaf * leaves_;
    for (std::size_t j = 0; j < leaves_ && taken < k; ++j) {
      if (learnt[list[j].leaf] == 0) continue;
      ++taken;
      const int label = labels[list[j].leaf];
      auto vote = std::ranges::find(votes, label, &Votes::label);
      if (vote == votes.end()) vote = votes.insert(vote, {label, 0, 0.0});
      ++vote->votes;
      vote->distance += static_cast<double>(list[j].distance);
    }
    const auto own = std::ranges::find(votes, labels[leaf], &Votes::label);
    if (own == votes.end()) continue;
    const auto better = std::ranges::count_if(votes, [&](const Votes& other) {
      return other.votes != own->votes ? other.votes > own->votes : other.distance < own->distance;
    });
    if (static_cast<std::size_t>(better) < named) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(split.test.size());
}

std::vector<Split> random_splits(const std::vector<int>& labels, std::size_t test,
                                 std::size_t count, std::uint64_t seed) {
  std::vector<Split> splits(count);
  const RowsByClass classes = rows_by_class(labels);
  parallel_for(count, [&](std::size_t s) {
    std::mt19937_64 generator = generator_for(seed, static_cast<int>(s));
    for (const auto& [label, members] : classes) {
      std::vector<std::size_t> rows = members;
      shuffle_rows(rows, generator);
      const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(test);
      splits[s].test.insert(splits[s].test.end(), rows.begin(), middle);
      splits[s].train.insert(splits[s].train.end(), middle, rows.end());
    }
    sort_split(splits[s]);
  });
  return splits;
}

}  // namespace leafglyph
