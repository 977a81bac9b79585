// Predictions for photographs that may be framed differently from the training photographs.
// Everything that identifies leaves uses this, including the evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "classify/classifier/nearest_classifier.h"

namespace leafglyph {

/// The mean logarithm of the share of its photograph that a leaf in these rows fills; none if no
/// feature measures it.
std::optional<double> mean_log_area(const FeatureTable& rows);
/// That share: 1 if none is known.
double usual_area_share(const std::optional<double>& log_area);

/// Predictions of a classifier for feature rows; `log_area` is mean_log_area() of its training
/// rows. Photographs need not be framed like the training photographs. A row whose prediction is
/// not sure is therefore classified once more, with the usual share of the photograph instead of
/// its own. `decide` chooses between the two, and the row is changed to the chosen one. Without a
/// calibration, or a feature that measures the share, every row is classified once.
std::vector<Prediction> predict(const NearestClassifier& classifier,
                                const std::optional<double>& log_area, FeatureTable& rows,
                                std::size_t top);

}  // namespace leafglyph
