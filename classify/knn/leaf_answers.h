// What a classifier says of photographs that were taken otherwise than those that it has learnt.
// Everything that names leaves asks here, the evaluation too.
#pragma once

#include <cstddef>
#include <vector>

#include "classify/knn/nearest_classifier.h"

namespace leafglyph {

/// The share of its photograph that a leaf of these rows fills, their geometric mean; 1 where no
/// feature measures it.
double usual_area_share(const FeatureTable& rows);

/// The answers of a classifier, which has learnt the rows of `training`, for feature rows. A
/// photograph need not be framed as those that were learnt, so that a row whose answer is not sure
/// is classified once more, with the share of the photograph that its leaf fills as usual;
/// `decide` takes one of the two answers, and the row becomes the one that was answered. Without a
/// calibration every row is classified once.
std::vector<Answer> answers_of(const NearestClassifier& classifier, const FeatureTable& training,
                               FeatureTable& rows, std::size_t top);

}  // namespace leafglyph
