// Character statistics as text, JSON and a table.
#pragma once

#include <string>

#include "classify/glyph/glyph_statistics.h"
#include "features/base/table.h"

namespace leafglyph {

/// Tables for reading: for each family the variances in the published layout (one row per m, one
/// column per n), the compared moments, the histogram with one column per part, the mean and the
/// closest pairs; the rotation check.
std::string statistics_text(const GlyphStatistics& statistics,
                            const GlyphStatisticsOptions& options);

/// Everything, with full precision.
std::string statistics_json(const GlyphStatistics& statistics,
                            const GlyphStatisticsOptions& options);

/// One figure per line: family,part,quantity,first,second,value. Quantities: variance (first is n,
/// second m), chosen (n, m), count (lower and upper edge of the bin), pairs, mean, largest, closest
/// and distance (the two characters). For rotation, part is empty, first is the angle in degrees
/// and second says what is measured.
Table statistics_table(const GlyphStatistics& statistics, const GlyphStatisticsOptions& options);

}  // namespace leafglyph
