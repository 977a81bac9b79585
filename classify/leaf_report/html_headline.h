// The first sections of a report: the figures, and what was measured.
#pragma once

#include <span>
#include <string>

#include "classify/leaf/leaf_study.h"

namespace leafglyph {

/// "97.53 ± 0.80", in percent; the deviation only where there is one.
std::string with_deviation(const Summary& summary, std::size_t splits);

/// The top-1 accuracy, its interval beside that of the other studies, and the further figures.
std::string headline_html(std::span<const LeafStudy> studies);

/// Data, protocol, preparation, features, classifier, interval; what that does and does not show;
/// leaves that could not be used, and warnings.
std::string measured_html(std::span<const LeafStudy> studies);

}  // namespace leafglyph
