// The share of look-alike characters that each family finds.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include "classify/families/family_comparison.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kNearest = 10;

// Weights of moments on the disk: sqrt(2 / norm) for m > 0, sqrt(1 / norm) for m = 0. Distances of
// weighted moments equal those of the images' projections.
std::vector<double> orthonormal_weights(Family family, std::span<const MomentIndex> indices) {
  int highest = 0;
  for (const MomentIndex& index : indices) highest = std::max(highest, std::abs(index.n));
  const std::vector<double> norms = family.row().norms(highest);
  std::vector<double> weights;
  for (const auto& [n, m] : indices) {
    const double signs = m > 0 ? 2.0 : 1.0;
    weights.push_back(std::sqrt(signs / norms[static_cast<std::size_t>(std::abs(n))]));
  }
  return weights;
}

// The glyphs centred in squares whose inscribed circle contains them.
GlyphImages inside_circle(const GlyphImages& glyphs) {
  GlyphImages padded{glyphs.characters, 0, {}};
  const int size = glyphs.size;
  const int side = static_cast<int>(std::ceil(std::numbers::sqrt2 * size));
  padded.size = side + (side - size) % 2;  // the same margin on both sides
  padded.ink.resize(glyphs.count() * padded.pixels_per_glyph());
  const int margin = (padded.size - size) / 2;
  for (std::size_t c = 0; c < glyphs.count(); ++c) {
    for (int j = 0; j < size; ++j) {
      const auto* from = glyphs.ink.data() + c * glyphs.pixels_per_glyph() +
                         static_cast<std::size_t>(j) * static_cast<std::size_t>(size);
      auto* to = padded.ink.data() + c * padded.pixels_per_glyph() +
                 static_cast<std::size_t>(margin + j) * static_cast<std::size_t>(padded.size) +
                 static_cast<std::size_t>(margin);
      std::copy_n(from, size, to);
    }
  }
  return padded;
}

// One row of features per glyph. The features of a lower order are the first columns.
struct GlyphRows {
  std::size_t columns = 0;
  std::vector<float> values;
};

// On the disk: weighted real and imaginary parts, as pairs of columns in storage order. On the
// square: the moments as they are, because the polynomials are orthonormal.
GlyphRows rows_of(const GlyphImages& glyphs, const WeightedFamily& family, int order,
                  const PlanOptions& options) {
  MomentSpec spec = comparison_spec(family, order);
  const bool circular = is_circular(family.family);
  if (circular) spec.method = Method::kSubregion;
  const auto engine = make_moment_plan(spec, glyphs.size, options);
  std::vector<std::complex<double>> moments(glyphs.count() * engine->moment_count());
  engine->moments(
      ImageBatch(std::span<const unsigned char>(glyphs.ink), glyphs.count(), glyphs.size), moments);
  GlyphRows rows{(circular ? 2 : 1) * engine->moment_count(), {}};
  rows.values.reserve(glyphs.count() * rows.columns);
  const std::vector<double> weights = circular
                                          ? orthonormal_weights(family.family, engine->indices())
                                          : std::vector<double>(engine->moment_count(), 1.0);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const double weight = weights[i % weights.size()];
    rows.values.push_back(static_cast<float>(weight * moments[i].real()));
    if (circular) rows.values.push_back(static_cast<float>(weight * moments[i].imag()));
  }
  return rows;
}

std::size_t columns_to_order(Family family, int order) {
  return (is_circular(family) ? 2 : 1) * moment_count(family, order);
}

// Whether fewer than kNearest other rows are closer to row `query` than row `partner` is, in the
// first `columns`.
bool is_near(const GlyphRows& rows, std::size_t columns, std::size_t query, std::size_t partner) {
  const auto distance = [&](std::size_t row) {
    float sum = 0.0F;
    for (std::size_t c = 0; c < columns; ++c) {
      const float difference =
          rows.values[query * rows.columns + c] - rows.values[row * rows.columns + c];
      sum += difference * difference;
    }
    return sum;
  };
  const float limit = distance(partner);
  std::size_t nearer = 0;
  for (std::size_t row = 0; row < rows.values.size() / rows.columns; ++row) {
    nearer += row != query && row != partner && distance(row) < limit;
  }
  return nearer < kNearest;
}

// Row numbers of the pairs' characters. Throws InputError for a character that was not drawn, and
// when there are no pairs.
std::vector<std::pair<std::size_t, std::size_t>> pair_rows(std::span<const ListedPair> pairs,
                                                           const std::u32string& characters) {
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (const ListedPair& pair : pairs) {
    const std::size_t first = characters.find(pair.first);
    const std::size_t second = characters.find(pair.second);
    if (first == std::u32string::npos || second == std::u32string::npos) {
      throw InputError(fmt::format(
          "line {} of the look-alikes names a character that is not compared", pair.line));
    }
    rows.emplace_back(first, second);
  }
  if (rows.empty()) throw InputError("there are no pairs of look-alikes to look for");
  return rows;
}

// The share of pairs, counted in both directions, whose partner is among the ten nearest.
double recall_of(const GlyphRows& rows, std::size_t columns,
                 std::span<const std::pair<std::size_t, std::size_t>> pairs) {
  std::atomic<std::size_t> found = 0;
  parallel_for(pairs.size(), [&](std::size_t p) {
    const auto [first, second] = pairs[p];
    found += is_near(rows, columns, first, second);
    found += is_near(rows, columns, second, first);
  });
  return static_cast<double>(found) / static_cast<double>(2 * pairs.size());
}

}  // namespace

void add_lookalike_recall(const GlyphSelection& selection, std::span<const ListedPair> pairs,
                          const PlanOptions& options, std::span<FamilyPoint> points) {
  const std::vector<GlyphSource> fonts = open_fonts(selection.fonts);
  const SelectedCharacters selected = select_characters(selection, fonts);
  const GlyphImages drawn = draw_glyphs(fonts.front(), selected.characters);
  const GlyphImages padded = inside_circle(drawn);
  const auto numbered = pair_rows(pairs, drawn.characters);
  std::map<std::string, std::vector<FamilyPoint*>> families;
  for (FamilyPoint& point : points) families[point.family.name].push_back(&point);
  for (const auto& [name, of_family] : families) {
    throw_if_interrupted();
    const ComparedFamily& family = of_family.front()->family;
    int order = 0;
    for (const FamilyPoint* point : of_family) order = std::max(order, point->order);
    const GlyphRows rows =
        rows_of(is_circular(family.family()) ? padded : drawn, family.kind, order, options);
    for (FamilyPoint* point : of_family) {
      point->recall = recall_of(rows, columns_to_order(family.family(), point->order), numbered);
    }
  }
}

}  // namespace leafglyph
