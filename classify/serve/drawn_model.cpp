#include "classify/serve/drawn_model.h"

#include <array>
#include <utility>

#include "classify/leaf/leaf_training.h"
#include "classify/serve/page_files.h"
#include "datasets/leaf/synthetic_leaves.h"

namespace leafglyph {
namespace {

constexpr int kFirst = 23;  // "oak, round lobes"
constexpr std::uint64_t kSeed = 2;

SyntheticSpec drawn_species() {
  return {kDrawnSpecies, kDrawnLeaves, kSeed, DrawnColours::kDaylight, kFirst};
}

constexpr std::array<const char*, kDrawnSpecies> kChineseNames = {
    "栎（圆裂片）", "栎（尖裂片）", "蒲公英", "槭（三裂）",
    "槭（五裂）",   "槭（七裂）",   "大麻",   "银杏"};

}  // namespace

LeafModel drawn_model(const LeafRun& run) {
  LeafConfig config = parse_leaf_config(serve_training_config(), "leaf.yaml");
  config.data = DataSpec{};
  config.data.source = DataSource::kGenerated;
  config.data.generated = drawn_species();
  config.features.colour = FeatureColour::kNone;  // grey photographs are answered, too
  LeafModel model = train_leaves(config, run, Forecast::kNever).model;
  model.chinese_names.assign(kChineseNames.begin(), kChineseNames.end());
  return model;
}

Photograph drawn_leaf(int species, int leaf) {
  const SyntheticSpec spec = drawn_species();
  return draw_synthetic_leaf(spec.first + species, leaf, spec.seed, spec.colours);
}

}  // namespace leafglyph
