#include "classify/leaf/leaf_features.h"

#include <algorithm>
#include <array>
#include <future>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Channel images a batch: enough for one matrix product to pay, few enough to stay small (64 MiB
// at 256 x 256). Larger images are bounded by their bytes, prepared leaves and channels together.
constexpr std::size_t kImagesPerBatch = 256;
constexpr std::size_t kLeastLeavesPerBatch = 16;
constexpr std::size_t kBytesPerBatch = std::size_t{256} << 20;

// The first `count` of the measures of grey values and those of colour.
std::vector<float> measure_values(const PreparedLeaf& leaf, const MadeChannels& made,
                                  std::size_t count) {
  const auto of_grey = measure_columns(leaf, made.mean_gradient);
  std::vector<float> values(of_grey.begin(), of_grey.end());
  if (count == values.size()) return values;
  const auto of_colour = colour_measure_columns(leaf);
  values.insert(values.end(), of_colour.begin(), of_colour.end());
  return values;
}

}  // namespace

std::optional<gpu::GpuDevice> LeafRun::search_gpu() const {
  std::string reason;  // the moment engine reports it
  const std::vector<gpu::GpuDevice> gpus = select_gpus(engine.device, reason);
  return gpus.empty() ? std::nullopt : std::optional(gpus.front());
}

LeafFeatureExtractor::LeafFeatureExtractor(const LeafConfig& config, int order, const LeafRun& run)
    : channels_(channels_of(config.features)),
      layout_(feature_layout(config.features, order)),
      size_(config.preparation.size) {
  if (channels_.empty()) return;
  PlanOptions options = run.engine;
  options.precision = config.features.precision;
  MomentSpec spec;
  spec.family = config.features.family;
  spec.weight = config.features.weight;
  spec.order = order;
  engine_ = make_moment_plan(spec, size_, options);
  std::string reason;  // the moment engine reports it
  const std::vector<gpu::GpuDevice> gpus = select_gpus(options.device, reason);
  if (gpus.size() == 1) {
    gpu_channels_ = std::make_unique<gpu::LeafChannels>(channels_, size_, gpus.front());
  }
}

std::size_t LeafFeatureExtractor::batch() const {
  const std::size_t pixels = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  const std::size_t leaf_bytes =
      pixels * (channels_.size() * sizeof(float) + sizeof(float) + sizeof(std::uint8_t));
  const std::size_t usual =
      std::max(kLeastLeavesPerBatch, kImagesPerBatch / std::max<std::size_t>(1, channels_.size()));
  return std::clamp<std::size_t>(kBytesPerBatch / leaf_bytes, 1, usual);
}

ImageBatch LeafFeatureExtractor::channel_images(std::span<const PreparedLeaf* const> leaves,
                                                std::vector<MadeChannels>& made) {
  if (gpu_channels_) return gpu_channels_->compute(leaves, made);
  const std::size_t pixels = static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  images_.resize(leaves.size() * channels_.size() * pixels);
  made.resize(leaves.size());
  parallel_for(leaves.size(), [&](std::size_t leaf) {
    made[leaf] = compute_channels(
        *leaves[leaf], channels_,
        std::span(images_).subspan(leaf * channels_.size() * pixels, channels_.size() * pixels));
  });
  return {std::span<const float>(images_), leaves.size() * channels_.size(), size_};
}

std::vector<float> LeafFeatureExtractor::rows(std::span<const PreparedLeaf* const> leaves,
                                              std::vector<LeafWarning>& warnings) {
  if (leaves.empty()) return {};
  const Stopwatch channel_watch;
  std::vector<MadeChannels> made;
  const ImageBatch images = channel_images(leaves, made);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const std::string& warning : leaves[i]->warnings) warnings.push_back({i, warning});
    if (made[i].constant.empty()) continue;
    std::string names;
    for (const Channel channel : made[i].constant) {
      names += (names.empty() ? "" : ", ") + std::string(channel_name(channel));
    }
    warnings.push_back({i, "constant, so that its features are 0: channel " + names});
  }
  std::vector<std::vector<float>> measures(layout_.measures.empty() ? 0 : leaves.size());
  parallel_for(measures.size(), [&](std::size_t i) {
    measures[i] = measure_values(*leaves[i], made[i], layout_.measures.size());
  });
  channel_seconds_ += channel_watch.seconds();

  const Stopwatch moment_watch;
  const std::size_t width = channels_.size() * layout_.columns_per_channel();
  magnitudes_.resize(leaves.size() * width);
  if (engine_) engine_->magnitudes(images, magnitudes_);
  std::vector<float> rows;
  rows.reserve(leaves.size() * layout_.columns());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto part = std::span(magnitudes_).subspan(i * width, width);
    rows.insert(rows.end(), part.begin(), part.end());
    if (!measures.empty()) rows.insert(rows.end(), measures[i].begin(), measures[i].end());
  }
  moment_seconds_ += moment_watch.seconds();
  return rows;
}

LeafFeatures extract_features(const LeafDataset& dataset, std::span<const std::size_t> samples,
                              const LeafConfig& config, int order, const LeafRun& run, Wear wear) {
  const Stopwatch setup_watch;
  LeafFeatureExtractor extractor(config, order, run);
  LeafFeatures features;
  features.table.layout = extractor.layout();
  features.table.values.reserve(samples.size() * extractor.layout().columns());
  features.times = {{"moment tables", setup_watch.seconds()}};
  double preparation_seconds = 0.0;
  const bool worn = wear == Wear::kWornCopies;
  Progress progress(worn ? "worn copies" : "features", samples.size(), run.progress);
  const auto batch_at = [&](std::size_t first) {
    return samples.subspan(first, std::min(extractor.batch(), samples.size() - first));
  };
  const PrepareSpec preparation = preparation_for(config, config.data.source_aspect);
  // While a GPU computes moments the processor prepares the next leaves; without one both would
  // want the same threads, and leaves are prepared when they are asked for.
  const auto launch = run.search_gpu() ? std::launch::async : std::launch::deferred;
  const auto prepare = [&, threads = thread_count()](std::size_t first) {
    return std::async(launch, [&dataset, &preparation, worn, threads, part = batch_at(first)] {
      set_thread_count(threads);  // OpenMP's setting is each thread's own
      return worn ? prepare_worn_samples(dataset, part, preparation)
                  : prepare_samples(dataset, part, preparation);
    });
  };
  std::future<std::vector<PrepareOutcome>> next;
  if (!samples.empty()) next = prepare(0);
  for (std::size_t first = 0; first < samples.size(); first += extractor.batch()) {
    throw_if_interrupted();
    const auto part = batch_at(first);
    const Stopwatch watch;
    const std::vector<PrepareOutcome> outcomes = next.get();
    if (first + part.size() < samples.size()) next = prepare(first + part.size());
    preparation_seconds += watch.seconds();
    std::vector<const PreparedLeaf*> leaves;
    std::vector<std::size_t> prepared;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (!outcomes[i].leaf) {
        features.errors.push_back(outcomes[i].error);
        continue;
      }
      leaves.push_back(&*outcomes[i].leaf);
      prepared.push_back(part[i]);
      features.samples.push_back(part[i]);
      features.measures.push_back(outcomes[i].leaf->measures);
      features.edge_widths.push_back(outcomes[i].leaf->edge_width);
      if (!outcomes[i].leaf->from_colour) features.grey.push_back(part[i]);
    }
    std::vector<LeafWarning> warnings;
    const std::vector<float> rows = extractor.rows(leaves, warnings);
    for (LeafWarning& warning : warnings) {
      features.warnings.push_back({prepared[warning.leaf], std::move(warning.text)});
    }
    features.table.values.insert(features.table.values.end(), rows.begin(), rows.end());
    progress.advance(part.size());
  }
  features.times.push_back({"preparation", preparation_seconds});
  features.times.push_back({"channels", extractor.channel_seconds()});
  features.times.push_back({"moments", extractor.moment_seconds()});
  return features;
}

}  // namespace leafglyph
