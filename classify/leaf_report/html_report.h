// An evaluation as one self-contained HTML page.
#pragma once

#include <span>
#include <string>

#include "classify/leaf/leaf_study.h"

namespace leafglyph {

/// The page of studies.front(); the others stand beside it in the headline, the curves and a table.
/// Pictures come from the leaves' files, or are drawn for generated leaves. Throws UsageError when
/// there is no study.
std::string html_report(std::span<const LeafStudy> studies);

}  // namespace leafglyph
