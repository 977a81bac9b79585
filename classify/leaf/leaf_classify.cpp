#include "classify/leaf/leaf_classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "classify/knn/predictions.h"
#include "classify/support/progress.h"
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
  void add(ClassifiedLeaf& leaf, std::span<const float> values, std::vector<std::string> warnings) {
    leaf.warnings = std::move(warnings);
    leaves_.push_back(&leaf);
    rows_.values.insert(rows_.values.end(), values.begin(), values.end());
  }
  void finish() {
    std::vector<Prediction> predictions =
        predict(model_.classifier, model_.features.log_area(), rows_, top_);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      leaves_[i]->prediction = std::move(predictions[i]);
      const auto row = rows_.row(i);
      leaves_[i]->features.assign(row.begin(), row.end());
    }
  }

 private:
  const LeafModel& model_;
  std::size_t top_;
  FeatureTable rows_;
  std::vector<ClassifiedLeaf*> leaves_;
};

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
    predictor.add(leaves[i], made[i].values, std::move(made[i].warnings.front()));
  }
  predictor.finish();
  return leaves;
}

void classify_leaves(const LeafModel& model, std::span<const std::string> files, std::size_t top,
                     const LeafRun& run, std::optional<double> source_aspect,
                     const std::function<void(std::vector<ClassifiedLeaf>)>& take) {
  const PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
  std::size_t square = 0;
  MakerPool<float> makers(leaf_rows(model.config, model.config.features.order), run.engine);
  Progress progress("images", files.size(), run.progress);
  RowPipelineOptions options;
  options.advance = [&](std::size_t count) { progress.advance(count); };
  for (std::size_t first = 0; first < files.size(); first += kPhotographsPerPart) {
    const auto part = files.subspan(first, std::min(kPhotographsPerPart, files.size() - first));
    std::vector<MadeRows<float>> made;
    run_row_pipeline<float>(leaf_source(photographs_in(part, preparation), preparation), makers,
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
  const PrepareSpec preparation = preparation_for(model.config, source_aspect.value_or(0.0));
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
        sheet_source(photographs_in(part, preparation), preparation,
                     {.area_share = area_share, .pictures = true}),
        makers, options, [&](MadeRows<float> made) {
          std::vector<std::size_t> rows;
          LeafSheet& sheet = results.emplace_back(
              sheet_of(part[made.index], made, preparation.source_aspect, rows));
          const std::size_t width = makers.kind().columns();
          for (std::size_t i = 0; i < rows.size(); ++i) {
            predictor.add(sheet.leaves[i], std::span(made.values).subspan(rows[i] * width, width),
                          std::move(made.warnings[rows[i]]));
          }
        });
    predictor.finish();
    for (LeafSheet& sheet : results) take(std::move(sheet));
  }
}

}  // namespace leafglyph
