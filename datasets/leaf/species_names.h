// Common and scientific names of the folders of a data set.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/leaf/leaf_dataset.h"

namespace leafglyph {

inline constexpr const char* kSpeciesNames = "species.csv";

/// Reads a CSV file whose first line names its columns: `folder`, and `common_name` or
/// `scientific_name` or both. Class c of the data set is that of folders[c]; its names become those
/// of the line of this folder, a common name that is empty stays. Folders without a line keep
/// theirs, and a warning counts them. Throws InputError, naming the line, for a folder that is no
/// class or has two lines, and for a common name of two classes.
void read_species_names(const std::filesystem::path& csv, const std::vector<std::string>& folders,
                        LeafDataset& dataset);

}  // namespace leafglyph
