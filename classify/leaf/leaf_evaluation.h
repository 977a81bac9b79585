// The leaf pipeline from end to end: evaluate, sweep the order, classify.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/evaluation/evaluate.h"
#include "classify/evaluation/split_file.h"
#include "classify/leaf/leaf_config.h"
#include "classify/leaf/leaf_data.h"
#include "classify/leaf/model_folder.h"

namespace leafglyph {

/// Everything of an evaluation that a report speaks of.
struct LeafEvaluation {
  LeafConfig config;
  std::string data_description;
  LeafDataset dataset;                    ///< indexed by TestAnswer::sample, as are the names
  std::vector<std::string> sample_names;  ///< by leaf_name
  EvaluationResult result;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<StageTime> times;
};

/// Splits that were saved, by the names of their leaves, and are used instead of drawn ones.
struct SplitFiles {
  std::filesystem::path read;   ///< empty: the protocol draws them
  std::filesystem::path write;  ///< empty: they are not saved
};

/// Evaluates by the configuration's protocol. Throws UsageError when the protocol does not fit the
/// data, and what the parts throw.
LeafEvaluation evaluate_leaves(const LeafConfig& config, const SplitFiles& splits,
                               const LeafRun& run);

/// What evaluate_leaves loads: the leaves that the splits may speak of, to `order`.
LeafData load_evaluation_data(const LeafConfig& config, const SplitFiles& files, int order,
                              const LeafRun& run);
/// The splits of `files`, or of the configuration's protocol; written where `files` says.
SavedSplits leaf_splits(const LeafConfig& config, const LeafData& data, const SplitFiles& files);
/// Evaluates on data that was loaded to the configuration's order or a higher one.
LeafEvaluation evaluate_leaves(const LeafConfig& config, const LeafData& data,
                               const SavedSplits& splits, const LeafRun& run);

/// Accuracy at one order.
struct SweepPoint {
  int order = 0;
  std::size_t columns = 0;
  Summary top1;
  Interval interval;
};

struct LeafSweep {
  LeafConfig config;
  std::string data_description;
  std::string tuned;               ///< how settings were chosen at every order; empty: none were
  std::vector<SweepPoint> points;  ///< as asked for
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
  std::vector<StageTime> times;
};

/// Evaluates at each order, on the same splits; features are computed once, at the highest. What
/// the configuration tunes is tuned at each order, except the order. Throws UsageError when
/// `orders` is empty, and what evaluate_leaves throws.
LeafSweep sweep_leaves(const LeafConfig& config, std::span<const int> orders, const LeafRun& run);
/// The same on data that was loaded to the highest order or a higher one.
LeafSweep sweep_leaves(const LeafConfig& config, const LeafData& data, const SavedSplits& splits,
                       std::span<const int> orders, const LeafRun& run);

/// Published accuracy in percent of the pipeline that `geometry: published` rebuilds: Flavia, one
/// split of 40 and 10 leaves a species.
struct PublishedPoint {
  int order;
  double percent;
};
std::span<const PublishedPoint> published_sweep();
/// The published figure at the configuration's order, the highest of those that it chooses among;
/// none at other orders and for other data.
const PublishedPoint* published_for(const LeafConfig& config);

/// What became of one image: an answer or an error.
struct ClassifiedLeaf {
  std::filesystem::path file;
  std::optional<Answer> answer;
  std::vector<float> features;  ///< a row of the model's layout; empty when there is no answer
  std::vector<std::string> warnings;
  std::string error;          ///< one line that names the file; empty when there is an answer
  double source_aspect = 0;   ///< that the file was squeezed from, if it is square; 0: it was not
  int number = 0;             ///< among the leaves of its photograph, from 1; 0: it is the only one
  PictureBox box = {};        ///< of a numbered leaf
  SmallPicture picture = {};  ///< of a numbered leaf
};
/// "sheet.jpg", "sheet.jpg #2".
std::string shown_name(const ClassifiedLeaf& leaf);

/// Fills in what the model says of prepared leaves (answers_of): leaves[i] is of results[i].
void answer_prepared(const LeafModel& model, LeafFeatureExtractor& extractor,
                     std::span<const PreparedLeaf* const> leaves, std::size_t top,
                     std::span<ClassifiedLeaf* const> results);

/// Answers for `files`, in their order; a bad one does not stop the others. `take` gets them part
/// by part, and nothing of a part is kept here. Rankings hold `top` classes. Square files were
/// squeezed from `source_aspect`; without it every file is taken as it is, and a warning says so
/// where the model's own square files are not. Files are strings, since a path takes five times
/// their memory.
void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take);
/// The same, all at once.
std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect = std::nullopt);

/// A photograph with several leaves.
struct LeafSheet {
  std::filesystem::path file;
  std::vector<ClassifiedLeaf> leaves;  ///< from the top; a single one with an error where none is
  SmallPicture numbered;               ///< the photograph with the leaves' numbers
};
/// Longer sides, in pixels, of the pictures of a sheet and of a leaf on it.
inline constexpr int kSheetSide = 1200, kSheetLeafSide = 400;

/// The same for every leaf that is found in each photograph (prepare_leaves), photograph by
/// photograph. Where there are several, the share of the photograph that a leaf covers counts as
/// that of the training leaves.
void classify_every_leaf(const LeafModel& model, std::span<const std::string> files,
                         std::size_t top, const LeafRun& run, std::optional<double> source_aspect,
                         const std::function<void(LeafSheet)>& take);

}  // namespace leafglyph
