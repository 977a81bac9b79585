// Features of leaves on composed sheets against those of each by itself, for bench_sheets.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "classify/leaf/leaf_config.h"
#include "classify/rows/leaf_rows.h"
#include "features/leaf/photograph.h"
#include "tools/bench/sheet_judgement.h"

namespace leafglyph {

/// Rows of the features of configs/leaf.yaml.
class SheetRows {
 public:
  SheetRows();
  /// The rows of leaves that were found on a sheet, as its preparation makes them, and of each
  /// by itself (Laid::alone); leaves that are cut are left out.
  void add(const Photograph& photograph, const ComposedSheet& sheet,
           const std::vector<LeafRegion>& regions, const std::vector<FoundLeaf>& found);
  /// By set, for how many leaves the row from the sheet is nearest to that of the same leaf by
  /// itself (found), of all leaves by themselves. Distances are Euclidean, of columns divided by
  /// their standard deviation.
  std::map<std::string, Figures> nearest();

 private:
  std::vector<float> row_of(PreparedLeaf leaf);

  PrepareSpec spec_;
  LeafRows kind_;
  std::unique_ptr<RowMaker<float>> maker_;
  std::vector<std::string> sets_, files_;
  std::vector<std::vector<float>> on_sheets_, alone_;
};

}  // namespace leafglyph
