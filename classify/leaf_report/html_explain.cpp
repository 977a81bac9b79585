
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "classify/leaf/leaf_explain.h"
#include "classify/leaf_report/html_mistakes.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/leaf_report/report.h"
#include "classify/leaf_report/report_assets.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"
#include "classify/rows/leaf_outline.h"
#include "features/base/errors.h"
#include "features/base/limits.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr int kQuerySide = 400;  // pixels

std::string training_picture(const LeafModel& model, std::size_t row) {
  return html_picture(page_picture(model.pictures[row]),
                      "Training leaf " + model.sample_names[row]);
}

std::string class_name(const LeafModel& model, int label) {
  return shown_species(model.class_names[static_cast<std::size_t>(label)]);
}

std::string neighbours_html(const LeafModel& model, const Prediction& prediction) {
  PageValues rows = PageValues::array();
  for (const Neighbour& neighbour : prediction.neighbours) {
    const auto row = static_cast<std::size_t>(neighbour.row);
    const std::string& name = model.sample_names[row];
    const int label = model.classifier.labels()[row];
    rows.push_back({{"picture", training_picture(model, row)},
                    {"name", name.substr(name.rfind('/') + 1)},
                    {"class", class_name(model, label)},
                    {"distance", neighbour.distance},
                    {"same", label == prediction.ranking.front().label}});
  }
  return neighbour_list(rows);
}

PageValues part_rows(const LeafModel& model, std::span<const PartPrediction> parts, int best) {
  PageValues rows = PageValues::array();
  for (const PartPrediction& part : parts) {
    rows.push_back({{"part", part.part}});
    if (!part.prediction) continue;
    const RankedClass& first = part.prediction->ranking.front();
    rows.back().update({{"votes", first.voters},
                        {"of", part.prediction->neighbours.size()},
                        {"agrees", first.label == best},
                        {"class", class_name(model, first.label)}});
  }
  return rows;
}

std::string outlier_text(const LeafModel& model, const Prediction& prediction) {
  std::string text = "Outlier score (" + describe_outlier_score(model.classifier.spec()) +
                     "): " + html_distance(prediction.outlier_score);
  const double threshold = model.classifier.threshold();
  if (std::isinf(threshold)) return text + ".";
  return text + "; answered up to " + html_distance(threshold) + ", refused as unknown beyond.";
}

// The corners of the leaf's outline in the picture. Empty where the photograph can no longer be
// read, and for leaves of a sheet, which are pictured by themselves.
std::string outline_points(const LeafModel& model, const ClassifiedLeaf& leaf,
                           const std::optional<Picture>& picture) {
  std::string points;
  if (leaf.number > 0 || !picture) return points;
  const PrepareSpec preparation = preparation_for(model.config, leaf.source_aspect);
  for (const OutlinePoint& point : leaf_outline(leaf.file, preparation)) {
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", point.x * picture->width,
                          point.y * picture->height);
  }
  return points;
}

// `name` distinguishes the leaf from the others.
std::string leaf_html(const LeafModel& model, const ClassifiedLeaf& leaf, const std::string& name,
                      std::span<const PartPrediction> parts) {
  const PageValues document = classification_document(model, std::span(&leaf, 1)).front();
  if (!leaf.prediction) return filled_template(report_explained_leaf(), document);
  const Prediction& prediction = *leaf.prediction;
  const std::optional<Picture> picture =
      leaf.number > 0 ? page_picture(leaf.picture)
                      : file_picture(leaf.file, leaf.source_aspect, kQuerySide);
  const std::string outline = outline_points(model, leaf, picture);
  PageValues drawn = nullptr;
  if (!outline.empty()) {
    drawn = {{"points", outline}, {"width", picture->width}, {"height", picture->height}};
  }
  return filled_template(report_explained_leaf(),
                         {{"leaf", name},
                          {"outline", std::move(drawn)},
                          {"picture", html_picture(picture, "The query leaf, " + name)},
                          {"prediction", prediction_in_words(model, prediction)},
                          {"outlier_score", outlier_text(model, prediction)},
                          {"neighbours", neighbours_html(model, prediction)},
                          {"by", prediction.probability ? "probability" : "share of the vote"},
                          {"parts", part_rows(model, parts, prediction.ranking.front().label)}},
                         document);
}

std::string lead(const LeafModel& model) {
  return fmt::format("A model of {} of {}; {}; {}.",
                     counted(model.classifier.labels().size(), "training leaf", "training leaves"),
                     counted(model.class_names.size(), "class", "classes"),
                     describe(model.config.features), describe(model.classifier.spec()));
}

}  // namespace

void check_explainable(std::size_t images) {
  if (images <= kMaxExplainedImages) return;
  throw UsageError(fmt::format(
      "--explain: a page of {} images would be too large to open; explain at most {} at once",
      images, kMaxExplainedImages));
}

std::string html_explanation(const LeafModel& model, std::span<const ClassifiedLeaf> leaves,
                             std::span<const std::vector<PartPrediction>> parts) {
  check_explainable(leaves.size());
  Page page{leaves.size() == 1 ? leaves.front().file.filename().string() : "Explained predictions",
            "LeafGlyph explained prediction",
            lead(model),
            {}};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ClassifiedLeaf named;
    named.file = leaves[i].file.filename();
    named.number = leaves[i].number;
    const std::string file = shown_name(named);
    const std::string prediction =
        leaves[i].prediction ? predicted_name(model, *leaves[i].prediction) : "no prediction";
    page.sections.push_back({fmt::format("leaf-{}", i + 1), file,
                             leaves.size() == 1 ? prediction : file + ": " + prediction,
                             leaf_html(model, leaves[i], file, parts[i])});
  }
  return html_page(page);
}

}  // namespace leafglyph
