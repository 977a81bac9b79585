// The per-class table of a report.
#pragma once

#include <string>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/page/html_page.h"

namespace leafglyph {

/// A sortable table: a picture of each class, its tests, recall, precision, and what it was most
/// often taken for.
std::string species_table(const LeafEvaluation& evaluation, LeafPictures& pictures);

}  // namespace leafglyph
