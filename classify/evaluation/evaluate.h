// Evaluation of a classifier by a protocol: every prediction, and the figures computed from them.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/classifier/nearest_classifier.h"
#include "classify/evaluation/protocol.h"
#include "classify/evaluation/tuning.h"

namespace leafglyph {

/// The prediction for one test leaf. Samples are positions in the data set.
struct TestPrediction {
  std::size_t split = 0;
  std::size_t sample = 0;
  int truth = 0;
  std::vector<RankedClass> ranking;  ///< the first kRankedClasses
  std::vector<std::size_t> neighbours;
  std::vector<float> distances;  ///< of the neighbours
  double outlier_score = 0;
  std::optional<double> probability = std::nullopt;  ///< that the first class is correct
  Decision decision = {};

  int predicted() const { return ranking.front().label; }
  /// Whether the true class is among the first `top`.
  bool hit(std::size_t top) const;
};
inline constexpr std::size_t kRankedClasses = 5;

/// Figures of one split, as shares 0..1. Rejection does not affect top1, top3, top5 and macro.
struct SplitScore {
  std::size_t train = 0;
  std::size_t test = 0;
  double top1 = 0;
  double top3 = 0;
  double top5 = 0;
  double macro = 0;             ///< mean over classes of the share identified correctly
  double answered = 1;          ///< share of leaves identified, not rejected
  double answered_correct = 0;  ///< top-1 among the identified ones
  std::size_t unknown = 0;      ///< number of leaves of the classes held back
  double rejected = 0;          ///< share of these that was rejected
};

struct Summary {
  double mean = 0;
  double deviation = 0;  ///< sample standard deviation over splits; 0 for a single one
};

/// 95 % confidence interval of the expected top-1 accuracy.
struct Interval {
  double low = 0;
  double high = 0;
  std::string method;
};

/// Figures of one class over all splits.
struct ClassScore {
  std::size_t tests = 0;
  std::size_t correct = 0;
  std::size_t predicted = 0;  ///< how often this class was predicted
  double recall() const;      ///< 0 if the class was never tested
  double precision() const;   ///< 0 if the class was never predicted
};

/// Predictions with the same word.
struct WordScore {
  std::size_t predictions = 0;
  std::size_t right = 0;
  double share(std::size_t all) const;  ///< share of `all` predictions; 0 if there are none
  double right_share() const;           ///< 0 if there are no predictions
};
inline constexpr std::size_t kWords = 4;  ///< number of values of Word

/// What is evaluated and how.
struct EvaluationSpec {
  ProtocolSpec protocol;  ///< describes the origin of the splits
  ClassifierSpec classifier;
  TuningSpec tuning = {};  ///< repeated in every split, on its training rows
};

/// Predictions whose probabilities lie in one bin.
struct ReliabilityBin {
  std::size_t predictions = 0;
  std::size_t right = 0;
  double probabilities = 0;  ///< their sum
};
/// The bins in the order of their probabilities; empty without predictions.
using Reliability = std::vector<ReliabilityBin>;

struct EvaluationResult {
  ProtocolSpec protocol;
  ClassifierSpec classifier;
  FeatureLayout layout;  ///< of all columns that can be chosen
  TuningSpec tuning;
  std::vector<TunedSettings> tuned;  ///< of each split; empty when nothing is tuned
  std::vector<std::string> class_names;
  std::vector<std::string> scientific_names;
  std::vector<TestPrediction> predictions;  ///< split by split
  std::vector<TestPrediction>
      unknown_predictions;         ///< for leaves of the classes held back, split by split
  std::vector<SplitScore> splits;  ///< leave-one-out: a single one that pools all splits
  Summary top1, top3, top5, macro, answered, answered_correct, rejected;
  Interval interval;
  std::array<WordScore, kWords> words;  ///< by Word, of `predictions`
  /// By Word, of `unknown_predictions`; the right word for these is unknown.
  std::array<WordScore, kWords> unknown_words;
  Reliability reliability;  ///< of `predictions`; empty without probabilities
  std::vector<ClassScore> classes;
  std::vector<std::size_t> confusion;  ///< [truth * classes + prediction], over all splits
  std::size_t dropped_columns = 0;     ///< constant in the training rows of the first split
  ClassifierSpec fitted;               ///< of the first split: its k may be smaller
};

/// Fits to each split's training rows and classifies its test rows (predict). Splits run in
/// parallel. Row i of the table is sample i of the data set that the splits refer to. `done`, which
/// may be empty, is called after each split, from any thread. Large searches run on `gpu` if there
/// is one. Throws what NearestClassifier::fit and tune throw, and Interrupted.
EvaluationResult evaluate(const FeatureTable& table, std::span<const int> labels,
                          std::span<const std::string> class_names, std::span<const Split> splits,
                          const EvaluationSpec& spec, const std::function<void()>& done = {},
                          const std::optional<gpu::GpuDevice>& gpu = std::nullopt);

Summary summarise(std::span<const double> values);

/// Wilson's interval for a share of `tests` predictions. `what` describes them in its method.
Interval wilson_interval(double share, double tests, const std::string& what);

/// For repeated splits and blocks: Student's interval with the variance of Nadeau and Bengio
/// (2003), (1 / splits + test / train) s^2, because splits share leaves. For folds and
/// leave-one-out: Wilson's interval on the predictions of one repeat.
Interval confidence_interval(const EvaluationResult& result);

struct RejectionPoint {
  double answered = 1;  ///< share of a split's test leaves that is kept
  Summary correct;      ///< top-1 accuracy among them, over splits
  Summary rejected;     ///< share of the leaves of held-back classes refused by the same rule
};

/// In each split, refuses the leaves with the largest outlier scores until the share `answered` is
/// left, from 0.5 to 1 in steps of 0.05. Of equal scores, the earlier leaf stays. Leave-one-out
/// counts as one split. Without classes held back, every leaf is of a known species; the curve then
/// shows how well the outlier score separates predictions that can be trusted from others.
std::vector<RejectionPoint> rejection_curve(const EvaluationResult& result);

/// The predictions by probability, in kReliabilityBins bins of equal width.
Reliability reliability_of(std::span<const double> probabilities,
                           std::span<const std::uint8_t> right);
inline constexpr std::size_t kReliabilityBins = 10;

/// Expected calibration error: the mean over bins of |share of correct predictions - mean
/// probability|, weighted by the number of predictions in each bin. 0 without predictions.
double calibration_error(const Reliability& reliability);

}  // namespace leafglyph
