// How well characters are identified by moments of several orders and families.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_pictures.h"
#include "classify/character/character_spec.h"
#include "classify/evaluation/evaluate.h"

namespace leafglyph {

struct CharacterSweepPoint {
  int order = 0;
  std::size_t columns = 0;
  Summary top1;       ///< over the styles, each judged by a fit to the others: clean and damaged
  Interval interval;  ///< of the share of all judged
};

struct CharacterSweep {
  CharacterSpec spec;  ///< with the family
  std::vector<CharacterSweepPoint> points;
};

/// Trains at each order, of the finest edges; coarser ones have at most theirs. Throws what
/// train_characters throws, UsageError when no style can be judged by others.
CharacterSweep sweep_characters(CharacterSpec spec, std::span<const CharacterPicture> pictures,
                                std::span<const int> orders,
                                const std::function<void(std::size_t)>& advance = {});

}  // namespace leafglyph
