// The edges of glyphs and how far two of them differ.
#include "classify/glyph/glyph_edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "features/distance/edge_kernels.h"

namespace leafglyph {
namespace {

constexpr int kSide = static_cast<int>(kEdgeSide);
constexpr int kPlaces = static_cast<int>(kEdgePlaces);

std::vector<std::uint8_t> bars(std::initializer_list<std::array<int, 4>> boxes, int size = 24) {
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(size) * size);
  for (const auto& [top, left, bottom, right] : boxes) {
    for (int j = top; j < bottom; ++j) {
      for (int i = left; i < right; ++i) ink[static_cast<std::size_t>(j) * size + i] = 255;
    }
  }
  return ink;
}

double value(const std::vector<float>& edges, int direction, int row, int column) {
  const bool inside = row >= 0 && row < kSide && column >= 0 && column < kSide;
  return inside ? edges[static_cast<std::size_t>((direction * kSide + row) * kSide + column)] : 0.0;
}

// The sum around a place of the squared differences of a from b moved, by its definition.
double around(const std::vector<float>& a, const std::vector<float>& b, int row, int column,
              int down, int across) {
  double whole = 0.0;
  for (int k = -4; k <= 4; ++k) whole += std::exp(-k * k / (2 * 1.8 * 1.8));
  double sum = 0.0;
  for (int j = std::max(0, row - 4); j <= std::min(kSide - 1, row + 4); ++j) {
    for (int i = std::max(0, column - 4); i <= std::min(kSide - 1, column + 4); ++i) {
      const double far = std::pow(j - row, 2) + std::pow(i - column, 2);
      double square = 0.0;
      for (int d = 0; d < static_cast<int>(kEdgeDirections); ++d) {
        square += std::pow(value(a, d, j, i) - value(b, d, j + down, i + across), 2);
      }
      sum += std::exp(-far / (2 * 1.8 * 1.8)) / (whole * whole) * square;
    }
  }
  return sum;
}

double least(const std::vector<float>& a, const std::vector<float>& b, int row, int column) {
  double found = HUGE_VAL;
  for (int down = -5; down <= 5; ++down) {
    for (int across = -5; across <= 5; ++across) {
      if (down * down + across * across > 25) continue;
      found = std::min(found, around(a, b, row, column, down, across));
    }
  }
  return found;
}

// oracle: the definitions, computed pixel by pixel, on random pictures.
TEST(EdgeKernels, AgreeWithTheDefinition) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> level(0.0F, 2.0F);
  std::vector<float> a(kEdgeValues), b(kEdgeValues);
  for (float& x : a) x = level(random);
  for (float& x : b) x = level(random);
  const std::vector<float> none(kEdgeValues);
  std::vector<float> amounts(kEdgeNeighbourhoods), forth(amounts), back(amounts);
  edge_kernels().amounts(a.data(), amounts.data());
  edge_kernels().differences(a.data(), b.data(), forth.data(), back.data());
  // Sums in float of 324 squares of at most 4, whose weights add up to 1: some 1e-6 of 10 apart.
  for (const int place : {0, 3, 7, 27, 36, 56, 63}) {
    const int row = 1 + 3 * (place / kPlaces), column = 1 + 3 * (place % kPlaces);
    EXPECT_NEAR(amounts[place], around(a, none, row, column, 0, 0), 1e-4) << place;
    EXPECT_NEAR(forth[place], least(a, b, row, column), 1e-4) << place;
    EXPECT_NEAR(back[place], least(b, a, row, column), 1e-4) << place;
  }
}

// invariant: 0 for equal glyphs, the same in both directions, at most 1, and 0 without ink.
TEST(GlyphEdges, DifferenceIsSymmetricAndZeroForEqualGlyphs) {
  const GlyphEdges bar = glyph_edges(bars({{4, 4, 7, 20}}), 24);
  const GlyphEdges post = glyph_edges(bars({{4, 4, 20, 7}}), 24);
  const GlyphEdges none = glyph_edges(bars({}), 24);
  EXPECT_EQ(edge_difference(bar, bar), 0.0);
  EXPECT_EQ(edge_difference(bar, post), edge_difference(post, bar));
  EXPECT_GT(edge_difference(bar, post), 0.3);
  EXPECT_LE(edge_difference(bar, post), 1.0);
  EXPECT_EQ(edge_difference(none, none), 0.0);
  EXPECT_GT(edge_difference(bar, none), 0.3);
}

// invariant: a stroke that moves by a few pixels stays like itself, one that turns does not. The
// size of the drawing does not matter.
TEST(GlyphEdges, StrokesMayMoveButNotTurn) {
  const GlyphEdges bar = glyph_edges(bars({{10, 4, 13, 20}}), 24);
  const GlyphEdges moved = glyph_edges(bars({{13, 4, 16, 20}}), 24);
  const GlyphEdges turned = glyph_edges(bars({{4, 10, 20, 13}}), 24);
  EXPECT_LT(edge_difference(bar, moved), 0.4 * edge_difference(bar, turned));
  const GlyphEdges large = glyph_edges(bars({{20, 8, 26, 40}}, 48), 48);
  EXPECT_LT(edge_difference(bar, large), 0.01);  // the borders of the bar fall on whole pixels
}

}  // namespace
}  // namespace leafglyph
