// The files of an index, and the rows of several stores one after another, in the form in which the
// index compares them. Part of the index and of compact_store.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "classify/store/feature_store.h"
#include "features/record/record.h"

namespace leafglyph {

inline constexpr RecordKind kIndex = {
    "index.json",    "leafglyph feature index", 6,
    "feature index", "build the index again",   "build one with index build"};
inline constexpr const char* kScalingFile = "scaling.npy";
inline constexpr const char* kCentresFile = "centres.npy";
inline constexpr const char* kListsFile = "lists.bin";

/// The identity of a store in index.json: its folder, also as seen from the index, the digests of
/// its header and of its blocks. Throws InputError when a block is missing.
nlohmann::ordered_json json_of_store(const FeatureStore& store, const std::filesystem::path& index);

/// The files of the index in a folder (NamesOf); empty if there is no index or index.json is
/// damaged.
std::vector<std::string> index_files(const std::filesystem::path& folder);

/// x becomes (x - offset) * scale, by column; the scale of a constant column is 0. Projected rows
/// stay as they are.
struct ColumnScaling {
  std::vector<double> offset;
  std::vector<double> scale;
  friend bool operator==(const ColumnScaling&, const ColumnScaling&) = default;

  void apply(std::span<float> rows) const {
    const std::size_t width = offset.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<float>((rows[i] - offset[i % width]) * scale[i % width]);
    }
  }
};

/// The scaling by the mean and standard deviation of every column (none of projected rows), and the
/// number of rows. Throws InputError if there are none.
ColumnScaling scaling_of(std::span<const FeatureStore> stores, std::size_t& rows);

/// Whether row i is among about `wanted` evenly spaced ones of `rows` rows; the first is.
inline bool is_chosen(std::size_t i, std::size_t rows, std::size_t wanted) {
  const double step = std::max(1.0, static_cast<double>(rows) / static_cast<double>(wanted));
  const auto steps = [&](std::size_t row) { return std::floor(static_cast<double>(row) / step); };
  return i == 0 || steps(i) > steps(i - 1);
}

/// Where a row is: row r of block b, counting the blocks of all stores, is number b * 2^32 + r.
constexpr std::int64_t row_number(std::size_t block, std::size_t row) {
  return (static_cast<std::int64_t>(block) << 32) + static_cast<std::int64_t>(row);
}

/// Rows of a block that have numbers, and where they are (row_number).
struct IndexRows {
  std::vector<float> values;
  std::vector<std::int64_t> numbers;
};

/// Calls use(rows) for every block of the stores in order. Throws Interrupted.
void for_each_block(std::span<const FeatureStore> stores,
                    const std::function<void(IndexRows&)>& use);

}  // namespace leafglyph
