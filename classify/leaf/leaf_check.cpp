#include "classify/leaf/leaf_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "classify/table/folds.h"
#include "features/base/statistics.h"

namespace leafglyph {
namespace {

void add_misfiled(const JudgedLeaves& leaves, std::size_t row, int prediction,
                  std::vector<LookAt>& look) {
  std::string text = leaves.names[row] + ": looks like " +
                     leaves.class_names[static_cast<std::size_t>(prediction)];
  if (!leaves.validation.probabilities.empty()) {
    const Grounds grounds{.probability = leaves.validation.probabilities[row]};
    if (decide({grounds}).word() == Word::kDoubtful) return;
    text += fmt::format(" ({:.0f} %)", 100 * leaves.validation.probabilities[row]);
  }
  look.push_back({Look::kMisfiled, row, std::move(text), prediction});
}

// The leaves that the folds misidentified.
LeafCheck judged(const JudgedLeaves& leaves) {
  const auto rows = rows_by_class(leaves.labels);
  std::map<std::pair<int, int>, std::size_t> confused;
  LeafCheck check;
  for (std::size_t row = 0; row < leaves.labels.size(); ++row) {
    const std::optional<int> prediction = leaves.validation.predictions[row];
    const int label = leaves.labels[row];
    // The only leaf of a class cannot be identified.
    if (!prediction || *prediction == label || rows.at(label).size() == 1) continue;
    add_misfiled(leaves, row, *prediction, check.look);
    ++confused[{label, *prediction}];
  }
  for (const auto& [pair, count] : confused) {
    check.confusions.push_back({pair.first, pair.second, count});
  }
  std::ranges::stable_sort(check.confusions, std::greater{}, &Confusion::leaves);
  return check;
}

void add_copies(const LeafData& data, std::size_t row, std::vector<LookAt>& look) {
  const std::size_t first = data.photographs[row];
  if (first == row) return;
  const bool other = data.labels[first] != data.labels[row];
  look.push_back({other ? Look::kOtherSpecies : Look::kTwice, row,
                  data.names[row] + ": the same photograph as " + data.names[first]});
}

// In a class of one or two leaves the median says nothing about the others.
constexpr std::size_t kFewestForBlur = 3;
// Narrower outlines are sharp. Differences among them come from the pixel size, and so from the
// camera.
constexpr double kSharpEdge = 0.03;

void add_blurred(const LeafData& data, std::vector<LookAt>& look) {
  for (const auto& [label, rows] : rows_by_class(data.labels)) {
    if (rows.size() < kFewestForBlur) continue;
    std::vector<double> widths;
    for (const std::size_t row : rows) {
      if (data.edge_widths[row] > 0) widths.push_back(data.edge_widths[row]);
    }
    if (widths.empty()) continue;  // of leaves on plants none is measured
    const double usual = median(std::move(widths));
    for (const std::size_t row : rows) {
      if (data.edge_widths[row] <= std::max(kSharpEdge, kBlurredEdge * usual)) continue;
      look.push_back(
          {Look::kBlurred, row,
           fmt::format("{}: its outline is {:.1f} times as wide as usual for its species",
                       data.names[row], data.edge_widths[row] / usual)});
    }
  }
}

}  // namespace

Look look_of(const LeafWarning& remark) {
  return remark.text == kUnclearLeaf ? Look::kUnclear : Look::kRemark;
}

LeafCheck check_leaves(const LeafData& data, const CrossValidation& validation) {
  LeafCheck check = judged({data.names, data.labels, data.dataset.class_names, validation});
  for (std::size_t row = 0; row < data.labels.size(); ++row) add_copies(data, row, check.look);
  add_blurred(data, check.look);
  for (const std::string& error : data.errors) {
    check.look.push_back({Look::kNoLeaf, std::nullopt, error});
  }
  for (const std::string& line : data.left_out) {
    check.look.push_back({Look::kUnclear, std::nullopt, line});
  }
  for (const LeafWarning& remark : data.remarks) {
    check.look.push_back(
        {look_of(remark), remark.leaf, data.names[remark.leaf] + ": " + remark.text});
  }
  std::ranges::stable_sort(check.look, {}, &LookAt::look);
  return check;
}

LeafCheck check_grown(const LeafCheck& before, std::vector<LookAt> seen,
                      const JudgedLeaves& leaves) {
  LeafCheck check = judged(leaves);
  std::ranges::copy_if(before.look, std::back_inserter(check.look),
                       [](const LookAt& at) { return at.look != Look::kMisfiled; });
  std::ranges::move(seen, std::back_inserter(check.look));
  std::ranges::stable_sort(check.look, {}, &LookAt::look);
  return check;
}

std::optional<MorePhotographs> more_photographs(const LeafConfig& config, const LeafData& data,
                                                const LeafRun& run) {
  if (data.dataset.class_names.size() < 2) return std::nullopt;
  for (const auto& [label, rows] : rows_by_class(data.labels)) {
    if (rows.size() < 2) return std::nullopt;
  }
  SavedSplits folds;
  folds.protocol.kind = ProtocolKind::kFolds;
  folds.protocol.repeats = 1;
  folds.protocol.folds = kFewestFolds;
  folds.splits = stratified_folds(data.labels, kFewestFolds, folds.protocol.seed);
  std::erase_if(folds.splits, [](const Split& split) { return split.test.empty(); });
  LearningCurve curve = learning_curve(config, data, folds, run);
  if (curve.points.size() < 2) return std::nullopt;
  const LearningForecast forecast(curve.points, data.labels.size());
  return MorePhotographs{std::move(curve), forecast, median_leaves(data.labels)};
}

}  // namespace leafglyph
