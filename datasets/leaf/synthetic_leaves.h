// Generated leaves: species with distinct outline, margin and venation, drawn like photographs.
#pragma once

#include <cstdint>
#include <filesystem>

#include "datasets/leaf/leaf_dataset.h"
#include "features/image/image.h"

namespace leafglyph {

/// Number of species that can be generated.
int synthetic_species_count();

struct SyntheticSpec {
  int species = 32;  ///< 1..synthetic_species_count() - first
  int leaves_per_species = 50;
  std::uint64_t seed = 1;  ///< the same seed gives the same leaves on every machine
  DrawnColours colours = DrawnColours::kNone;
  int first = 0;  ///< number of the first species
};

/// The samples s * leaves_per_species + i, leaf i of species first + s; nothing is drawn yet.
/// Throws UsageError for numbers out of range.
LeafDataset synthetic_leaves(const SyntheticSpec& spec);

/// The source (encode_png) of files of generated leaves, by which is_drawn_leaf recognises them.
inline constexpr const char* kDrawnSource = "leafglyph leaf generate";
/// Whether the file is a generated leaf; false where there is none. Throws what open_input throws.
bool is_drawn_leaf(const std::filesystem::path& file);
/// Whether the sample is a generated leaf or the file of one.
bool is_drawn_leaf(const LeafSample& sample);

/// Draws leaf `leaf` of `species`: a grey photograph of 640 x 480 pixels on a light background. The
/// seed varies its shape, size, direction and tone. Safe to call from many threads.
Image<std::uint8_t> draw_synthetic_leaf(int species, int leaf, std::uint64_t seed);
/// The same leaf in colours (scene_tones), or a grey photograph with kNone.
Photograph draw_synthetic_leaf(int species, int leaf, std::uint64_t seed, DrawnColours colours);
/// The same for a sample that is generated.
Photograph drawn_photograph(const LeafDataset& dataset, const LeafSample& leaf);

}  // namespace leafglyph
