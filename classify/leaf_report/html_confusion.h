// The confusion matrix as a picture.
#pragma once

#include <string>

#include "classify/evaluation/evaluate.h"

namespace leafglyph {

/// An <svg>: truth down, answer across; green on the diagonal, red beside it, the stronger the
/// larger the share of the class's tests; counts are written where a cell has room for them.
std::string confusion_picture(const EvaluationResult& result);

}  // namespace leafglyph
