// The colours of generated leaves, their papers and lamps.
#pragma once

#include "datasets/leaf/lamp_tint.h"
#include "datasets/leaf/leaf_dataset.h"
#include "datasets/leaf/leaf_outline.h"

namespace leafglyph {

/// Factors of red, green and blue in linear light.
struct SceneTones {
  Tint leaf;   ///< of what the leaf throws back; its luminance stays that of the grey leaf
  Tint paper;  ///< of the paper, beside white
  Tint lamp;   ///< of the light
};

/// The tones of one leaf. Green is 1, and of red and blue the logarithms are normal: a species has
/// means of its own about those of 0.75 and 0.5, of deviations 0.12 and 0.15, and its leaves vary
/// about them by 0.07 and 0.09, so that neighbouring species overlap. The warmth of kDaylight has
/// the deviation 0.05 and that of its paper 0.01; of kLamps they are even in -0.6..0.6 and
/// -0.06..0.06, the greenness has the deviation 0.08.
SceneTones scene_tones(int species, DrawnColours colours, LeafRandom& random);

}  // namespace leafglyph
