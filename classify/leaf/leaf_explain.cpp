#include "classify/leaf/leaf_explain.h"

#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Only the columns of group number `part`.
FeatureTable part_columns(const FeatureTable& table, std::size_t part) {
  const std::string name = table.layout.groups[part].name;
  return select_columns(table, table.layout.order, std::span(&name, 1));
}

ClassifierSpec part_spec(ClassifierSpec spec) {
  spec.answered_share = 1.0;
  return spec;
}

// None if every column is constant.
std::optional<NearestClassifier> part_classifier(const LeafModel& model, std::size_t part) {
  try {
    return NearestClassifier::fit(part_columns(model.features.table(), part),
                                  model.classifier.labels(), part_spec(model.classifier.spec()));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

PartClassifiers::PartClassifiers(const LeafModel& model) {
  if (model.features.are_withheld()) return;
  const FeatureLayout& layout = model.features.layout();
  for (std::size_t part = 0; part < layout.groups.size(); ++part) {
    parts_.push_back({layout.groups[part].name, part_classifier(model, part)});
  }
}

std::vector<std::vector<PartPrediction>> PartClassifiers::predictions(
    const FeatureTable& rows) const {
  std::vector<std::vector<PartPrediction>> result(rows.rows());
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    std::vector<Prediction> predictions;
    const auto& classifier = parts_[part].classifier;
    if (classifier) predictions = classifier->predict(part_columns(rows, part), 1);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i].push_back({parts_[part].name, std::nullopt});
      if (classifier) result[i].back().prediction = std::move(predictions[i]);
    }
  }
  return result;
}

}  // namespace leafglyph
