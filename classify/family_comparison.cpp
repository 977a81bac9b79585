#include "classify/family_comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>

#include "features/bessel.h"
#include "features/disk_grid.h"
#include "features/errors.h"
#include "features/image_quality.h"

namespace leafglyph {
namespace {

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

constexpr std::size_t kNearest = 10;

// Weights that make distances of moments those of the images' projections.
std::vector<float> orthonormal_weights(Family family, std::span<const MomentIndex> indices) {
  std::vector<float> weights;
  for (const auto& [n, m] : indices) {
    double square = 1.0;
    if (family == Family::kBesselFourier) {
      square = 1.0 / bessel_fourier_norm(bessel_j1_zeros(n).back());
    } else if (is_circular(family)) {
      square = std::numbers::pi / (n + 1);
    }
    const double signs = is_circular(family) && m > 0 ? 2.0 : 1.0;
    weights.push_back(static_cast<float>(std::sqrt(signs * square)));
  }
  return weights;
}

// The glyphs in the middle of squares whose inscribed circle holds them.
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

// Rows of weighted real and imaginary parts, column pairs in storage order.
std::vector<float> glyph_rows(const GlyphImages& glyphs, const MomentSpec& spec,
                              const EngineOptions& options, std::size_t& columns) {
  auto engine = make_moment_engine(spec, glyphs.size, options);
  std::vector<std::complex<double>> moments(glyphs.count() * engine->moment_count());
  engine->moments(
      ImageBatch(std::span<const unsigned char>(glyphs.ink), glyphs.count(), glyphs.size), moments);
  const auto weights = orthonormal_weights(spec.family, engine->indices());
  columns = 2 * engine->moment_count();
  std::vector<float> rows;
  rows.reserve(glyphs.count() * columns);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    const float weight = weights[i % weights.size()];
    rows.push_back(weight * static_cast<float>(moments[i].real()));
    rows.push_back(weight * static_cast<float>(moments[i].imag()));
  }
  return rows;
}

// Whether fewer than kNearest other rows are nearer to row `query` than row `partner` in the first
// `columns` of `stride`.
bool is_near(std::span<const float> rows, std::size_t stride, std::size_t columns,
             std::size_t query, std::size_t partner) {
  const auto distance = [&](std::size_t row) {
    float sum = 0.0F;
    for (std::size_t c = 0; c < columns; ++c) {
      const float difference = rows[query * stride + c] - rows[row * stride + c];
      sum += difference * difference;
    }
    return sum;
  };
  const float limit = distance(partner);
  std::size_t nearer = 0;
  for (std::size_t row = 0; row < rows.size() / stride; ++row) {
    nearer += row != query && row != partner && distance(row) < limit;
  }
  return nearer < kNearest;
}

// Row numbers of the pairs whose characters were drawn.
std::vector<std::pair<std::size_t, std::size_t>> pair_rows(std::span<const ListedPair> pairs,
                                                           const std::u32string& characters) {
  std::vector<std::pair<std::size_t, std::size_t>> rows;
  for (const ListedPair& pair : pairs) {
    const std::size_t first = characters.find(pair.first);
    const std::size_t second = characters.find(pair.second);
    if (first == std::u32string::npos || second == std::u32string::npos) {
      throw InputError("line " + std::to_string(pair.line) +
                       " of the look-alikes names a character that is not compared");
    }
    rows.emplace_back(first, second);
  }
  if (rows.empty()) throw InputError("there are no pairs of look-alikes to look for");
  return rows;
}

}  // namespace

std::size_t independent_count(Family family, int order) {
  std::size_t count = 0;
  for (const MomentIndex& index : moment_indices(family, order)) {
    count += is_circular(family) && index.m > 0 ? 2 : 1;
  }
  return count;
}

int order_for_count(Family family, std::size_t count) {
  int order = family == Family::kBesselFourier ? 1 : 0;
  while (independent_count(family, order + 1) <= count) ++order;
  return order;
}

MomentSpec comparison_spec(Family family, int order) {
  MomentSpec spec;
  spec.family = family;
  spec.order = order;
  const bool exact = family == Family::kZernike || family == Family::kLegendre;
  spec.method = exact ? Method::kExact : Method::kAdaptive;
  return spec;
}

std::vector<FamilyPoint> compare_reconstructions(std::span<const double> image, int size,
                                                 std::span<const Family> families,
                                                 std::span<const std::size_t> counts,
                                                 const EngineOptions& options) {
  if (counts.empty()) throw UsageError("there is no number of moments to compare at");
  const Image<unsigned char> mask = DiskGrid(size, Method::kExact, 1).mask();
  std::vector<FamilyPoint> points;
  for (const std::size_t count : counts) {
    for (const Family family : families) {
      FamilyPoint point;
      point.family = family;
      point.order = order_for_count(family, count);
      point.moments = independent_count(family, point.order);
      const MomentSpec spec = comparison_spec(family, point.order);
      auto engine = make_moment_engine(spec, size, options);
      auto reconstructor = make_reconstructor(spec, size, options);
      std::vector<std::complex<double>> moments(engine->moment_count());
      std::vector<double> back(image.size());
      point.compute_seconds =
          seconds_of([&] { engine->moments(ImageBatch(image, 1, size), moments); });
      point.image_seconds = seconds_of([&] {
        reconstructor->reconstruct(moments, {0, point.order, Repetitions::kAll}, back);
      });
      point.psnr = image_error(image, back, mask).psnr_disk;
      points.push_back(point);
    }
  }
  return points;
}

void add_leaf_accuracy(const LeafConfig& config, const LeafRun& run,
                       std::span<FamilyPoint> points) {
  std::map<Family, std::vector<int>> orders;
  for (const FamilyPoint& point : points) orders[point.family].push_back(point.order);
  for (const auto& [family, family_orders] : orders) {
    LeafConfig changed = config;
    changed.features.family = family;
    changed.features.order = *std::max_element(family_orders.begin(), family_orders.end());
    const LeafSweep sweep = sweep_leaves(changed, family_orders, run);
    for (FamilyPoint& point : points) {
      for (const SweepPoint& measured : sweep.points) {
        if (point.family == family && point.order == measured.order) {
          point.leaf_accuracy = measured.top1.mean;
        }
      }
    }
  }
}

void add_lookalike_recall(const GlyphSelection& selection, std::span<const ListedPair> pairs,
                          const EngineOptions& options, std::span<FamilyPoint> points) {
  const SelectedCharacters selected = select_characters(selection);
  const GlyphImages drawn = draw_glyphs(selection.fonts.front(), selected.characters);
  const GlyphImages padded = inside_circle(drawn);
  const auto numbered = pair_rows(pairs, drawn.characters);
  std::map<Family, int> highest;
  for (const FamilyPoint& point : points) {
    int& order = highest[point.family];
    order = std::max(order, point.order);
  }
  for (const auto& [family, order] : highest) {
    std::size_t stride = 0;
    const MomentSpec spec{family, order,
                          family == Family::kLegendre ? Method::kExact : Method::kSubregion};
    const auto rows = glyph_rows(is_circular(family) ? padded : drawn, spec, options, stride);
    for (FamilyPoint& point : points) {
      if (point.family != family) continue;
      const std::size_t columns = 2 * moment_count(family, point.order);
      std::size_t found = 0;
#pragma omp parallel for reduction(+ : found) schedule(dynamic)
      for (std::size_t p = 0; p < numbered.size(); ++p) {
        const auto [first, second] = numbered[p];
        found += is_near(rows, stride, columns, first, second);
        found += is_near(rows, stride, columns, second, first);
      }
      point.recall = static_cast<double>(found) / static_cast<double>(2 * numbered.size());
    }
  }
}

}  // namespace leafglyph
