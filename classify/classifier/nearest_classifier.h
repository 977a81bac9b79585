// The classifier: feature pipeline, exact nearest neighbours, their vote or the likelihood of their
// classes, and the rejection of leaves that are unlike any training leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "classify/classifier/decision.h"
#include "classify/classifier/feature_pipeline.h"
#include "classify/classifier/fit_work.h"
#include "classify/classifier/fold_judge.h"
#include "classify/classifier/open_set.h"
#include "classify/nearest/knn_index.h"
#include "classify/nearest/probed_index.h"
#include "classify/nearest/vote.h"
#include "classify/table/feature_table.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/memory.h"

namespace leafglyph {

struct ClassifierSpec {
  PipelineSpec pipeline;
  /// The nearest rows that vote or, with Projection::kPlda, whose classes are the candidates among
  /// which the likelihood decides. There, with more than kSearchedClasses classes, they are those
  /// of a ProbedIndex.
  int k = 5;
  Metric metric = Metric::kEuclidean;
  /// Share of leaves of known classes to be identified. The others, and any leaf as unlike the
  /// training leaves, are unknown. 1: all are identified.
  double answered_share = 1.0;

  bool is_plda() const { return pipeline.projection == Projection::kPlda; }
  friend bool operator==(const ClassifierSpec&, const ClassifierSpec&) = default;
};

inline constexpr Range kNeighbours{1, kMaxCount};
/// The keys of the mapping `classifier`: those beside the pipeline.
void declare(Keys& keys, ClassifierSpec& spec);
/// Throws UsageError with the key when a value is out of range.
void validate(const ClassifierSpec& spec);

struct Prediction {
  /// Best first; as many classes as requested, or all. With Projection::kPlda the score of a class
  /// is its probability (0 if none of the k nearest rows is of it), or without a calibration its
  /// log likelihood ratio.
  std::vector<RankedClass> ranking;
  std::vector<Neighbour> neighbours;  ///< the k nearest training rows
  /// The mean distance of the k nearest rows. With Projection::kPlda the probability that the leaf
  /// is of a class that the model does not know, or without a calibration minus the largest ratio.
  double outlier_score = 0;
  /// Probability that the first class is correct; none if the classifier has no calibration.
  std::optional<double> probability = std::nullopt;
  Decision decision = {};  ///< with the classifier's threshold
  /// Whether the photograph shows the leaf clearly (PreparedLeaf::is_clear). If not, the
  /// probability is that of another leaf's features.
  bool is_clear = true;
};

/// The prediction for a training row by the fold that left it out.
struct LeftOutPrediction {
  int label = 0;           ///< the first class
  double probability = 0;  ///< that it is correct, by a calibration that includes this row
  std::optional<double> log_ratio = {};  ///< of its own class, if others of that class were learnt
};

/// Training rows classified by folds that were trained without their classes.
struct LeftOutClasses {
  std::size_t rows = 0;
  std::size_t unknown = 0;  ///< how many of them decide() finds unknown
};

/// Reserves the memory for fitting a classifier, and for copies of that many rows of the table, for
/// callers that fit several at once. Throws what MemoryReservation throws.
MemoryReservation memory_to_fit(const FeatureTable& table, std::size_t copied,
                                const ClassifierSpec& spec);

/// Number of rows of the median class; with two middle ones, the smaller number.
int median_leaves(std::span<const int> labels);

class NearestClassifier {
 public:
  /// Fits to training rows only; k is at most median_leaves, or with Projection::kPlda the number
  /// of rows. If answered_share is below 1, the threshold is its quantile of the outlier scores of
  /// the training rows, each computed without the row itself: by leave-one-out of the index, or
  /// with Projection::kPlda by kOutlierFolds folds, for which sums are taken off those of all rows.
  /// There, groups of classes are left out in turn, too (one by one, if there are no more than
  /// kOutlierFolds), and both together give the calibration, where rows of classes left out have
  /// kUnknownShare of the weight; rows of a single class give the threshold alone. Of either kind
  /// at most kMostJudged rows are judged. Throws
  /// UsageError when the spec is out of range, and what FeaturePipeline::fit throws. Large
  /// searches, now and later, run on `gpu` if there is one. `sums` are FeaturePipeline::sums_of()
  /// the rows; null: not known. `done`, which may be empty, hears how
  /// far a fit with Projection::kPlda is.
  static NearestClassifier fit(const FeatureTable& training, std::span<const int> labels,
                               const ClassifierSpec& spec,
                               const std::optional<gpu::GpuDevice>& gpu = std::nullopt,
                               const ClassSums* sums = nullptr, const FitWork::Listener& done = {});
  static constexpr int kOutlierFolds = 5;
  static constexpr double kUnknownShare = 0.1;
  /// Enough to fit the calibration. If all rows were judged, the search for their neighbours would
  /// grow with the square of their number.
  static constexpr std::size_t kMostJudged = 50000;

  /// Calls take(i, classifier) with a classifier fitted to the rows but which[i], for those i that
  /// need no fit of their own: with Projection::kPlda and answered_share 1, as
  /// FeaturePipeline::leave_out says; from several threads. `sums` are FeaturePipeline::sums_of()
  /// the rows. Returns the other i.
  static std::vector<std::size_t> leave_out(
      const FeatureTable& training, std::span<const int> labels, const ClassifierSpec& spec,
      const ClassSums& sums, std::span<const std::size_t> which,
      const std::function<void(std::size_t, const NearestClassifier&)>& take);

  /// The rows of a classifier: HalfRows where is_probed, else an index.
  using Rows = std::variant<KnnIndex, HalfRows>;
  /// Whether a classifier of so many classes searches a ProbedIndex.
  static bool is_probed(const ClassifierSpec& spec, std::size_t classes) {
    return spec.is_plda() && classes > kSearchedClasses;
  }

  /// Uses saved parts; `means` are those of the likelihood() with Projection::kPlda, else empty.
  /// Throws FormatError, naming `source`, when they do not fit together.
  NearestClassifier(ClassifierSpec spec, FeaturePipeline pipeline, Rows rows,
                    std::vector<int> labels, double threshold,
                    std::optional<OpenSetCalibration> calibration, const WordLimits& limits,
                    std::vector<double> means, const std::string& source);

  /// The spec as fitted, whose k may be smaller.
  const ClassifierSpec& spec() const { return spec_; }
  const FeaturePipeline& pipeline() const { return pipeline_; }
  const std::variant<KnnIndex, ProbedIndex>& index() const { return index_; }
  /// With Projection::kPlda, the classes as its directions see them.
  const std::optional<ClassLikelihood>& likelihood() const { return likelihood_; }
  std::span<const int> labels() const { return labels_; }  ///< class of each training row
  double threshold() const { return threshold_; }          ///< largest outlier score that is known
  /// Present with Projection::kPlda if a threshold was fitted.
  const std::optional<OpenSetCalibration>& calibration() const { return calibration_; }
  /// Those of WordLimits, or higher ones, which at most kStrangersSure and kStrangersLikely of the
  /// rows of classes left out reach.
  const WordLimits& limits() const { return limits_; }
  static constexpr double kStrangersSure = 0.02, kStrangersLikely = 0.05;

  /// For each training row, the prediction of the calibration's folds, if they judged it. Empty
  /// without a calibration, and for a classifier made from saved parts.
  std::span<const std::optional<LeftOutPrediction>> left_out() const { return left_out_; }

  /// The rows of the classes that the calibration's folds left out, judged by those folds and the
  /// threshold. None if left_out() is empty or there is a single class.
  const std::optional<LeftOutClasses>& left_out_classes() const { return left_out_classes_; }

  /// The nearest training rows of each row, as predict() compares them. Throws what the search of
  /// the index throws.
  NeighbourLists nearest(const FeatureTable& rows, std::size_t count) const;

  /// With Projection::kPlda, how typical a row is of a class: its log likelihood ratio. Otherwise
  /// none.
  std::optional<double> log_ratio(const FeatureTable& row, int label) const;

  /// The outlier score of each row.
  std::vector<double> outlier_scores(const FeatureTable& rows) const;

  /// Prediction i belongs to row i. Rankings have at least `top` classes, or all if there are
  /// fewer.
  std::vector<Prediction> predict(const FeatureTable& rows, std::size_t top) const;

 private:
  std::vector<std::vector<RankedClass>> rankings(const KnnIndex& index,
                                                 std::span<const float> queries,
                                                 const NeighbourLists& lists,
                                                 std::size_t top) const;
  void rank_all_classes(const KnnIndex& index, std::span<const float> queries,
                        const NeighbourLists& lists, std::span<const std::size_t> which,
                        std::span<std::vector<RankedClass>> rankings) const;
  void rank_by_likelihood(std::span<const float> queries, const NeighbourLists& lists,
                          std::vector<Prediction>& predictions) const;
  void calibrate(std::span<const JudgedRows> of_split, std::size_t folds);

  ClassifierSpec spec_;
  FeaturePipeline pipeline_;
  std::vector<int> labels_;
  double threshold_;
  std::optional<OpenSetCalibration> calibration_;
  WordLimits limits_;
  std::optional<ClassLikelihood> likelihood_;
  std::vector<std::optional<LeftOutPrediction>> left_out_;
  std::optional<LeftOutClasses> left_out_classes_;
  std::vector<std::uint32_t> classes_;  // of each row, as an index among the ascending labels
  std::size_t class_count_ = 0;         // number of distinct labels
  std::variant<KnnIndex, ProbedIndex> index_;
};

/// Mean distance of the neighbours of a query, which is its outlier score.
double mean_distance(std::span<const Neighbour> neighbours);

}  // namespace leafglyph
