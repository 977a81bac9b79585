// What is in a feature store, for people: counts by state and reason, sizes, unusual rows, files
// that occur more than once.
#pragma once

#include <string>

#include "classify/page/page_template.h"
#include "classify/store/feature_store.h"

namespace leafglyph {

/// Every figure of the report:
///   blocks, missing_blocks; all_inputs, and inputs and rows of the blocks that exist
///   states    rows by state
///   reasons   rows of one state with the same reason or warning, whose numbers are replaced by
///   "…",
///             failed first, then by rows; some of the rows as examples
///   labels    rows with and without numbers, in the order of the header
///   areas[i]  rows with numbers of 2^i to 2^(i+1) - 1 pixels
///   parts[i]  inputs with i rows with numbers; the last: or more
///   unusual   rows by the root mean square over the columns of their deviations from their means,
///             in standard deviations of the columns; most unusual first
///   same_files, under_other_labels   groups of inputs with the same bytes; those with different
///             labels. same: some of them, those of different labels first
///   columns   figures of columns with a common beginning of their names, over all rows with
///   numbers
/// Reads every block of the store, complete or not, twice. Needs 24 bytes per input. Throws what
/// reading a store throws, and Interrupted.
PageValues store_document(const FeatureStore& store);

/// The report as one self-contained page, with small pictures from the files of the inputs where
/// they are still readable.
std::string html_store_report(PageValues document);

}  // namespace leafglyph
