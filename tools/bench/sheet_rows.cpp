#include "tools/bench/sheet_rows.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

LeafConfig configuration() { return load_leaf_config("configs/leaf.yaml"); }

Photograph alone_photograph(const cv::Mat& colours) {
  return colour_photograph(colours.cols, colours.rows,
                           {colours.data, colours.data + std::size_t{3} * colours.total()});
}

// Divides each column by its standard deviation over `rows`.
void standardise(std::vector<std::vector<float>>& rows, std::vector<std::vector<float>>& others) {
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    double sum = 0, squares = 0;
    for (const auto& row : rows) {
      sum += row[c];
      squares += static_cast<double>(row[c]) * row[c];
    }
    const auto count = static_cast<double>(rows.size());
    const double variance = squares / count - sum * sum / (count * count);
    const auto factor = static_cast<float>(variance > 1e-12 ? 1 / std::sqrt(variance) : 0);
    for (auto* all : {&rows, &others}) {
      for (auto& row : *all) row[c] *= factor;
    }
  }
}

std::size_t nearest_to(const std::vector<float>& row, const std::vector<std::vector<float>>& rows) {
  std::size_t nearest = 0;
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    float sum = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const float d = row[c] - rows[i][c];
      sum += d * d;
    }
    if (sum < least) {
      least = sum;
      nearest = i;
    }
  }
  return nearest;
}

PlanOptions options() {
  PlanOptions options = for_many_images();
  options.precision = configuration().features.precision;
  return options;
}

}  // namespace

SheetRows::SheetRows()
    : spec_(preparation_for(configuration(), 0)),
      kind_(configuration().features, configuration().features.order, spec_.size),
      maker_(kind_.make_maker(options())) {}

std::vector<float> SheetRows::row_of(PreparedLeaf leaf) {
  constexpr double kShare = 0.1;  // whatever it is, alone and on a sheet
  leaf.measures.area_share = kShare;
  const LeafPart part(std::move(leaf));
  const Part* const parts[] = {&part};
  std::vector<std::vector<std::string>> warnings(1);
  StageLoad load;
  return maker_->rows(parts, warnings, load);
}

void SheetRows::add(const Photograph& photograph, const ComposedSheet& sheet,
                    const std::vector<LeafRegion>& regions, const std::vector<FoundLeaf>& found) {
  if (found.empty()) return;
  std::vector<PreparedLeaf> prepared = prepare_leaves(photograph, "sheet", spec_);
  if (prepared.size() != regions.size())
    throw std::logic_error("the preparation finds other parts");
  for (const FoundLeaf& leaf : found) {
    const Laid& laid = sheet.laid[leaf.laid];
    if (laid.is_cut) continue;
    try {
      alone_.push_back(row_of(prepare_leaf(alone_photograph(laid.alone), laid.file, spec_)));
    } catch (const InputError&) {
      continue;
    }
    on_sheets_.push_back(row_of(std::move(prepared[leaf.region])));
    sets_.push_back(laid.what);
    files_.push_back(laid.file);
  }
}

std::map<std::string, Figures> SheetRows::nearest() {
  std::map<std::string, Figures> figures;
  if (alone_.empty()) return figures;
  standardise(alone_, on_sheets_);
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    Figures& of = figures[sets_[i]];
    ++of.laid;
    const std::size_t n = nearest_to(on_sheets_[i], alone_);
    of.found += files_[n] == files_[i];
  }
  return figures;
}

}  // namespace leafglyph
