#include "features/distance/edge_kernels.h"

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/distance/edge_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

constexpr int kSide = static_cast<int>(kEdgeSide);
constexpr int kPlaces = static_cast<int>(kEdgePlaces);
constexpr int kFirst = 1, kStep = 3;  // rows and columns of the places
// Neighbourhoods of a stroke and what is beside it, which may move by a fifth of the picture: of
// the values that were tried, those that find most listed pairs without a shared part
// (characters.md).
constexpr int kReach = 4;  // pixels on either side of its place
constexpr double kSpread = 1.8;
constexpr int kMove = 5;
constexpr int kWide = 32;  // of a row of differences: at most kSide + kMove, in whole vectors
constexpr int kLeft = 8, kRow = kLeft + kWide;  // of a padded row
constexpr int kRows = kSide + 2 * kMove;

using Padded = std::array<float, kEdgeDirections * kRows * kRow>;
using Differences = std::array<std::array<float, kWide>, kSide + kMove>;

// Weights of the pixels of a row (first index) in the neighbourhoods of its places.
struct Weights {
  std::array<float, 2 * kReach + 1> tap{};
  std::array<std::array<float, kPlaces>, kSide> of_column{};

  Weights() {
    double sum = 0.0;
    for (int k = -kReach; k <= kReach; ++k) sum += std::exp(-k * k / (2 * kSpread * kSpread));
    for (int k = -kReach; k <= kReach; ++k) {
      tap[k + kReach] = static_cast<float>(std::exp(-k * k / (2 * kSpread * kSpread)) / sum);
    }
    for (int place = 0; place < kPlaces; ++place) {
      for (int k = -kReach; k <= kReach; ++k) {
        const int column = kFirst + kStep * place + k;
        if (column >= 0 && column < kSide) of_column[column][place] = tap[k + kReach];
      }
    }
  }
};

const Weights& weights() {
  static const Weights made;
  return made;
}

void pad(const float* edges, Padded& padded) {
  padded.fill(0.0F);
  for (int direction = 0; direction < static_cast<int>(kEdgeDirections); ++direction) {
    for (int row = 0; row < kSide; ++row) {
      std::copy_n(edges + (direction * kSide + row) * kSide, kSide,
                  padded.data() + (direction * kRows + row + kMove) * kRow + kLeft);
    }
  }
}

// Squared differences of row `row` of a from row `row` + down of b moved by `across`, from column
// `column` on.
void compare_row(const Padded& a, const Padded& b, int row, int down, int column, int across,
                 float* __restrict out) {
  std::fill_n(out, kWide, 0.0F);
  for (int direction = 0; direction < static_cast<int>(kEdgeDirections); ++direction) {
    const float* x = a.data() + (direction * kRows + row + kMove) * kRow + kLeft + column;
    const float* y =
        b.data() + (direction * kRows + row + down + kMove) * kRow + kLeft + column + across;
#pragma omp simd
    for (int i = 0; i < kWide; ++i) out[i] += (x[i] - y[i]) * (x[i] - y[i]);
  }
}

// least[p] becomes the sum around place p of the map whose row j begins at rows(j), if it is less.
template <class Rows>
void keep_least(const Rows& rows, float* __restrict least) {
  const Weights& w = weights();
  for (int place = 0; place < kPlaces; ++place) {
    std::array<float, kSide> sums{};
    for (int k = -kReach; k <= kReach; ++k) {
      const int row = kFirst + kStep * place + k;
      if (row < 0 || row >= kSide) continue;
      const float* values = rows(row);
      const float tap = w.tap[k + kReach];
#pragma omp simd
      for (int i = 0; i < kSide; ++i) sums[i] += tap * values[i];
    }
    std::array<float, kPlaces> across{};
    for (int i = 0; i < kSide; ++i) {
#pragma omp simd
      for (int p = 0; p < kPlaces; ++p) across[p] += sums[i] * w.of_column[i][p];
    }
    for (int p = 0; p < kPlaces; ++p) {
      least[place * kPlaces + p] = std::min(least[place * kPlaces + p], across[p]);
    }
  }
}

void amounts(const float* edges, float* amounts) {
  std::array<float, kEdgeSide * kEdgeSide> squares{};
  for (std::size_t direction = 0; direction < kEdgeDirections; ++direction) {
    const float* own = edges + direction * kEdgeSide * kEdgeSide;
    for (std::size_t i = 0; i < squares.size(); ++i) squares[i] += own[i] * own[i];
  }
  std::fill_n(amounts, kEdgeNeighbourhoods, HUGE_VALF);
  keep_least([&](int row) { return squares.data() + row * kSide; }, amounts);
}

void differences(const float* a, const float* b, float* forth, float* back) {
  thread_local Padded first, second;
  pad(a, first);
  pad(b, second);
  std::fill_n(forth, kEdgeNeighbourhoods, HUGE_VALF);
  std::fill_n(back, kEdgeNeighbourhoods, HUGE_VALF);
  Differences map;
  for (int down = -kMove; down <= kMove; ++down) {
    for (int across = -kMove; across <= kMove; ++across) {
      if (down * down + across * across > kMove * kMove) continue;
      // The rows and columns of a that are in one of the squares.
      const int top = std::min(0, -down), left = std::min(0, -across);
      for (int j = 0; j < kSide + std::abs(down); ++j) {
        compare_row(first, second, top + j, down, left, across, map[j].data());
      }
      keep_least([&](int row) { return map[row - top].data() - left; }, forth);
      keep_least([&](int row) { return map[row - down - top].data() - across - left; }, back);
    }
  }
}

constexpr EdgeKernels kTable = {amounts, differences};

const EdgeKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(EdgeKernels, edge_kernels)

}  // namespace leafglyph
#endif
