// Sums over the rows of feature stores, from which the discriminant of a model is fitted. They are
// exact, so that sums of several machines add up to those of all rows.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/class_sums.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// Leaves `first` to `end` - 1 of a store's `leaves`, counted from 0 in the order of its rows; as
/// LeafStores::dataset counts them, which includes inputs that failed.
struct SummedStore {
  std::filesystem::path folder;  ///< absolute
  std::string sha256;            ///< FeatureStore::digest
  std::size_t leaves = 0, first = 0, end = 0;
};

/// One of `count` parts of the leaves of all stores, counted from 0.
struct PartOfRows {
  std::size_t index = 0, count = 1;
};

struct LeafSums {
  std::vector<SummedStore> stores;       ///< all that were given, also those without leaves here
  std::string units;                     ///< units_digest() of the rows
  std::vector<std::string> class_names;  ///< labels of the sums are places in it
  ClassSums sums;
};

/// Identifies what rows in units are: columns, prior, weights and rounding.
std::string units_digest(const FeatureTable& table, const PipelineSpec& spec);

/// Throws UsageError if the configuration chooses settings for rows of that layout by trying them,
/// or has no pipeline.projection: plda.
void check_sums_suffice(const LeafConfig& config, const FeatureLayout& layout);

/// Sums over a part of the leaves of the stores config.data.features in the units of its prior; a
/// block is held at a time. Throws what check_sums_suffice and LeafStores throw.
LeafSums sums_of_stores(const LeafConfig& config, const PartOfRows& part, const LeafRun& run);

/// The bytes of a file of sums. The first line is JSON: which leaves of which stores it holds, the
/// units, the classes that have rows, their numbers of rows, the SHA-256 of what follows and of all
/// this. A .npy array of doubles follows: the sum of the rows of each class, then the lower
/// triangle of the sum of z z^T, column by column.
std::string sums_file(const LeafSums& sums);
/// Throws InputError when the file cannot be read, FormatError when it is damaged or of version 1,
/// which did not state its leaves.
LeafSums read_sums(const std::filesystem::path& file);

/// The stores of files of sums, each once, whatever its name, and in their order, as
/// config.data.features. Throws what read_sums throws.
std::vector<std::filesystem::path> stores_of_sums(std::span<const std::filesystem::path> files);

/// The sums of files for the rows of a training: row i of `table` is of class labels[i], a place in
/// `class_names`. The order of the files and the number of parts do not matter. Throws UsageError,
/// naming the leaves, the file or the class, unless every leaf of `stores` is in exactly one file,
/// in the units of the training.
ClassSums joined_sums(std::span<const std::filesystem::path> files,
                      std::span<const std::filesystem::path> stores, const FeatureTable& table,
                      std::span<const int> labels, std::span<const std::string> class_names,
                      const PipelineSpec& spec);

}  // namespace leafglyph
