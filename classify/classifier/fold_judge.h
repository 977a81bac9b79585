// Training rows as judged by models that were not trained on them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "classify/classifier/feature_pipeline.h"
#include "classify/classifier/fit_work.h"
#include "classify/classifier/open_set.h"
#include "classify/classifier/plda.h"
#include "classify/nearest/knn_index.h"
#include "classify/nearest/probed_index.h"
#include "classify/nearest/vote.h"
#include "classify/table/feature_table.h"
#include "classify/table/folds.h"

namespace leafglyph {

/// The test rows of a split as judged by a model of the others.
struct JudgedRows {
  std::vector<std::size_t> which;  ///< the places of the rows in the table
  std::vector<JudgedRow> rows;
  std::vector<int> first;  ///< the first class of each prediction
  /// How typical each row is of its own class: its log likelihood ratio, if the class was learnt.
  std::vector<std::optional<double>> typical;
};

/// Which rows of the splits are judged, and how.
struct JudgeSpec {
  std::size_t k = 1;     ///< the nearest rows whose classes are the candidates
  std::size_t most = 1;  ///< test rows of a split that are judged, evenly spread over all
  /// With more classes than `all`, the nearest rows are sought among those of the classes with the
  /// nearest means, `probed` of them: the search would grow with the square of the number of rows.
  std::size_t probed = kProbedClasses, all = kSearchedClasses;
};

/// Judges test rows of each split by fitted.of_splits[s], which was fitted to the rows of `table`
/// that split s does not test. Rows are transformed kRowsHeld at a time for all splits together, so
/// that memory does not grow with their number.
std::vector<JudgedRows> judge_splits(const FeatureTable& table, std::span<const int> labels,
                                     std::span<const Split> splits, const SplitPipelines& fitted,
                                     const JudgeSpec& spec, const FitWork& work = {});

/// The root of beta, the share of its variance that lies between classes, of each direction of a
/// Plda.
std::vector<float> roots_of_beta(std::span<const double> spread);
/// Rows as the index compares them: Plda's directions count by roots_of_beta.
std::vector<float> compared(std::vector<float> rows, const FeaturePipeline& pipeline);

/// The evidence for a class is its log likelihood ratio, plus kNearestWeight times the directions
/// times the cosine of its nearest row: a von Mises-Fisher density about that row (Mardia 1972), up
/// to a constant. Where the rows of a class do not lie about its mean as a normal distribution
/// would, the nearest row knows better. A single class has nothing to be compared with: there the
/// evidence is the ratio alone.
inline constexpr double kNearestWeight = 2;
double evidence(double log_ratio, float nearest_distance, const ClassLikelihood& likelihood);

/// The classes of the k nearest rows of each query, the most likely first. Their scores are
/// evidence().
std::vector<std::vector<RankedClass>> candidates_of(const NeighbourLists& lists, std::size_t k,
                                                    std::span<const float> queries,
                                                    const ClassLikelihood& likelihood,
                                                    std::span<const int> labels);

/// Sorts classes by their evidence(), which becomes their scores.
void sort_by_evidence(std::vector<RankedClass>& classes, std::span<const float> query,
                      const ClassLikelihood& likelihood);

}  // namespace leafglyph
