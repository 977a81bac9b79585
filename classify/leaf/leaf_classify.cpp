#include "classify/leaf/leaf_classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "classify/classifier/predictions.h"
#include "classify/leaf/leaf_evidence.h"
#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Photographs that are classified together, on all threads: enough to keep every thread busy, few
// enough for the first predictions to arrive soon.
constexpr std::size_t kPhotographsPerPart = 128;

// Warns that `square` images were not stretched, although the model's own square files are.
void warn_of_squares(const LeafConfig& config, std::size_t square, const LeafRun& run) {
  const double own = preparation_for(config, config.data.source_aspect).source_aspect;
  if (square == 0 || own == 0.0) return;
  run.warn((square == 1 ? "1 image is square and was"
                        : fmt::format("{} images are square and were", square)) +
           std::string(" taken as ") + (square == 1 ? "it is" : "they are") +
           "; if squeezed from " + aspect_text(own) + ", like the model's photographs, use " +
           "--source-aspect " + aspect_text(own));
}

/// Collects leaves and their rows, and classifies all of them at once.
class Predictor {
 public:
  Predictor(const LeafModel& model, std::size_t top)
      : model_(model), top_(top), rows_{model.features.layout(), {}} {}

  /// The leaf must not move until finish().
  void add(ClassifiedLeaf& leaf, std::span<const float> values, std::vector<std::string> warnings,
           bool is_clear) {
    leaf.warnings = std::move(warnings);
    leaves_.push_back({&leaf, is_clear});
    rows_.values.insert(rows_.values.end(), values.begin(), values.end());
  }
  void finish() {
    std::vector<Prediction> predictions =
        predict(model_.classifier, model_.features.log_area(), rows_, top_);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const auto row = rows_.row(i);
      const auto& [leaf, is_clear] = leaves_[i];
      predictions[i].is_clear = is_clear;
      if (!is_clear || predictions[i].decision.word() == Word::kSure) weigh(predictions[i], row);
      leaf->prediction = std::move(predictions[i]);
      leaf->features.assign(row.begin(), row.end());
    }
  }

 private:
  void weigh(Prediction& prediction, std::span<const float> values) const {
    const FeatureTable row{model_.features.layout(), {values.begin(), values.end()}};
    weigh_evidence(model_, leaf_evidence(model_, prediction, row), prediction);
  }

  const LeafModel& model_;
  std::size_t top_;
  FeatureTable rows_;
  std::vector<std::pair<ClassifiedLeaf*, bool>> leaves_;  // and whether they are clear
};

// Keeps a single leaf from ruling out a class.
constexpr double kLeastProbability = 1e-6;

struct Support {
  double log_probability = 0;
  std::size_t voters = 0;
  float nearest = 0;  // distance of its nearest row among the leaves' neighbours
};

// Whether a leaf by itself is sure or likely to be of another class.
bool contradicts(const Prediction& prediction, int label) {
  const std::optional<Word> word = prediction.decision.word();
  return prediction.ranking.front().label != label &&
         (word == Word::kSure || word == Word::kLikely);
}

}  // namespace

std::string shown_name(const ClassifiedLeaf& leaf) {
  return part_name(leaf.file.string(), leaf.number);
}

std::vector<ClassifiedLeaf> classify_rows(const LeafModel& model, std::vector<MadeRows<float>> made,
                                          std::size_t top) {
  std::vector<ClassifiedLeaf> leaves(made.size());
  Predictor predictor(model, top);
  for (std::size_t i = 0; i < made.size(); ++i) {
    leaves[i].error = std::move(made[i].error);
    if (!leaves[i].error.empty()) continue;
    leaves[i].near_leaflets = leaf_of(*made[i].input.parts.front()).near_leaflets;
    predictor.add(leaves[i], made[i].values, std::move(made[i].warnings.front()),
                  leaf_of(*made[i].input.parts.front()).is_clear);
  }
  predictor.finish();
  return leaves;
}

void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take) {
  PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  preparation.bits = run.bits;
  if (run.one_leaf) preparation.parts = LeafParts::kTogether;
  std::size_t square = 0;
  const std::shared_ptr<const LeafRows> rows = leaf_rows(model.config, model.config.features.order);
  if (rows->joined() != nullptr) rows->joined()->check_distinct(files);
  MakerPool<float> makers(rows, run.engine);
  Progress progress("images", files.size(), run.progress);
  RowPipelineOptions options;
  options.advance = [&](std::size_t count) { progress.advance(count); };
  for (std::size_t first = 0; first < files.size(); first += kPhotographsPerPart) {
    const auto part = files.subspan(first, std::min(kPhotographsPerPart, files.size() - first));
    std::vector<MadeRows<float>> made;
    run_row_pipeline<float>(
        rows->completed(leaf_source(photographs_in(part, preparation), preparation)), makers,
        options, [&](MadeRows<float> one) { made.push_back(std::move(one)); });
    for (const MadeRows<float>& one : made) {
      square += one.error.empty() && leaf_of(*one.input.parts.front()).from_square;
    }
    std::vector<ClassifiedLeaf> results = classify_rows(model, std::move(made), top);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].file = part[i];
      results[i].source_aspect = source_aspect.value_or(0.0);
    }
    take(std::move(results));
  }
  if (!source_aspect) warn_of_squares(model.config, square, run);
}

std::vector<ClassifiedLeaf> classify_leaves(const LeafModel& model,
                                            std::span<const std::filesystem::path> files,
                                            std::size_t top, const LeafRun& run,
                                            std::optional<double> source_aspect) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const std::filesystem::path& file : files) names.push_back(file.string());
  std::vector<ClassifiedLeaf> all;
  classify_leaves(model, names, top, run, source_aspect, [&](std::vector<ClassifiedLeaf> part) {
    std::ranges::move(part, std::back_inserter(all));
  });
  return all;
}

namespace {

// The sheet, with its leaves but without predictions. parts[i] is the part that leaf i is.
LeafSheet sheet_of(const std::string& file, MadeRows<float>& made, double source_aspect,
                   std::vector<std::size_t>& parts) {
  LeafSheet sheet;
  sheet.file = file;
  for (std::size_t i = 0; i < made.input.parts.size(); ++i) {
    auto& found = static_cast<SheetPart&>(*made.input.parts[i]);
    if (!found.numbered.jpeg.empty()) sheet.numbered = std::move(found.numbered);
    if (!found.has_row()) continue;
    parts.push_back(i);
    ClassifiedLeaf& leaf = sheet.leaves.emplace_back();
    leaf.file = file;
    leaf.source_aspect = source_aspect;
    leaf.number = found.number;
    leaf.box = found.leaf.box;
    leaf.picture = std::move(found.picture);
  }
  if (sheet.leaves.empty()) {
    ClassifiedLeaf& none = sheet.leaves.emplace_back();
    none.file = file;
    none.error = !made.error.empty()
                     ? std::move(made.error)
                     : file + ": no leaf: what is on it is " + made.input.parts[0]->place().reason;
  }
  return sheet;
}

}  // namespace

void classify_every_leaf(const LeafModel& model, std::span<const std::string> files,
                         std::size_t top, const LeafRun& run, std::optional<double> source_aspect,
                         const std::function<void(LeafSheet)>& take) {
  PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  preparation.bits = run.bits;
  check_one_leaf_each(model.config.features.join);
  MakerPool<float> makers(leaf_rows(model.config, model.config.features.order), run.engine);
  // A sheet does not show how much of its own photograph a leaf would cover.
  const double area_share = usual_area_share(model.features.log_area());
  Progress progress("images", files.size(), run.progress);
  RowPipelineOptions options;
  options.advance = [&](std::size_t count) { progress.advance(count); };
  // A sheet has many leaves, so a few sheets at a time are enough.
  const auto sheets = 2 * static_cast<std::size_t>(thread_count());
  for (std::size_t first = 0; first < files.size(); first += sheets) {
    const auto part = files.subspan(first, std::min(sheets, files.size() - first));
    std::vector<LeafSheet> results;
    results.reserve(part.size());
    Predictor predictor(model, top);
    run_row_pipeline<float>(
        sheet_source(photographs_in(part, for_sheets(preparation)), preparation,
                     {.area_share = area_share, .pictures = true}),
        makers, options, [&](MadeRows<float> made) {
          std::vector<std::size_t> rows;
          LeafSheet& sheet = results.emplace_back(
              sheet_of(part[made.index], made, preparation.source_aspect, rows));
          const std::size_t width = makers.kind().columns();
          for (std::size_t i = 0; i < rows.size(); ++i) {
            predictor.add(sheet.leaves[i], std::span(made.values).subspan(rows[i] * width, width),
                          std::move(made.warnings[rows[i]]),
                          leaf_of(*made.input.parts[rows[i]]).is_clear);
          }
        });
    predictor.finish();
    for (LeafSheet& sheet : results) take(std::move(sheet));
  }
}

PlantPrediction same_plant(const LeafModel& model, std::span<const ClassifiedLeaf> leaves) {
  PlantPrediction plant;
  std::map<int, Support> classes;
  std::size_t unknown = 0, with_probability = 0;
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    ++plant.leaves;
    unknown += !leaf.prediction->decision.known();
    with_probability += leaf.prediction->probability.has_value();
    plant.voters += leaf.prediction->neighbours.size();
    classes.try_emplace(leaf.prediction->ranking.front().label);
    for (const Neighbour& neighbour : leaf.prediction->neighbours) {
      Support& of_class =
          classes[model.classifier.labels()[static_cast<std::size_t>(neighbour.row)]];
      of_class.nearest = of_class.voters == 0 ? neighbour.distance
                                              : std::min(of_class.nearest, neighbour.distance);
      ++of_class.voters;
    }
  }
  if (plant.leaves == 0) throw InputError("no photograph of the plant has a prediction");
  // A model of one class has the alternative that the plant is of another.
  const std::size_t alternatives = std::max<std::size_t>(2, model.class_names.size());
  const double others = static_cast<double>(alternatives) - 1.0;
  const double exponent = 1.0 / std::sqrt(static_cast<double>(plant.leaves));
  const auto log_of = [&](const Prediction& prediction, int label) {
    const double first = prediction.probability.value_or(0.0);
    const double p = prediction.ranking.front().label == label ? first : (1.0 - first) / others;
    return exponent * std::log(std::max(kLeastProbability, p));
  };
  double rest = 0.0;  // log probability of a class without any evidence
  for (const ClassifiedLeaf& leaf : leaves) {
    if (!leaf.prediction) continue;
    for (auto& [label, evidence] : classes) {
      evidence.log_probability += log_of(*leaf.prediction, label);
    }
    rest += log_of(*leaf.prediction, /*label=*/-1);
  }
  const bool calibrated = with_probability == plant.leaves;
  std::vector<std::pair<int, Support>> order(classes.begin(), classes.end());
  std::ranges::stable_sort(order, [&](const auto& a, const auto& b) {
    if (calibrated && a.second.log_probability != b.second.log_probability) {
      return a.second.log_probability > b.second.log_probability;
    }
    if (a.second.voters != b.second.voters) return a.second.voters > b.second.voters;
    return a.second.nearest < b.second.nearest;
  });
  for (const auto& [label, evidence] : order) plant.ranking.push_back({label, evidence.voters});
  if (calibrated) {
    const double best = order.front().second.log_probability;
    double sum = static_cast<double>(alternatives - order.size()) * std::exp(rest - best);
    for (const auto& [label, evidence] : order) sum += std::exp(evidence.log_probability - best);
    plant.probability = 1.0 / sum;
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].prediction && contradicts(*leaves[i].prediction, order.front().first)) {
      plant.contradicting.push_back(i);
    }
  }
  const double share = static_cast<double>(unknown) / static_cast<double>(plant.leaves);
  plant.decision =
      decide({{share, kMostUnknownLeaves, plant.probability,
               plant.contradicting.empty() ? Against::kNothing : Against::kAnotherClass,
               model.classifier.limits()}});
  return plant;
}

}  // namespace leafglyph
