// How often a classifier calls leaves unknown whose species it has not learnt.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// Training leaves that were classified by models of the other species.
struct UnknownShare {
  std::size_t unknown = 0;  ///< of them: called so
  std::size_t leaves = 0;
  int species = 0;
  int groups = 0;        ///< in which the species were left out
  double share() const;  ///< 0 of none
  friend bool operator==(const UnknownShare&, const UnknownShare&) = default;
};
inline constexpr int kFewestForUnknown = 3;  ///< species: two are left to learn

/// What `classifier`, fitted by `spec`, says of species that it has not learnt. From kFewestClasses
/// species on by the folds that it was calibrated by, at no cost: they leave groups of species out,
/// and its own threshold judges. With fewer each species is left out, a classifier with a threshold
/// of its own is fitted to the others, and asked. None where that cannot be measured: fewer than
/// kFewestForUnknown species, nothing is ever called unknown, or the others are too few to be
/// learnt. Throws Interrupted and MachineError.
std::optional<UnknownShare> unknown_share(const NearestClassifier& classifier,
                                          const ClassifierSpec& spec, const FeatureTable& training,
                                          std::span<const std::string> classes, const LeafRun& run);

/// Leaves of a species are alike, so that the share of few species is a rough guide.
inline constexpr int kFewSpecies = 10;

/// That in a sentence, or why it says nothing: of a classifier of `species` species; `refuses`:
/// whether it calls anything unknown.
std::string in_words(const std::optional<UnknownShare>& share, std::size_t species, bool refuses);

}  // namespace leafglyph
