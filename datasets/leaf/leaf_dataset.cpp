#include "datasets/leaf/leaf_dataset.h"

#include "datasets/leaf/synthetic_leaves.h"

namespace leafglyph {

std::string sample_name(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples.at(sample);
  if (!leaf.file.empty()) return leaf.file.string();
  return "generated leaf " + std::to_string(leaf.generated) + " (seed " +
         std::to_string(dataset.seed) + ")";
}

std::vector<PrepareOutcome> prepare_samples(const LeafDataset& dataset,
                                            std::span<const std::size_t> samples,
                                            const PrepareSpec& spec) {
  const auto name = [&](std::size_t i) { return sample_name(dataset, samples[i]); };
  const auto prepare = [&](std::size_t i) {
    const LeafSample& leaf = dataset.samples.at(samples[i]);
    if (!leaf.file.empty()) return prepare_file(leaf.file, spec);
    return prepare_leaf(draw_synthetic_leaf(leaf.label, leaf.generated, dataset.seed), name(i),
                        spec);
  };
  return prepare_each(samples.size(), spec, prepare, name);
}

}  // namespace leafglyph
