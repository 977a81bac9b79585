#include "classify/character/character_sweep.h"

#include <algorithm>
#include <utility>

#include "classify/character/character_training.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

CharacterSweepPoint point_of(const CharacterSpec& spec, const StyleShares& judged) {
  if (!judged.by_others) {
    throw UsageError("a sweep needs two styles that have the same characters; add fonts");
  }
  std::vector<double> shares;
  JudgedShare all;
  for (const StyleShare& style : judged.styles) {
    const std::size_t rows = style.clean.rows + style.damaged.rows;
    const std::size_t right = style.clean.right + style.damaged.right;
    if (rows == 0) continue;
    shares.push_back(static_cast<double>(right) / static_cast<double>(rows));
    all = {all.rows + rows, all.right + right};
  }
  const auto rows = static_cast<double>(all.rows);
  return {spec.features.scales.front().order, columns(spec.features), summarise(shares),
          wilson_interval(static_cast<double>(all.right) / rows, rows,
                          counted(all.rows, "picture", "pictures"))};
}

}  // namespace

CharacterSweep sweep_characters(CharacterSpec spec, std::span<const CharacterPicture> pictures,
                                std::span<const int> orders,
                                const std::function<void(std::size_t)>& advance) {
  const std::vector<DirectionScale> scales = spec.features.scales;
  CharacterSweep sweep{spec, {}};
  for (const int order : orders) {
    spec.features.scales = scales;
    for (DirectionScale& scale : spec.features.scales) scale.order = std::min(scale.order, order);
    spec.features.scales.front().order = order;
    const TrainedCharacters trained = train_characters(spec, pictures, advance);
    sweep.points.push_back(point_of(spec, trained.model.history.judged));
  }
  return sweep;
}

}  // namespace leafglyph
