// An evaluation as one self-contained HTML page, and its sections.
#pragma once

#include <span>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_study.h"

namespace leafglyph {

/// The page of studies.front(); the others are shown beside it in the headline, the curves and a
/// table. Pictures come from the leaves' files, or are drawn for generated leaves. Throws
/// UsageError without a study.
std::string html_report(std::span<const LeafStudy> studies);

/// An <svg>: truth down, prediction across; green on the diagonal, red beside it, stronger for a
/// larger share of the class's tests; counts where a cell has room for them.
std::string confusion_picture(const EvaluationResult& result);

/// "97.53 ± 0.80", in percent; with the deviation only if there are several splits.
std::string with_deviation(const Summary& summary, std::size_t splits);

/// The top-1 accuracy, its interval beside that of the other studies, and the further figures.
std::string headline_html(std::span<const LeafStudy> studies);

/// Data, protocol, preparation, features, classifier, interval; what the figures show and what not;
/// unusable leaves, and warnings.
std::string measured_html(std::span<const LeafStudy> studies);

}  // namespace leafglyph
