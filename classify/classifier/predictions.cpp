#include "classify/classifier/predictions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "features/leaf/channels.h"

namespace leafglyph {
namespace {

// The column with the logarithm of the share of the photograph that the leaf covers.
std::optional<std::size_t> area_column(const FeatureLayout& layout) {
  return layout.find(measure_names().front());
}

Grounds grounds_of(const NearestClassifier& classifier, const Prediction& prediction) {
  return {prediction.outlier_score, classifier.threshold(), prediction.probability,
          Against::kNothing, classifier.limits()};
}

}  // namespace

std::optional<double> mean_log_area(const FeatureTable& rows) {
  const auto column = area_column(rows.layout);
  if (!column) return std::nullopt;
  double sum = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) sum += rows.row(i)[*column];
  return sum / static_cast<double>(rows.rows());
}

double usual_area_share(const std::optional<double>& log_area) {
  return log_area ? std::exp(*log_area) : 1.0;
}

std::vector<Prediction> predict(const NearestClassifier& classifier,
                                const std::optional<double>& log_area, FeatureTable& rows,
                                std::size_t top) {
  std::vector<Prediction> predictions = classifier.predict(rows, top);
  const auto column = area_column(rows.layout);
  if (!column || !log_area || !classifier.calibration()) return predictions;
  const auto usual = static_cast<float>(*log_area);
  FeatureTable again{rows.layout, {}};
  std::vector<std::size_t> unsure;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (predictions[i].decision.word() == Word::kSure) continue;
    unsure.push_back(i);
    const auto row = rows.row(i);
    again.values.insert(again.values.end(), row.begin(), row.end());
    again.values[again.values.size() - row.size() + *column] = usual;
  }
  if (unsure.empty()) return predictions;
  std::vector<Prediction> second = classifier.predict(again, top);
  for (std::size_t k = 0; k < unsure.size(); ++k) {
    const std::size_t i = unsure[k];
    const Decision decision =
        decide({grounds_of(classifier, predictions[i]), grounds_of(classifier, second[k])});
    if (decision.reading() == 0) continue;
    predictions[i] = std::move(second[k]);
    predictions[i].decision = decision;
    rows.values[i * rows.layout.columns() + *column] = usual;
  }
  return predictions;
}

}  // namespace leafglyph
