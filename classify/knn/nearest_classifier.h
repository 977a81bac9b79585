// The classifier: feature pipeline, exact nearest neighbours, vote, and the rejection of leaves
// that are unlike any training leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "classify/knn/class_distance.h"
#include "classify/knn/class_fit.h"
#include "classify/knn/confidence.h"
#include "classify/knn/decision.h"
#include "classify/knn/feature_pipeline.h"
#include "classify/knn/feature_table.h"
#include "classify/knn/knn_index.h"
#include "classify/knn/vote.h"
#include "features/base/memory.h"
#include "features/base/names.h"

namespace leafglyph {

/// The outlier score of a query: from its nearest rows or, for kMahalanobis, from its features.
enum class OutlierScore {
  kDistance,     ///< mean distance of the k nearest rows
  kMahalanobis,  ///< distance to the nearest class along all directions of the features
  /// 1 - P(right) of a calibration that includes leaves of left-out classes, but no augmented
  /// copies: most copies are identified correctly although they are as far away as leaves of
  /// unknown species. Needs kFewestClasses classes.
  kCalibrated,
};
template <>
inline constexpr Names<OutlierScore, 3> kNamesOf<OutlierScore> = {
    "outlier_score",
    {{{OutlierScore::kDistance, "distance"},
      {OutlierScore::kMahalanobis, "mahalanobis"},
      {OutlierScore::kCalibrated, "calibrated"}}}};
struct ClassifierSpec {
  PipelineSpec pipeline;
  int k = 5;
  Metric metric = Metric::kEuclidean;
  /// Share of leaves of known classes to be identified. The others, and any leaf as far from the
  /// training leaves, are unknown. 1: all are identified.
  double answered_share = 1.0;
  OutlierScore outlier_score = OutlierScore::kDistance;
  friend bool operator==(const ClassifierSpec&, const ClassifierSpec&) = default;
};

/// Throws UsageError with the key when a value is out of range.
void validate(const ClassifierSpec& spec);

struct Prediction {
  std::vector<RankedClass> ranking;   ///< best first; as many classes as requested, or all
  std::vector<Neighbour> neighbours;  ///< the k nearest training rows
  double outlier_score = 0;           ///< as the spec defines it
  /// Probability that the first class is correct; none if the classifier has no calibration.
  std::optional<double> probability = std::nullopt;
  Decision decision = {};  ///< with the classifier's threshold
};

/// Turns the evidence for a prediction into a probability.
struct Confidence {
  ClassFit fit;
  Calibration calibration;    ///< for Prediction::probability
  Calibration outlier_score;  ///< for OutlierScore::kCalibrated, from unaltered rows
};

/// The prediction for a training row by the fold that left it out.
struct LeftOutPrediction {
  int label = 0;           ///< the first class
  double probability = 0;  ///< that it is correct, by a calibration that includes this row
};

/// Training rows classified by folds that were trained without their classes.
struct LeftOutClasses {
  std::size_t rows = 0;
  std::size_t unknown = 0;  ///< how many of them decide() finds unknown
};

/// Training rows after the pipeline, and the fitted parts.
struct FittedRows {
  ClassifierSpec spec;
  FeaturePipeline pipeline;
  KnnIndex index;
  std::optional<ClassDistance> class_distance;  ///< for OutlierScore::kMahalanobis
};

/// Reserves the memory for fitting a classifier to that many rows of the table, for callers that
/// fit several at once. Throws what MemoryReservation throws.
MemoryReservation memory_to_fit(const FeatureTable& table, std::size_t rows);

/// Number of rows of the median class; with two middle ones, the smaller number.
int median_leaves(std::span<const int> labels);

/// Fits as `spec` says, with these exceptions:
///
///   - Fewer than kFewestDirections dimensions, as discriminants of two or three classes have:
///     the cosine would keep only a sign or an angle, so Euclidean distance replaces it. If the
///     projection is a discriminant, each channel's own discriminant is added.
///   - Fewer than kFewestClasses classes: kDistance replaces kCalibrated.
///   - A joint discriminant with fewer than kFewestDirections dimensions: kMahalanobis replaces
///     kDistance, because leaves of unknown species may look the same along so few directions.
///   - k is at most median_leaves: of two leaves of a species, no more than two can vote for it.
///
/// The shrinkage is never changed: 0.3 to 0.9 are equally good with two to five leaves per species.
FittedRows fit_rows(const FeatureTable& training, std::span<const int> labels,
                    const ClassifierSpec& spec);
inline constexpr std::size_t kFewestDirections = 3;
inline constexpr std::size_t kFewestClasses = 5;

class NearestClassifier {
 public:
  /// Fits to training rows only. The threshold is the `answered_share` quantile of the outlier
  /// scores of the training rows, each computed without the row itself. If the pipeline does not
  /// use labels, this is done by leave-one-out; otherwise by kOutlierFolds folds that are fitted
  /// again, because the training rows lie too close to their own classes. With kMahalanobis the
  /// threshold is the ceil((n + 1) answered_share)-th smallest of the n scores of
  /// distances_left_out, or the largest (split conformal prediction; Vovk et al. 2005): the score
  /// of a new leaf is equally likely to fall between any two neighbouring scores, which matters for
  /// few leaves. If answered_share is 1, the threshold is infinite.
  ///
  /// A threshold comes with a calibration. It is fitted to the predictions of the same folds for
  /// the training rows and their augmented copies. With kFewestClasses classes or more, the classes
  /// are also divided into kOutlierFolds groups, each group is left out in turn, and the
  /// predictions for its rows are added. These are all wrong; together they have kUnknownShare
  /// times the weight of the training rows. Throws UsageError when the spec is out of range, and
  /// what FeaturePipeline::fit throws. Large searches, now and later, run on `gpu` if there is one.
  static NearestClassifier fit(const FeatureTable& training, std::span<const int> labels,
                               const ClassifierSpec& spec,
                               const std::optional<gpu::GpuDevice>& gpu = std::nullopt);
  static constexpr int kOutlierFolds = 5;
  static constexpr double kUnknownShare = 0.05;

  /// Uses saved parts. Throws FormatError, naming `source`, when they do not fit together.
  NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, KnnIndex index,
                    std::vector<int> labels, double threshold,
                    std::optional<ClassDistance> class_distance,
                    std::optional<Confidence> confidence, const std::string& source);

  /// The spec as fitted, which fit_rows may have changed.
  const ClassifierSpec& spec() const { return spec_; }
  const FeaturePipeline& pipeline() const { return pipeline_; }
  const KnnIndex& index() const { return index_; }
  std::span<const int> labels() const { return labels_; }  ///< class of each training row
  double threshold() const { return threshold_; }          ///< largest outlier score that is known
  /// Present with OutlierScore::kMahalanobis only.
  const std::optional<ClassDistance>& class_distance() const { return class_distance_; }

  /// Present if a threshold was fitted.
  const std::optional<Confidence>& confidence() const { return confidence_; }

  /// For each training row, the prediction of the calibration's folds. Empty without a calibration,
  /// and for a classifier made from saved parts.
  std::span<const LeftOutPrediction> left_out() const { return left_out_; }

  /// The rows of the classes that the calibration's folds left out, judged by those folds and the
  /// threshold. None if left_out() is empty or there are fewer than kFewestClasses classes.
  const std::optional<LeftOutClasses>& left_out_classes() const { return left_out_classes_; }

  /// The outlier score of each row.
  std::vector<double> outlier_scores(const FeatureTable& rows) const;

  /// Prediction i belongs to row i. Rankings have at least `top` classes, or all if there are
  /// fewer.
  std::vector<Prediction> predict(const FeatureTable& rows, std::size_t top) const;

 private:
  std::vector<std::vector<RankedClass>> rankings(std::span<const float> queries,
                                                 const NeighbourLists& lists,
                                                 std::size_t top) const;
  void rank_all_classes(std::span<const float> queries, const NeighbourLists& lists,
                        std::span<const std::size_t> which,
                        std::span<std::vector<RankedClass>> rankings) const;
  void judge(const FeatureTable& rows, std::vector<Prediction>& predictions) const;

  ClassifierSpec spec_;
  FeaturePipeline pipeline_;
  KnnIndex index_;
  std::vector<int> labels_;
  double threshold_;
  std::optional<ClassDistance> class_distance_;
  std::optional<Confidence> confidence_;
  std::vector<LeftOutPrediction> left_out_;
  std::optional<LeftOutClasses> left_out_classes_;
  std::vector<std::uint32_t> classes_;  // of each row, as an index among the ascending labels
  std::size_t class_count_;             // number of distinct labels
};

/// Mean distance of the neighbours of a query, which is its outlier score.
double mean_distance(std::span<const Neighbour> neighbours);

}  // namespace leafglyph
