// Feature stores of fewer bytes, and what that changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "classify/classifier/row_projection.h"
#include "classify/store/feature_store.h"

namespace leafglyph {

/// The header of a store of these rows once they are projected.
inline StoreHeader projected(StoreHeader header, const RowProjection& projection) {
  header.projection = projection.bytes();
  header.columns = projection.names();
  return header;
}

struct CompactSpec {
  std::optional<RowProjection> projection;  ///< of rows with the store's columns
  StoredValues values = StoredValues::kFloat32;
};

/// The rows of one store as an index of it compares them: columns that are standardised, or
/// projected rows as they are.
struct ComparedStore {
  std::uint64_t bytes = 0;  ///< of its files
  double same_label = 0;    ///< share of queries whose nearest row has their label
};

/// A store and a smaller one of the same rows, by the nearest rows of some queries among at most
/// kComparedRows, all evenly spread over the rows with numbers.
struct CompactReport {
  static constexpr std::size_t kComparedRows = 10'000, kQueries = 500, kNearest = 10;

  std::size_t rows = 0;      ///< with numbers
  std::size_t compared = 0;  ///< among which the nearest were sought
  std::size_t queries = 0;
  std::size_t labelled = 0;  ///< queries with a label
  ComparedStore before, after;
  double same_nearest = 0;  ///< share of queries with the same nearest row
  double kept = 0;          ///< share of the kNearest nearest rows that are among them afterwards
  /// Correlation of the distances of queries from other rows, before and after; without a unit.
  double correlation = 0;
  /// Relative change of the distances of queries from their kNearest nearest rows: its median and
  /// what 95 % stay below. None if the rows were projected, which changes all distances.
  std::optional<double> median_change, usual_change;
};

/// Writes the rows of a complete store to `folder`, with the same inputs, blocks and states.
/// Replaces a store that exists there, and nothing else. Throws UsageError if `folder` is the
/// store itself, InputError when blocks are missing, there are fewer than two rows with numbers, or
/// float16 cannot hold a number; and what WriteLock and StagedFolder throw.
CompactReport compact_store(const FeatureStore& store, const CompactSpec& spec,
                            const std::filesystem::path& folder);

}  // namespace leafglyph
