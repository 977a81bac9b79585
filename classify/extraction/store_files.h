// Feature stores exported to other files, and merged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "classify/store/feature_store.h"

namespace leafglyph {

/// The contents of a store, complete or not.
struct StoreContents {
  std::size_t blocks = 0;         ///< number of blocks that exist
  std::size_t rows = 0;           ///< number of rows in them
  std::size_t failed = 0;         ///< number of failed rows
  std::size_t warned = 0;         ///< number of rows with a warning that did not fail
  std::size_t first_missing = 0;  ///< missing block; StoreHeader::blocks() if there is none
};
StoreContents contents_of(const FeatureStore& store);

/// A line of names (path, label, state, warnings, the columns) and one line per input. Numbers of a
/// failed input are empty. Texts that a spreadsheet would take for formulas are made harmless.
/// Throws InputError when blocks are missing.
void export_csv(const FeatureStore& store, const std::filesystem::path& file);

/// Arrays for numpy.load: features (float32, inputs x columns), columns, paths, labels and states
/// (texts). Throws InputError when blocks are missing.
void export_npz(const FeatureStore& store, const std::filesystem::path& file);

/// Merges complete stores with the same settings and columns, in blocks of the size of the first
/// store's. Replaces a store that exists at `folder`. Throws UsageError when the stores do not fit
/// together, or one is given twice or is at `folder`; InputError when blocks are missing; and what
/// WriteLock and StagedFolder throw.
void merge_stores(std::span<const FeatureStore> stores, const std::filesystem::path& folder);

}  // namespace leafglyph
