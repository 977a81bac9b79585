#include "classify/leaf/leaf_features.h"

#include <utility>

namespace leafglyph {
namespace {

// Divides the seconds of a pipeline among its stages in proportion to the time its threads spent in
// each.
std::vector<StageTime> stage_times(const StageLoad& load, double seconds) {
  double busy = 0;
  for (std::size_t s = 0; s < kStages; ++s) busy += load.seconds(static_cast<Stage>(s));
  std::vector<StageTime> times;
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    if (load.seconds(stage) == 0) continue;
    times.push_back({std::string(stage_name(stage)), seconds * load.seconds(stage) / busy});
  }
  return times;
}

void append(MadeRows<float> made, std::size_t sample, LeafFeatures& features) {
  if (!made.error.empty()) {
    features.errors.push_back(std::move(made.error));
    return;
  }
  const PreparedLeaf& leaf = leaf_of(*made.input.parts.front());
  features.samples.push_back(sample);
  features.measures.push_back(leaf.measures);
  features.edge_widths.push_back(leaf.edge_width);
  if (!leaf.from_colour) features.grey.push_back(sample);
  if (!leaf.is_clear) features.unclear.push_back(sample);
  for (std::string& warning : made.warnings.front()) {
    features.warnings.push_back({sample, std::move(warning)});
  }
  features.table.values.insert(features.table.values.end(), made.values.begin(), made.values.end());
}

}  // namespace

std::optional<gpu::GpuDevice> LeafRun::search_gpu() const {
  std::string reason;  // the moment engine reports it
  const std::vector<gpu::GpuDevice> gpus = select_gpus(engine.device, reason);
  return gpus.empty() ? std::nullopt : std::optional(gpus.front());
}

std::shared_ptr<const LeafRows> leaf_rows(const LeafConfig& config, int order) {
  return std::make_shared<LeafRows>(config.features, order, config.preparation.size);
}

LeafFeatures features_of(const LeafDataset& dataset, std::span<const std::size_t> samples,
                         const LeafConfig& config, int order, const LeafRun& run,
                         TrainingCopies copies) {
  const Stopwatch watch;
  const std::shared_ptr<const LeafRows> rows = leaf_rows(config, order);
  MakerPool<float> makers(rows, run.engine);
  LeafFeatures features;
  features.table.layout = rows->layout();
  features.table.values.reserve(samples.size() * rows->columns());
  const bool augmented = copies == TrainingCopies::kAugmented;
  Progress progress(augmented ? "augmented copies" : "features", samples.size(), run.progress,
                    run.progressed);
  const PrepareSpec preparation = preparation_for(config, config.data.source_aspect);
  StageLoad load;
  RowPipelineOptions options;
  options.load = &load;
  options.advance = [&](std::size_t count) { progress.advance(count); };
  run_row_pipeline<float>(
      rows->completed(augmented ? augmented_source(dataset, samples, preparation)
                                : sample_source(dataset, samples, preparation)),
      makers, options, [&](MadeRows<float> made) {
        const std::size_t sample = samples[made.index];
        append(std::move(made), sample, features);
      });
  features.times = stage_times(load, watch.seconds());
  return features;
}

}  // namespace leafglyph
