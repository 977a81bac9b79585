// How often a classifier recognises leaves of unknown species as unknown.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_features.h"

namespace leafglyph {

/// Training leaves that were classified by models trained without their species.
struct UnknownShare {
  static constexpr int kFewSpecies = 10;

  std::size_t unknown = 0;  ///< how many were called unknown
  std::size_t leaves = 0;
  int species = 0;
  int groups = 0;        ///< number of groups in which species were left out
  double share() const;  ///< 0 if there are no leaves
  /// Whether it is only a rough guide: of too few species, whose leaves are similar.
  bool is_rough() const { return species < kFewSpecies; }
  friend bool operator==(const UnknownShare&, const UnknownShare&) = default;
};
inline constexpr int kFewestForUnknown = 3;  ///< species, so that two remain for training

/// The result for a classifier that was just fitted, from the folds of its calibration, which leave
/// out groups of species. None if it cannot be measured: there are fewer than kFewestForUnknown
/// species, or no leaf is ever called unknown.
std::optional<UnknownShare> unknown_share(const NearestClassifier& classifier);

/// The result in a sentence, or the reason why there is none, for a classifier with `species`
/// species. `refuses`: whether the classifier calls any leaf unknown.
std::string in_words(const std::optional<UnknownShare>& share, std::size_t species, bool refuses);

/// The share, for programs.
template <class Json>
Json unknown_json(const UnknownShare& share) {
  return {{"unknown", share.unknown}, {"leaves", share.leaves}, {"species", share.species},
          {"groups", share.groups},   {"share", share.share()}, {"rough", share.is_rough()}};
}

}  // namespace leafglyph
