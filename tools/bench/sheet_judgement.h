// Compares what was found on composed sheets with what was laid on them, for bench_sheets.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "features/leaf/leaf_region.h"
#include "tools/bench/composed_sheet.h"

namespace leafglyph {

struct Figures {
  int laid = 0, found = 0;
};

/// What was found on all sheets. A leaf is found if a part that is taken for a leaf equals it with
/// an intersection over union of at least 0.8. Leaves of a pair that overlap count apart.
struct SheetFigures {
  std::map<std::string, Figures> leaves;  ///< laid alone, by set
  std::map<std::string, Figures> on;      ///< these by background
  std::map<std::string, Figures> lost;    ///< leaves not found, by what was there instead
  std::map<std::string, Figures> cut;     ///< laid alone, cut and found; found: state cut
  std::map<std::string, Figures> things;  ///< labels, ...; found: taken for a leaf
  /// Pairs by what became of them: one part called overlapping, one part taken for a single leaf,
  /// both leaves found, others.
  std::map<std::string, int> pairs;
  /// Parts taken for leaves; those that equal a leaf; those that equal a pair and are not called
  /// overlapping; those that equal a pair and are, which count neither here nor there.
  int answers = 0, right = 0, pairs_as_one = 0;
  std::map<std::string, int> wrong;  ///< the other answers, by what they show
  int called_overlapping = 0;        ///< single leaves
  int refused = 0;                   ///< sheets
};

/// Which part is which leaf: indices of `regions` and of ComposedSheet::laid.
struct FoundLeaf {
  std::size_t region = 0, laid = 0;
};

/// Adds what was found on a sheet, as the preparation reduces it, and returns the leaves laid alone
/// that were found.
std::vector<FoundLeaf> judge(const ComposedSheet& sheet, const std::vector<LeafRegion>& regions,
                             SheetFigures& figures);

}  // namespace leafglyph
