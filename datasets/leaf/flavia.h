// The Flavia leaf images: 1,907 photographs of 32 species, joined by the number in the file name.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

/// One species and the files <first>.jpg .. <last>.jpg that show it, all of which exist.
struct FlaviaSpecies {
  std::string_view common_name;
  std::string_view scientific_name;
  std::string_view chinese_name;
  int first;
  int last;
};

/// The 32 species, in the order of their first files.
std::span<const FlaviaSpecies> flavia_species();

inline constexpr int kFlaviaImages = 1907;

/// Reads the folder of images (<number>.jpg, .jpeg, .png, .bmp, .tif or .tiff). Labels are indices
/// into flavia_species(); samples are in the order of their numbers. Throws InputError with the
/// folder when it cannot be read, when images of a species are missing (with the first few), or
/// when a number belongs to no species.
LeafDataset load_flavia(const std::filesystem::path& folder);

}  // namespace leafglyph
