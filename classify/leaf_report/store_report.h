// What is in a feature store, for people: counts by state and reason, sizes, unusual rows, files
// that occur more than once.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "classify/store/feature_store.h"

namespace leafglyph {

/// Rows of one state with the same reason or warning, whatever the numbers in it.
struct ReasonGroup {
  RowState state = RowState::kOk;
  std::string reason;  ///< numbers replaced by "…"; empty if the state says it all
  std::size_t rows = 0;
  std::vector<StoreRow> examples;
};

/// A row with numbers, and the root mean square over the columns of its deviations from their
/// means, in standard deviations of the columns.
struct UnusualRow {
  StoreRow row;
  double distance = 0;
};

/// Inputs whose files have the same bytes.
struct SameFiles {
  std::vector<std::string> paths;  ///< of some of them
  std::vector<std::string> labels;
  std::size_t inputs = 0;
  bool labels_differ = false;
};

/// Rows with a label, by what became of them.
struct LabelCount {
  std::string label;
  std::size_t with_numbers = 0, without = 0;
};

/// A group of columns with a common beginning of their names, over all rows with numbers.
struct ColumnFigures {
  std::string group;
  std::size_t columns = 0;
  std::size_t constant = 0;  ///< columns with the same value in every row
  double mean = 0, smallest = 0, largest = 0;
};

struct StoreReport {
  std::string folder;
  StoreHeader header;
  std::size_t blocks = 0;  ///< that exist
  std::size_t inputs = 0;  ///< in them
  std::size_t rows = 0;
  std::map<RowState, std::size_t> states;
  std::vector<ReasonGroup> reasons;    ///< by state, failed first, then by rows, most first
  std::vector<LabelCount> labels;      ///< in the order of the header; labels without rows, too
  std::vector<std::size_t> areas;      ///< [i]: rows with numbers of 2^i to 2^(i+1) - 1 pixels
  std::vector<std::size_t> leaves;     ///< [i]: inputs with i rows with numbers, the last: or more
  std::vector<UnusualRow> unusual;     ///< most unusual first
  std::size_t same_files = 0;          ///< groups of inputs with the same bytes
  std::size_t under_other_labels = 0;  ///< such groups with different labels
  std::vector<SameFiles> same;         ///< some of them; those of different labels first
  std::vector<ColumnFigures> columns;
};

/// Reads every block of the store, complete or not, twice. Needs 24 bytes per input. Throws what
/// reading a store throws, and Interrupted.
StoreReport report_on(const FeatureStore& store);

/// The report as one self-contained page, with small pictures from the files of the inputs where
/// they are still readable.
std::string html_store_report(const StoreReport& report);

}  // namespace leafglyph
