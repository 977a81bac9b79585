// Predictions for photographs that may be framed differently from the training photographs.
// Everything that identifies leaves uses this, including the evaluation.
#pragma once

#include <cstddef>
#include <vector>

#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// The share of its photograph that a leaf in these rows fills: the geometric mean, or 1 if no
/// feature measures it.
double usual_area_share(const FeatureTable& rows);

/// Predictions of a classifier with the training rows `training` for feature rows. Photographs need
/// not be framed like the training photographs. A row whose prediction is not sure is therefore
/// classified once more, with the usual share of the photograph instead of its own. `decide`
/// chooses between the two, and the row is changed to the chosen one. Without a calibration, or a
/// feature that measures the share, every row is classified once.
std::vector<Prediction> predict(const NearestClassifier& classifier, const FeatureTable& training,
                                FeatureTable& rows, std::size_t top);

}  // namespace leafglyph
