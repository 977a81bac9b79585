// An evaluation as one self-contained HTML page, and its sections.
#pragma once

#include <span>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/leaf/leaf_study.h"
#include "classify/page/page_template.h"

namespace leafglyph {

/// The page about studies.front(). The other studies appear beside it in the headline, the curves
/// and a table. Pictures come from the leaves' files, or are drawn for generated leaves. Throws
/// UsageError if there is no study.
std::string html_report(std::span<const LeafStudy> studies);

/// What an evaluation is called on the page: by its configuration where there are several.
std::string study_name(std::span<const PageValues> documents, const PageValues& document);

/// An <svg> with truth down and prediction across: green on the diagonal, red elsewhere, stronger
/// for a larger share of the class's tests. Cells show their count if there is room.
std::string confusion_picture(const EvaluationResult& result);

// Sections of the page, from evaluation_document of each study.

/// The top-1 accuracy, its interval beside those of the other studies, and the other figures.
std::string headline_html(std::span<const PageValues> documents);

/// Data, protocol, preparation, features, classifier, interval; what the figures show and what they
/// do not; unusable leaves, and warnings.
std::string measured_html(std::span<const PageValues> documents);

}  // namespace leafglyph
