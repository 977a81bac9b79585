#include "classify/evaluation/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "classify/classifier/predictions.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// The results of one split.
struct SplitOutcome {
  std::vector<TestPrediction> predictions;
  std::vector<TestPrediction> unknown_predictions;
  std::optional<TunedSettings> tuned;
  std::size_t dropped_columns = 0;
  ClassifierSpec fitted;
};

// Appends the predictions for `rows`, which are the test leaves of split `number` or its leaves of
// unknown classes. `test_rows` are their features, `log_area` is mean_log_area() of the training
// rows.
void predict_rows(const NearestClassifier& classifier, const std::optional<double>& log_area,
                  FeatureTable test_rows, std::span<const int> labels, const Split& split,
                  std::size_t number, std::span<const std::size_t> rows,
                  std::vector<TestPrediction>& all) {
  std::vector<Prediction> predictions = predict(classifier, log_area, test_rows, kRankedClasses);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    TestPrediction& test = all.emplace_back();
    test.split = number;
    test.sample = rows[i];
    test.truth = labels[test.sample];
    test.ranking = std::move(predictions[i].ranking);
    for (const Neighbour& neighbour : predictions[i].neighbours) {
      test.neighbours.push_back(split.train[static_cast<std::size_t>(neighbour.row)]);
      test.distances.push_back(neighbour.distance);
    }
    test.outlier_score = predictions[i].outlier_score;
    test.probability = predictions[i].probability;
    test.decision = predictions[i].decision;
  }
}

// The sums of a split's training rows. Those of the others are taken off the sums of all rows if
// they are fewer; the result is the same to the last bit.
ClassSums sums_of_split(const FeatureTable& all, std::span<const int> labels, const Split& split,
                        const PipelineSpec& spec, const ClassSums& sums) {
  if (2 * split.train.size() < labels.size()) {
    return FeaturePipeline::sums_of(all, labels, spec, split.train);
  }
  std::vector<std::size_t> others;
  auto next = split.train.begin();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (next != split.train.end() && *next == i) {
      ++next;
    } else {
      others.push_back(i);
    }
  }
  ClassSums of_split = sums;
  of_split.take_off(FeaturePipeline::sums_of(all, labels, spec, others));
  return of_split;
}

// Whether each split tests one row with a classifier of all others.
bool leaves_one_out(std::span<const Split> splits, std::size_t rows) {
  return std::ranges::all_of(splits, [&](const Split& split) {
    return split.test.size() == 1 && split.train.size() + 1 == rows;
  });
}

// The sums of all rows, which the splits share if they do not choose their columns.
std::optional<ClassSums> shared_sums(const FeatureTable& table, std::span<const int> labels,
                                     const EvaluationSpec& spec) {
  if (spec.classifier.pipeline.projection != Projection::kPlda || spec.tuning.asks()) return {};
  std::vector<std::size_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return FeaturePipeline::sums_of(table, labels, spec.classifier.pipeline, rows);
}

SplitOutcome run_split(const FeatureTable& all, std::span<const int> labels, const Split& split,
                       std::size_t number, const EvaluationSpec& spec,
                       const std::optional<gpu::GpuDevice>& gpu,
                       const std::optional<ClassSums>& shared) {
  const std::vector<int> train_labels = select_labels(labels, split.train);
  FeatureTable training = select_rows(all, split.train);
  SplitOutcome outcome;
  LeafSettings settings{all.layout.order, all.layout.group_names(), spec.classifier};
  if (spec.tuning.asks()) {
    outcome.tuned = tune(training, train_labels, spec.tuning, spec.classifier);
    settings = outcome.tuned->settings;
    training = select_columns(training, settings);
  }
  std::optional<ClassSums> own;
  if (shared) own = sums_of_split(all, labels, split, settings.classifier.pipeline, *shared);
  const NearestClassifier fitted = NearestClassifier::fit(
      training, train_labels, settings.classifier, gpu, own ? &*own : nullptr);
  outcome.dropped_columns = fitted.pipeline().dropped_columns();
  outcome.fitted = fitted.spec();
  const auto add_predictions = [&](std::span<const std::size_t> rows,
                                   std::vector<TestPrediction>& predictions) {
    if (rows.empty()) return;
    FeatureTable test_rows = select_columns(select_rows(all, rows), settings);
    predict_rows(fitted, mean_log_area(training), std::move(test_rows), labels, split, number, rows,
                 predictions);
  };
  add_predictions(split.test, outcome.predictions);
  add_predictions(split.unknown, outcome.unknown_predictions);
  return outcome;
}

// The outcomes of splits that leave one row out. Returns those that need a fit of their own.
std::vector<std::size_t> outcomes_without_one(const FeatureTable& all, std::span<const int> labels,
                                              std::span<const Split> splits,
                                              const EvaluationSpec& spec, const ClassSums& sums,
                                              const std::function<void()>& done,
                                              std::vector<SplitOutcome>& outcomes) {
  std::vector<std::size_t> tested;
  for (const Split& split : splits) tested.push_back(split.test.front());
  return NearestClassifier::leave_out(
      all, labels, spec.classifier, sums, tested,
      [&](std::size_t s, const NearestClassifier& fitted) {
        outcomes[s].dropped_columns = fitted.pipeline().dropped_columns();
        outcomes[s].fitted = fitted.spec();
        // The training rows' area is asked for only with a calibration.
        predict_rows(fitted, /*log_area=*/std::nullopt, select_rows(all, splits[s].test), labels,
                     splits[s], s, splits[s].test, outcomes[s].predictions);
        if (done) done();
      });
}

// The outcomes, in order.
void collect(std::vector<SplitOutcome>& outcomes, EvaluationResult& result) {
  result.dropped_columns = outcomes.front().dropped_columns;
  result.fitted = outcomes.front().fitted;
  for (SplitOutcome& outcome : outcomes) {
    std::move(outcome.predictions.begin(), outcome.predictions.end(),
              std::back_inserter(result.predictions));
    std::move(outcome.unknown_predictions.begin(), outcome.unknown_predictions.end(),
              std::back_inserter(result.unknown_predictions));
    if (outcome.tuned) result.tuned.push_back(std::move(*outcome.tuned));
  }
}

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

SplitScore score(std::span<const TestPrediction> predictions, std::size_t train,
                 std::size_t classes) {
  std::size_t top1 = 0;
  std::size_t top3 = 0;
  std::size_t top5 = 0;
  std::size_t known = 0;
  std::size_t known_correct = 0;
  std::vector<ClassScore> by_class(classes);
  for (const TestPrediction& prediction : predictions) {
    const bool correct = prediction.hit(1);
    top1 += correct;
    top3 += prediction.hit(3);
    top5 += prediction.hit(5);
    known += prediction.decision.known();
    known_correct += prediction.decision.known() && correct;
    ClassScore& truth = by_class[static_cast<std::size_t>(prediction.truth)];
    ++truth.tests;
    truth.correct += correct;
  }
  double recall_sum = 0.0;
  std::size_t tested = 0;
  for (const ClassScore& c : by_class) {
    recall_sum += c.recall();
    tested += c.tests > 0;
  }
  const std::size_t tests = predictions.size();
  return {train,
          tests,
          ratio(top1, tests),
          ratio(top3, tests),
          ratio(top5, tests),
          tested == 0 ? 0.0 : recall_sum / static_cast<double>(tested),
          ratio(known, tests),
          ratio(known_correct, known),
          /*unknown=*/0,
          /*rejected=*/0.0};
}

// Leave-one-out has one test leaf per split, so its figures are computed from all predictions
// together.
std::vector<SplitScore> score_splits(const EvaluationResult& result,
                                     std::span<const Split> splits) {
  const std::size_t classes = result.class_names.size();
  if (result.protocol.kind == ProtocolKind::kLeaveOneOut) {
    return {score(result.predictions, splits.front().train.size(), classes)};
  }
  std::vector<SplitScore> scores;
  std::size_t first = 0;
  std::size_t first_unknown = 0;
  for (const Split& split : splits) {
    scores.push_back(score(std::span(result.predictions).subspan(first, split.test.size()),
                           split.train.size(), classes));
    const auto unknown =
        std::span(result.unknown_predictions).subspan(first_unknown, split.unknown.size());
    const auto rejected = std::count_if(
        unknown.begin(), unknown.end(),
        [](const TestPrediction& prediction) { return !prediction.decision.known(); });
    scores.back().unknown = unknown.size();
    scores.back().rejected = ratio(static_cast<std::size_t>(rejected), unknown.size());
    first += split.test.size();
    first_unknown += split.unknown.size();
  }
  return scores;
}

void tabulate(EvaluationResult& result) {
  const std::size_t classes = result.class_names.size();
  result.classes.assign(classes, {});
  result.confusion.assign(classes * classes, 0);
  for (const TestPrediction& prediction : result.predictions) {
    const auto truth = static_cast<std::size_t>(prediction.truth);
    const auto predicted = static_cast<std::size_t>(prediction.predicted());
    ++result.confusion[truth * classes + predicted];
    ++result.classes[truth].tests;
    result.classes[truth].correct += truth == predicted;
    ++result.classes[predicted].predicted;
  }
}

void count_words(EvaluationResult& result) {
  std::vector<double> probabilities;
  std::vector<std::uint8_t> right;
  for (const TestPrediction& prediction : result.predictions) {
    if (!prediction.probability) return;
    probabilities.push_back(*prediction.probability);
    right.push_back(prediction.hit(1) ? 1 : 0);
    WordScore& score = result.words[static_cast<std::size_t>(*prediction.decision.word())];
    ++score.predictions;
    score.right += right.back();
  }
  result.reliability = reliability_of(probabilities, right);
  for (const TestPrediction& prediction : result.unknown_predictions) {
    WordScore& score = result.unknown_words[static_cast<std::size_t>(*prediction.decision.word())];
    ++score.predictions;
    score.right += !prediction.decision.known();
  }
}

Summary summarise(const std::vector<SplitScore>& splits, double SplitScore::*figure) {
  std::vector<double> values;
  values.reserve(splits.size());
  for (const SplitScore& split : splits) values.push_back(split.*figure);
  return leafglyph::summarise(values);
}

}  // namespace

Reliability reliability_of(std::span<const double> probabilities,
                           std::span<const std::uint8_t> right) {
  if (probabilities.empty()) return {};
  Reliability bins(kReliabilityBins);
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const auto place = static_cast<std::size_t>(probabilities[i] * kReliabilityBins);
    ReliabilityBin& bin = bins[std::min(kReliabilityBins - 1, place)];
    ++bin.predictions;
    bin.right += right[i] != 0;
    bin.probabilities += probabilities[i];
  }
  return bins;
}

double calibration_error(const Reliability& reliability) {
  double error = 0, predictions = 0;
  for (const ReliabilityBin& bin : reliability) {
    error += std::abs(static_cast<double>(bin.right) - bin.probabilities);
    predictions += static_cast<double>(bin.predictions);
  }
  return predictions == 0 ? 0.0 : error / predictions;
}

bool TestPrediction::hit(std::size_t top) const {
  const auto end = ranking.begin() + static_cast<std::ptrdiff_t>(std::min(top, ranking.size()));
  return std::any_of(ranking.begin(), end,
                     [&](const RankedClass& ranked) { return ranked.label == truth; });
}

double WordScore::share(std::size_t all) const { return ratio(predictions, all); }
double WordScore::right_share() const { return ratio(right, predictions); }
double ClassScore::recall() const { return ratio(correct, tests); }
double ClassScore::precision() const { return ratio(correct, predicted); }

Summary summarise(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Summary summary;
  for (const double v : values) summary.mean += v / n;
  if (values.size() < 2) return summary;
  for (const double v : values) {
    summary.deviation += (v - summary.mean) * (v - summary.mean) / (n - 1.0);
  }
  summary.deviation = std::sqrt(summary.deviation);
  return summary;
}

Interval wilson_interval(double share, double tests, const std::string& what) {
  constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % of the standard normal
  const double z2 = kNormalQuantile * kNormalQuantile / tests;
  const double centre = (share + z2 / 2.0) / (1.0 + z2);
  const double half =
      kNormalQuantile / (1.0 + z2) * std::sqrt((share * (1.0 - share) + z2 / 4.0) / tests);
  return {std::max(0.0, centre - half), std::min(1.0, centre + half), "Wilson, on " + what};
}

Interval confidence_interval(const EvaluationResult& result) {
  const double mean = result.top1.mean;
  const bool shares_leaves = result.protocol.kind == ProtocolKind::kSplits ||
                             result.protocol.kind == ProtocolKind::kBlocks;
  if (!shares_leaves || result.splits.size() < 2) {
    std::size_t tests = 0;
    for (const SplitScore& split : result.splits) tests += split.test;
    const int repeats = result.protocol.kind == ProtocolKind::kFolds ? result.protocol.repeats : 1;
    const auto distinct = tests / static_cast<std::size_t>(repeats);
    return wilson_interval(mean, static_cast<double>(distinct),
                           fmt::format("{} predictions", distinct));
  }
  const auto splits = static_cast<double>(result.splits.size());
  const double overlap = ratio(result.splits.front().test, result.splits.front().train);
  const boost::math::students_t student(splits - 1.0);
  const double half = boost::math::quantile(student, 0.975) * result.top1.deviation *
                      std::sqrt(1.0 / splits + overlap);
  return {std::max(0.0, mean - half), std::min(1.0, mean + half),
          "Student, corrected for leaves that splits share (Nadeau and Bengio)"};
}

EvaluationResult evaluate(const FeatureTable& table, std::span<const int> labels,
                          std::span<const std::string> class_names, std::span<const Split> splits,
                          const EvaluationSpec& spec, const std::function<void()>& done,
                          const std::optional<gpu::GpuDevice>& gpu) {
  if (splits.empty()) throw UsageError("there is no split to evaluate");
  EvaluationResult result;
  result.protocol = spec.protocol;
  result.classifier = spec.classifier;
  result.tuning = spec.tuning;
  result.layout = table.layout;
  result.class_names.assign(class_names.begin(), class_names.end());
  result.scientific_names.assign(class_names.size(), "");
  std::vector<SplitOutcome> outcomes(splits.size());
  const std::optional<ClassSums> shared = shared_sums(table, labels, spec);
  std::vector<std::size_t> to_run(splits.size());
  std::iota(to_run.begin(), to_run.end(), std::size_t{0});
  if (shared && leaves_one_out(splits, labels.size())) {
    to_run = outcomes_without_one(table, labels, splits, spec, *shared, done, outcomes);
  }
  parallel_for(to_run.size(), [&](std::size_t i) {
    const std::size_t s = to_run[i];
    throw_if_interrupted();
    const MemoryReservation memory = memory_to_fit(table, splits[s].train.size(), spec.classifier);
    outcomes[s] = run_split(table, labels, splits[s], s, spec, gpu, shared);
    if (done) done();
  });
  collect(outcomes, result);
  result.splits = score_splits(result, splits);
  tabulate(result);
  count_words(result);
  result.top1 = summarise(result.splits, &SplitScore::top1);
  result.top3 = summarise(result.splits, &SplitScore::top3);
  result.top5 = summarise(result.splits, &SplitScore::top5);
  result.macro = summarise(result.splits, &SplitScore::macro);
  result.answered = summarise(result.splits, &SplitScore::answered);
  result.answered_correct = summarise(result.splits, &SplitScore::answered_correct);
  result.rejected = summarise(result.splits, &SplitScore::rejected);
  result.interval = confidence_interval(result);
  return result;
}

namespace {

constexpr int kSteps = 10;
constexpr double kLowestShare = 0.5;

// Top-1 accuracy of the `count` predictions with the lowest outlier scores.
double accuracy(const std::vector<const TestPrediction*>& sorted, std::size_t count) {
  const auto hits =
      std::count_if(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                    [](const TestPrediction* prediction) { return prediction->hit(1); });
  return static_cast<double>(hits) / static_cast<double>(count);
}

// Share of a split's held-back leaves whose outlier score is above `threshold`.
double rejected_share(const std::vector<TestPrediction>& unknown, std::size_t split,
                      double threshold) {
  std::size_t leaves = 0;
  std::size_t rejected = 0;
  for (const TestPrediction& prediction : unknown) {
    if (prediction.split != split) continue;
    ++leaves;
    rejected += !decide({{prediction.outlier_score, threshold}}).known();
  }
  return leaves == 0 ? 0.0 : static_cast<double>(rejected) / static_cast<double>(leaves);
}

}  // namespace

std::vector<RejectionPoint> rejection_curve(const EvaluationResult& result) {
  const bool pooled = result.splits.size() == 1;
  std::map<std::size_t, std::vector<const TestPrediction*>> splits;
  for (const TestPrediction& prediction : result.predictions) {
    splits[pooled ? 0 : prediction.split].push_back(&prediction);
  }
  for (auto& [split, predictions] : splits) {
    std::stable_sort(predictions.begin(), predictions.end(),
                     [](const TestPrediction* a, const TestPrediction* b) {
                       return a->outlier_score < b->outlier_score;
                     });
  }
  std::vector<RejectionPoint> curve;
  for (int step = 0; step <= kSteps; ++step) {
    const double share = kLowestShare + (1.0 - kLowestShare) * step / kSteps;
    std::vector<double> values;
    std::vector<double> rejected;
    for (const auto& [split, predictions] : splits) {
      const auto wanted = static_cast<std::size_t>(
          std::ceil(share * static_cast<double>(predictions.size()) - 1e-9));
      values.push_back(accuracy(predictions, wanted));
      rejected.push_back(rejected_share(result.unknown_predictions, split,
                                        predictions[wanted - 1]->outlier_score));
    }
    curve.push_back({share, summarise(values), summarise(rejected)});
  }
  return curve;
}

}  // namespace leafglyph
