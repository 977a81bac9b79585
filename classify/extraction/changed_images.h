// Whether images are still those that a store's rows were computed from.
#pragma once

#include <cstddef>
#include <span>

#include "classify/store/feature_store.h"
#include "classify/support/progress.h"

namespace leafglyph {

/// Reads the images of blocks that are there, on all threads, and throws InputError, naming the
/// first image and what to do, where one differs from what its row was computed from. What could
/// not be read then has to be unreadable still. Throws Interrupted.
void check_unchanged(const FeatureStore& store, std::span<const std::size_t> blocks,
                     ProgressStyle progress);

}  // namespace leafglyph
