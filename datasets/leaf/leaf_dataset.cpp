#include "datasets/leaf/leaf_dataset.h"

#include <cmath>
#include <numeric>

#include "datasets/leaf/synthetic_leaves.h"

namespace leafglyph {

std::vector<std::size_t> all_samples(const LeafDataset& dataset) {
  std::vector<std::size_t> samples(dataset.samples.size());
  std::iota(samples.begin(), samples.end(), std::size_t{0});
  return samples;
}

std::string part_name(const std::string& photograph, int part) {
  return photograph + (part == 0 ? "" : " #" + std::to_string(part));
}

std::string sample_name(const LeafDataset& dataset, std::size_t sample) {
  const LeafSample& leaf = dataset.samples.at(sample);
  if (!leaf.file.empty()) return part_name(leaf.file.string(), leaf.part);
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

}  // namespace leafglyph
