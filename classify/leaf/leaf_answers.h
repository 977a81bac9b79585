// What a model says of photographs that were taken otherwise than those it has learnt.
#pragma once

#include <cstddef>
#include <vector>

#include "classify/leaf/model_folder.h"

namespace leafglyph {

/// The share of its photograph that a training leaf fills, their geometric mean; 1 where no feature
/// tells it.
double usual_area_share(const LeafModel& model);

/// The answers of the model's classifier for feature rows. A photograph need not be framed as those
/// that were learnt, so that a row whose answer is not sure is asked about once more, with the
/// share of the photograph that its leaf fills as usual; of the two answers the more probable one
/// counts, and the row becomes the one that was answered.
std::vector<Answer> answers_of(const LeafModel& model, FeatureTable& rows, std::size_t top);

}  // namespace leafglyph
