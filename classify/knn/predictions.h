// Predictions for photographs that may be framed differently from the training photographs.
// Everything that identifies leaves uses this, the evaluation too.
#pragma once

#include <cstddef>
#include <vector>

#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// The share of its photograph that a leaf of these rows fills, their geometric mean; 1 if no
/// feature measures it.
double usual_area_share(const FeatureTable& rows);

/// Predictions of a classifier with the training rows `training` for feature rows. A photograph
/// need not be framed like the training photographs, so that a row whose prediction is not sure is
/// classified once more, with the usual share of the photograph instead of its own; `decide`
/// chooses one of the two, and the row becomes the one that was chosen. Without a calibration every
/// row is classified once.
std::vector<Prediction> predict(const NearestClassifier& classifier, const FeatureTable& training,
                                FeatureTable& rows, std::size_t top);

}  // namespace leafglyph
