// The rows of several stores, one after another, as an index compares them. Part of
// feature_index.cpp and build_index.cpp.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "classify/store/feature_store.h"

namespace leafglyph {

inline constexpr int kIndexVersion = 4;

/// x becomes (x - offset) * scale, by column; the scale of a constant column is 0.
struct ColumnScaling {
  std::vector<double> offset;
  std::vector<double> scale;

  void apply(std::span<float> rows) const {
    const std::size_t width = offset.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<float>((rows[i] - offset[i % width]) * scale[i % width]);
    }
  }
};

/// Rows of a block that did not fail, and their numbers: inputs of all stores are counted on.
struct IndexRows {
  std::vector<float> values;
  std::vector<std::int64_t> numbers;
};

/// Calls use(rows) for every block of the stores in their order. Throws Interrupted.
void for_each_block(std::span<const FeatureStore> stores,
                    const std::function<void(IndexRows&)>& use);

}  // namespace leafglyph
