#include "datasets/leaf/leaf_dataset.h"

#include <cmath>

#include "datasets/leaf/lamp_tint.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "datasets/leaf/worn_copy.h"
#include "features/leaf/segment_leaf.h"

namespace leafglyph {

std::string sample_name(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples.at(sample);
  if (!leaf.file.empty()) return leaf.file.string();
  return "generated leaf " + std::to_string(leaf.generated) + " (seed " +
         std::to_string(dataset.seed) + ")";
}

Photograph sample_photograph(const LeafDataset& dataset, std::size_t sample, double source_aspect) {
  const LeafSample& leaf = dataset.samples.at(sample);
  Photograph photograph = leaf.file.empty() ? draw_synthetic_leaf(leaf.label, leaf.generated,
                                                                  dataset.seed, dataset.colours)
                                            : read_photograph(leaf.file);
  const int width = photograph.grey.width(), height = photograph.grey.height();
  if (source_aspect == 0 || width != height) return photograph;
  // No side becomes smaller, so that nothing is lost.
  if (source_aspect >= 1) {
    return resized(photograph, static_cast<int>(std::lround(source_aspect * height)), height);
  }
  return resized(photograph, width, static_cast<int>(std::lround(width / source_aspect)));
}

std::vector<PrepareOutcome> prepare_samples(const LeafDataset& dataset,
                                            std::span<const std::size_t> samples,
                                            const PrepareSpec& spec) {
  const auto name = [&](std::size_t i) { return sample_name(dataset, samples[i]); };
  const auto prepare = [&](std::size_t i) {
    const LeafSample& leaf = dataset.samples.at(samples[i]);
    if (!leaf.file.empty()) return prepare_file(leaf.file, spec);
    return prepare_leaf(
        draw_synthetic_leaf(leaf.label, leaf.generated, dataset.seed, dataset.colours), name(i),
        spec);
  };
  return prepare_each(samples.size(), spec, prepare, name);
}

std::vector<PrepareOutcome> prepare_worn_samples(const LeafDataset& dataset,
                                                 std::span<const std::size_t> samples,
                                                 const PrepareSpec& spec) {
  PrepareSpec stretched = spec;
  stretched.source_aspect = 0;
  PrepareSpec shape = stretched;
  shape.colours = LeafColour::kNone;  // the mask is all that is wanted
  const auto name = [&](std::size_t i) { return sample_name(dataset, samples[i]); };
  const auto prepare = [&](std::size_t i) {
    const Photograph photograph = sample_photograph(dataset, samples[i], spec.source_aspect);
    const LeafRegion leaf = segment_leaf(photograph, name(i), shape);
    Photograph worn = worn_copy(photograph, leaf.mask, samples[i]);
    if (spec.colours != LeafColour::kNone) worn = in_other_light(worn, leaf.mask, samples[i]);
    return prepare_leaf(worn, name(i), stretched);
  };
  return prepare_each(samples.size(), stretched, prepare, name);
}

}  // namespace leafglyph
