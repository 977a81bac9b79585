#include "features/leaf/channel_row.h"

namespace leafglyph {

// A list of features: outline_curvature.h.
const ChannelRow kCurvatureRow = {"curvature", nullptr};

}  // namespace leafglyph
