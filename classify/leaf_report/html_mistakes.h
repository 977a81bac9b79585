// What a classifier confuses, with pictures.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "classify/leaf/leaf_evaluation.h"
#include "classify/leaf_report/leaf_picture.h"
#include "classify/page/html_page.h"
#include "classify/page/page_template.h"

namespace leafglyph {

/// A leaf that was identified wrongly in at least one split.
struct MistakenLeaf {
  std::size_t sample = 0;
  std::size_t tests = 0;              ///< splits that tested it
  std::vector<std::size_t> mistakes;  ///< positions in EvaluationResult::predictions
};

/// Ordered by the number of splits with a mistake, then as in the data set.
std::vector<MistakenLeaf> mistaken_leaves(const EvaluationResult& result);

/// The most confused pairs of classes: leaves of one, and beside each its nearest leaf of the
/// other.
std::string confused_pair_cards(const LeafEvaluation& evaluation, const PageValues& document,
                                LeafPictures& pictures);

/// The wrongly classified leaves with their neighbours and distances.
std::string mistake_cards(const LeafEvaluation& evaluation, const PageValues& document,
                          LeafPictures& pictures);

/// A row of neighbours: "picture", HTML; "name"; "class"; "distance"; "same", whether it is of the
/// class concerned.
std::string neighbour_list(const PageValues& neighbours);

}  // namespace leafglyph
