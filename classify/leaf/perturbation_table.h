// How robust a classifier is: its predictions for test leaves perturbed in given ways, and for
// pictures without a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"

namespace leafglyph {

/// The results for the pictures in one row of the table.
struct PerturbedScore {
  std::string name;
  std::string description;
  std::size_t pictures = 0;
  std::size_t right = 0;          ///< first class is the true one, even if called unknown
  std::size_t unknown = 0;        ///< called unknown
  std::size_t refused = 0;        ///< no leaf was found
  std::size_t misidentified = 0;  ///< identified as another species
  std::size_t wrong = 0;          ///< first class is not the true one; includes refused pictures
  std::size_t doubted = 0;  ///< of these, how many were called doubtful or unknown, or refused
  std::size_t sure = 0;     ///< called sure
  std::size_t sure_right = 0;

  /// Share of `pictures`, 0..1.
  double share(std::size_t count) const;
  double right_of_sure() const;  ///< 0 if none is sure
  double wrong_doubted() const;  ///< share of the wrong ones; 1 if none is wrong
};

struct PerturbationTable {
  std::uint64_t seed = 0;
  std::size_t training_leaves = 0;
  std::vector<PerturbedScore> leaves;    ///< as in perturbations(), those that change any leaf
  std::vector<PerturbedScore> leafless;  ///< as in leafless_pictures(); none of them is right
  double seconds = 0;
};

/// Number of pictures drawn for each kind of leafless_pictures().
inline constexpr std::size_t kLeaflessPictures = 50;

/// Fits to the unaltered training leaves of the first split, and classifies its test leaves after
/// each perturbation. The same `seed` gives the same pictures. Throws UsageError for leave-one-out,
/// whose first split tests one leaf, and for a configuration that tunes; also what load_leaf_data
/// and NearestClassifier::fit throw.
PerturbationTable perturbation_table(const LeafConfig& config, const LeafData& data,
                                     const SavedSplits& splits, std::uint64_t seed,
                                     const LeafRun& run);

}  // namespace leafglyph
