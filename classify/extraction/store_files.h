// Feature stores exported to other files, and merged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>

#include "classify/store/feature_store.h"

namespace leafglyph {

/// The contents of a store, complete or not.
struct StoreContents {
  std::size_t blocks = 0;                  ///< number of blocks that exist
  std::size_t rows = 0;                    ///< number of rows in them
  std::map<RowState, std::size_t> states;  ///< number of rows in each state
  std::size_t warned = 0;                  ///< number of rows with numbers and a warning
  std::size_t first_missing = 0;  ///< missing block; StoreHeader::blocks() if there is none
};
StoreContents contents_of(const FeatureStore& store);

/// A line of names (path, part, label, state, box, area, warnings, the fields of the list, the
/// columns) and one line per row, whose number is returned. NaN is an empty field. Texts that a
/// spreadsheet would take for formulas are made harmless. Throws InputError when blocks are
/// missing.
std::size_t export_csv(const FeatureStore& store, const std::filesystem::path& file);

/// Arrays for numpy.load: features (float32, rows x columns), columns, paths, labels and states
/// (texts), images and parts (int64), boxes (rows x 4), areas, and field_NAME for each field of the
/// list. Returns the number of rows. Throws InputError when blocks are missing.
std::size_t export_npz(const FeatureStore& store, const std::filesystem::path& file);

/// An Apache Parquet file with a column for each of export_csv, the number of the image, and size
/// and SHA-256 of its file. NaN, empty texts and unknown boxes are null. Groups of rows are whole
/// blocks. The metadata has the header of the store (leafglyph.store), the convention and the
/// units. Returns the number of rows. Throws InputError when blocks are missing, UsageError for two
/// columns of one name.
std::size_t export_parquet(const FeatureStore& store, const std::filesystem::path& file);

/// Merges complete stores with the same settings and columns, in blocks of the size of the first
/// store's. Replaces a store that exists at `folder`. Throws UsageError when the stores do not fit
/// together, two have the same rows, or one is at `folder`; InputError when blocks are missing; and
/// what WriteLock and StagedFolder throw.
void merge_stores(std::span<const FeatureStore> stores, const std::filesystem::path& folder);

}  // namespace leafglyph
