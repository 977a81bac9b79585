#include <string_view>
#include <utility>

#include "classify/extraction/recipe.h"
#include "classify/leaf/colour_choice.h"
#include "features/base/input_file.h"
#include "features/leaf/preprocess.h"

namespace leafglyph {
namespace {

// Leaves that one thread makes the rows of at once: enough for a matrix product to pay, few enough
// for every thread to have its own.
constexpr std::size_t kLeavesABatch = 16;

struct LeafImage : PreparedImage {
  explicit LeafImage(PreparedLeaf prepared) : leaf(std::move(prepared)) {}
  PreparedLeaf leaf;
};

class LeafRowMaker : public RowMaker {
 public:
  LeafRowMaker(const LeafConfig& config, const PlanOptions& options)
      : extractor_(config, config.features.order, run_of(options)) {}

  std::vector<float> rows(std::span<const PreparedImage* const> images,
                          std::span<std::vector<std::string>> warnings, StageLoad& load) override {
    std::vector<const PreparedLeaf*> leaves;
    for (const PreparedImage* image : images) {
      leaves.push_back(&static_cast<const LeafImage*>(image)->leaf);
    }
    const double channels = extractor_.channel_seconds(), moments = extractor_.moment_seconds();
    std::vector<LeafWarning> told;
    std::vector<float> rows = extractor_.rows(leaves, told);
    for (LeafWarning& warning : told) warnings[warning.leaf].push_back(std::move(warning.text));
    load.add(Stage::kChannels, duration(extractor_.channel_seconds() - channels));
    load.add(Stage::kMoments, duration(extractor_.moment_seconds() - moments));
    return rows;
  }

 private:
  static LeafRun run_of(const PlanOptions& options) {
    LeafRun run;
    run.engine = options;
    return run;
  }
  static StageLoad::Clock::duration duration(double seconds) {
    return std::chrono::duration_cast<StageLoad::Clock::duration>(
        std::chrono::duration<double>(seconds));
  }

  LeafFeatureExtractor extractor_;
};

class LeafRecipe : public Recipe {
 public:
  LeafRecipe(const LeafConfig& config, double source_aspect)
      : config_(without_choice(config)), preparation_(preparation_for(config_, source_aspect)) {
    config_.data.source_aspect = source_aspect;
    validate(preparation_);
  }

  StoreHeader header() const override {
    StoreHeader header;
    header.kind = "leaf";
    header.settings = to_yaml(config_);
    header.convention = convention_name(config_.features.family);
    header.columns = column_names(feature_layout(config_.features, config_.features.order));
    return header;
  }

  std::size_t batch() const override { return kLeavesABatch; }

  std::unique_ptr<PreparedImage> prepare(const std::string& path, FileDigest& digest,
                                         StageLoad& load) const override {
    const std::string bytes = load.time(Stage::kRead, [&] { return read_file(path); });
    digest = {bytes.size(), load.time(Stage::kRead, [&] { return sha256(bytes); })};
    MemoryTurn memory;
    const Photograph photograph = load.time(Stage::kDecode, [&] {
      return read_photograph(bytes, path, request_of(preparation_, memory));
    });
    return load.time(Stage::kPrepare, [&] {
      return std::make_unique<LeafImage>(prepare_leaf(photograph, path, preparation_));
    });
  }

  std::unique_ptr<RowMaker> make_row_maker(const PlanOptions& options) const override {
    return std::make_unique<LeafRowMaker>(config_, options);
  }

 private:
  LeafConfig config_;
  PrepareSpec preparation_;
};

}  // namespace

std::unique_ptr<Recipe> make_leaf_recipe(const LeafConfig& config, double source_aspect) {
  return std::make_unique<LeafRecipe>(config, source_aspect);
}

}  // namespace leafglyph
