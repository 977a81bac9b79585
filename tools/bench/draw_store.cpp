// Draws a feature store of any size from the model of the prior of drawn leaves, to measure what
// training costs: species and leaves as Plda assumes them, not leaves of plants.
// Usage: draw_store STORE SPECIES LEAVES_OF_EACH NEW_STORE [FIRST]
// STORE gives the settings: a feature store of leaves with the columns of leaf.yaml, or of rows
// projected onto directions of a model. FIRST is the number of the first species, 0.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/row_prior.h"
#include "classify/classifier/row_projection.h"
#include "classify/leaf/leaf_prior.h"
#include "classify/store/feature_store.h"
#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr std::size_t kBlock = 4096;

/// Normal numbers, the same on every machine (Box and Muller, 1958).
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : generator_(seed) {}
  double operator()() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }
  std::mt19937_64 generator_;
};

// Adds a random row whose covariance is factors^T factors.
void add_drawn(std::span<const double> factors, Normal& normal, std::span<double> row) {
  for (std::size_t first = 0; first < factors.size(); first += row.size()) {
    const double weight = normal();
    for (std::size_t c = 0; c < row.size(); ++c) row[c] += weight * factors[first + c];
  }
}

// The feature whose value in the prior's units is `unit`.
float feature(const RowPrior& prior, const ColumnScales& units, std::span<const ColumnKind> kinds,
              std::size_t c, double unit) {
  if (units.scale[c] == 0) return static_cast<float>(prior.mean[c]);
  const double value = unit / units.scale[c] + units.offset[c];
  const bool is_moment = kinds[c] == ColumnKind::kMoments;
  return static_cast<float>(is_moment ? std::max(0.0, std::exp(value) - prior.log_floor) : value);
}

/// How the mean of a species is drawn, and the row of a leaf with that mean.
struct Drawing {
  std::function<std::vector<double>(Normal&)> mean;
  std::function<std::vector<float>(Normal&, std::span<const double>)> row;
};

Drawing all_columns(const LeafConfig& config, const FeatureLayout& layout) {
  const std::shared_ptr<const RowPrior> prior = leaf_prior(config, layout, {});
  const ColumnScales units = scales_of(*prior, {.measures = 1, .curvature = 1});
  const ScatterPrior scatter = scatter_in(units, *prior);
  const std::vector<ColumnKind> kinds = layout.kinds();
  return {[scatter](Normal& normal) {
            std::vector<double> mean(scatter.columns);
            add_drawn(scatter.between, normal, mean);
            return mean;
          },
          [prior, units, scatter, kinds](Normal& normal, std::span<const double> mean) {
            std::vector<double> row(mean.begin(), mean.end());
            add_drawn(scatter.within, normal, row);
            std::vector<float> values;
            for (std::size_t c = 0; c < row.size(); ++c) {
              const double unit = row[c] + std::sqrt(scatter.remainder[c]) * normal();
              values.push_back(feature(*prior, units, kinds, c, unit));
            }
            return values;
          }};
}

// In each direction the share beta of the variance lies between species; rows are weighted by its
// root and have the length 1 (RowProjection).
Drawing directions(const RowProjection& projection) {
  std::vector<double> beta;
  for (const double b : projection.spread()) beta.push_back(b / (1 + b));
  return {[beta](Normal& normal) {
            std::vector<double> mean;
            mean.reserve(beta.size());
            for (const double share : beta) mean.push_back(std::sqrt(share) * normal());
            return mean;
          },
          [beta](Normal& normal, std::span<const double> mean) {
            std::vector<float> row;
            double square = 0;
            for (std::size_t k = 0; k < beta.size(); ++k) {
              const double x = mean[k] + std::sqrt(1 - beta[k]) * normal();
              row.push_back(static_cast<float>(std::sqrt(beta[k]) * x));
              square += static_cast<double>(row.back()) * row.back();
            }
            for (float& value : row) value = static_cast<float>(value / std::sqrt(square));
            return row;
          }};
}

Drawing drawing_like(const FeatureStore& like) {
  const std::filesystem::path file = like.folder() / kStore.facts;
  const LeafConfig config = parse_leaf_config(like.header().settings, file.string());
  const FeatureLayout layout = feature_layout(config.features, config.features.order);
  if (like.header().projection.empty()) return all_columns(config, layout);
  return directions(RowProjection(like.header().projection, layout, file.string()));
}

void draw(const std::filesystem::path& like, std::size_t species, std::size_t leaves,
          const std::filesystem::path& folder, std::size_t first) {
  const FeatureStore settings = FeatureStore::open(like);
  const Drawing drawing = drawing_like(settings);
  StoreHeader header = settings.header();
  header.block = kBlock;
  header.inputs = species * leaves;
  header.list_sha256 = sha256(fmt::format("drawn {} {} {}", species, leaves, first));
  header.classes.clear();
  for (std::size_t s = 0; s < species; ++s) {
    header.classes.push_back(fmt::format("species {:05}", first + s));
  }
  header.scientific_names.assign(species, "");
  header.chinese_names.assign(species, "");
  const FeatureStore store = FeatureStore::begin(folder, header);
  parallel_for(header.blocks(), [&](std::size_t b) {
    StoreBlock block;
    std::size_t current = species;
    std::vector<double> mean;
    for (std::size_t i = b * kBlock; i < b * kBlock + header.inputs_of(b); ++i) {
      if (i / leaves != current) {
        current = i / leaves;
        Normal normal(first + current);
        mean = drawing.mean(normal);
      }
      Normal normal(first + species + i);
      const std::vector<float> row = drawing.row(normal, mean);
      block.values.insert(block.values.end(), row.begin(), row.end());
      const std::string name = fmt::format("{}/{:05}.png", header.classes[current], i % leaves);
      StoreRow& row_of_leaf = block.rows.emplace_back();
      row_of_leaf.image = i;
      row_of_leaf.path = name;
      row_of_leaf.label = header.classes[current];
      row_of_leaf.file = {0, sha256(name)};
    }
    store.write_block(b, block);
  });
}

std::size_t number(const std::string& text) {
  const std::size_t value = number_in<std::size_t>(text).value_or(0);
  if (value == 0) throw UsageError("'" + text + "' is not a number above 0");
  return value;
}

}  // namespace
}  // namespace leafglyph

int main(int argc, char** argv) {
  using namespace leafglyph;
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() != 4 && words.size() != 5) {
      throw UsageError("draw_store STORE SPECIES LEAVES_OF_EACH NEW_STORE [FIRST]");
    }
    draw(words[0], number(words[1]), number(words[2]), words[3],
         words.size() == 5 ? number(words[4]) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "draw_store: %s\n", error.what());
    return 1;
  }
  return 0;
}
