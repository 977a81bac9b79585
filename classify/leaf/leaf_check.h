// Problems in a set of training photographs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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
  kUnclear,       ///< is not seen clearly, so that it was perhaps left out (leaves_out_unclear)
  kBlurred,       ///< its outline is kBlurredEdge times as wide as the median of its species
  kRemark,        ///< touches the border, shows several leaves
};
template <>
inline constexpr Names<Look, 7> kNamesOf<Look> = {"thing to look at",
                                                  {{{Look::kMisfiled, "in the wrong folder?"},
                                                    {Look::kOtherSpecies, "in two species"},
                                                    {Look::kTwice, "there twice"},
                                                    {Look::kNoLeaf, "no leaf found"},
                                                    {Look::kUnclear, "not seen clearly"},
                                                    {Look::kBlurred, "blurred"},
                                                    {Look::kRemark, "other remarks"}}}};

/// About 1 % of 317 sharp Flavia leaves have outlines wider than this. Blurred by 3 pixels, 95 %
/// do.
inline constexpr double kBlurredEdge = 1.5;

/// A photograph that needs attention.
struct LookAt {
  Look look = Look::kRemark;
  std::optional<std::size_t> row;                ///< of the training leaf; none if it became none
  std::string text;                              ///< a line with the photograph's name
  std::optional<int> looks_like = std::nullopt;  ///< the class that is predicted instead
};

/// Leaves of a class that the folds mistook for those of another.
struct Confusion {
  int truth = 0;
  int prediction = 0;
  std::size_t leaves = 0;
};

/// What more photographs of each class would bring.
struct MorePhotographs {
  LearningCurve curve;
  LearningForecast forecast;
  int now = 0;  ///< photographs of the median class
};

/// What a training found out about its photographs, beside the figures in ModelHistory.
struct LeafCheck {
  std::vector<LookAt> look;           ///< ordered by Look, then by leaf
  std::vector<Confusion> confusions;  ///< the most frequent first
  std::optional<MorePhotographs> more = std::nullopt;
};

/// The leaves of a model as its folds judged them.
struct JudgedLeaves {
  std::span<const std::string> names;
  std::span<const int> labels;
  std::span<const std::string> class_names;
  const CrossValidation& validation;
};

/// What a remark about a leaf is: kUnclear or kRemark.
Look look_of(const LeafWarning& remark);

/// Judges the leaves of `data` by their cross-validation `validation`; without probabilities every
/// misidentified leaf counts as misfiled.
LeafCheck check_leaves(const LeafData& data, const CrossValidation& validation);

/// The check of a model to which leaves were added: all its leaves are judged anew, and what was
/// seen in the photographs themselves stays, with `seen` in the new ones.
LeafCheck check_grown(const LeafCheck& before, std::vector<LookAt> seen,
                      const JudgedLeaves& leaves);

/// The check as the text of a file.
std::string check_json(const LeafCheck& check);
/// The inverse, for a model of so many leaves and classes. Throws UsageError or what nlohmann::json
/// throws for what check_json does not write.
LeafCheck check_in(const std::string& text, std::size_t leaves, std::size_t classes);

/// The learning curve of the data with kFewestFolds folds, and its extrapolation. None if a class
/// has a single leaf, there is one class, or the curve has fewer than two points. Throws what
/// learning_curve throws.
std::optional<MorePhotographs> more_photographs(const LeafConfig& config, const LeafData& data,
                                                const LeafRun& run);

}  // namespace leafglyph
