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
  if (leaf.file.empty()) {
    return drawn_photograph(dataset, leaf);
  }
  PhotographRequest request;
  request.bits = dataset.bits;
  const Photograph photograph = read_photograph(leaf.file, request);
  const int width = photograph.grey.width(), height = photograph.grey.height();
  const double shape = photograph.shape(source_aspect), own = 1.0 * width / height;
  if (shape == own) return photograph;
  // No side becomes smaller, so that nothing is lost.
  if (shape > own) {
    return resized(photograph, static_cast<int>(std::lround(shape * height)), height);
  }
  return resized(photograph, width, static_cast<int>(std::lround(width / shape)));
}

}  // namespace leafglyph
