// A configuration that is quick to train and evaluate: a few generated leaves.
#pragma once

#include "classify/leaf/leaf_config.h"

namespace leafglyph {

inline constexpr const char* kSmallConfig = R"(
data: {source: generated, species: 4, leaves: 8, seed: 3}
preparation: {size: 64, area: 500}
features: {order: 8, channels: [inverted, mask], measures: true, precision: exact}
pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}
classifier: {k: 3, metric: cosine, answered_share: 0.9}
protocol: {leaves: random, train: 5, test: 3, repeats: 3, seed: 5}
sweep: {orders: [2, 5, 8]}
)";

inline LeafConfig small_config() { return parse_leaf_config(kSmallConfig, "small.yaml"); }

}  // namespace leafglyph
