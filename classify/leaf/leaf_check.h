// Problems in a set of training photographs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "classify/leaf/cross_validation.h"
#include "classify/leaf/leaf_data.h"
#include "classify/leaf/learning_curve.h"
#include "features/base/names.h"

namespace leafglyph {

enum class Look {
  kMisfiled,      ///< the folds that left it out predict another species, likely or sure
  kOtherSpecies,  ///< the same photograph is also in another species
  kTwice,         ///< the same photograph was listed before in the species
  kNoLeaf,        ///< could not be prepared
  kBlurred,       ///< its outline is kBlurredEdge times as wide as the median of its species
  kRemark,        ///< touches the border, shows several leaves
};
template <>
inline constexpr Names<Look, 6> kNamesOf<Look> = {"thing to look at",
                                                  {{{Look::kMisfiled, "in the wrong folder?"},
                                                    {Look::kOtherSpecies, "in two species"},
                                                    {Look::kTwice, "there twice"},
                                                    {Look::kNoLeaf, "no leaf found"},
                                                    {Look::kBlurred, "blurred"},
                                                    {Look::kRemark, "other remarks"}}}};

/// About 1 % of 317 sharp Flavia leaves have outlines wider than this. Blurred by 3 pixels, 95 %
/// do.
inline constexpr double kBlurredEdge = 1.5;

/// A photograph that needs attention.
struct LookAt {
  Look look = Look::kRemark;
  std::optional<std::size_t> row;  ///< of the training leaf; none if no leaf was found
  std::string text;                ///< a line with the photograph's name
};

/// What more photographs of each class would bring.
struct MorePhotographs {
  LearningCurve curve;
  LearningForecast forecast;
  int now = 0;  ///< photographs of the median class
};

struct LeafCheck {
  CrossValidatedShare accuracy;
  std::vector<CheckedClass> classes;
  std::vector<LookAt> look;  ///< ordered by Look, then by leaf
  std::optional<MorePhotographs> more;
};

/// Judges the leaves of `data` by their cross-validation `validation`; without probabilities every
/// misidentified leaf counts as misfiled.
LeafCheck check_leaves(const LeafData& data, const CrossValidation& validation);

/// The learning curve of the data with kFewestFolds folds, and its extrapolation. None if a class
/// has a single leaf, there is one class, or the curve has fewer than two points. Throws what
/// learning_curve throws.
std::optional<MorePhotographs> more_photographs(const LeafConfig& config, const LeafData& data,
                                                const LeafRun& run);

}  // namespace leafglyph
