// How often a classifier recognises leaves of unknown species as unknown.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// Training leaves that were classified by models without their species.
struct UnknownShare {
  std::size_t unknown = 0;  ///< of them: called so
  std::size_t leaves = 0;
  int species = 0;
  int groups = 0;        ///< in which the species were left out
  double share() const;  ///< 0 of none
  friend bool operator==(const UnknownShare&, const UnknownShare&) = default;
};
inline constexpr int kFewestForUnknown = 3;  ///< species: two must remain

/// The result for `classifier`, fitted with `spec`. From kFewestClasses species on it comes from
/// the folds of its calibration, at no cost: they leave groups of species out, and its own
/// threshold judges. With fewer, each species is left out in turn and a classifier with a threshold
/// of its own is fitted to the others. None if it cannot be measured: fewer than kFewestForUnknown
/// species, no leaf is ever called unknown, or the others are too few. Throws Interrupted and
/// MachineError.
std::optional<UnknownShare> unknown_share(const NearestClassifier& classifier,
                                          const ClassifierSpec& spec, const FeatureTable& training,
                                          std::span<const std::string> classes, const LeafRun& run);

/// Leaves of a species are similar, so that the share of few species is a rough guide.
inline constexpr int kFewSpecies = 10;

/// The result in a sentence, or the reason why there is none; for a classifier of `species`
/// species. `refuses`: whether it calls anything unknown.
std::string in_words(const std::optional<UnknownShare>& share, std::size_t species, bool refuses);

}  // namespace leafglyph
