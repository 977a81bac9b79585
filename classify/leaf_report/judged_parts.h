// What the documents and pages of all evaluations have, of leaves as of characters.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "classify/evaluation/evaluate.h"
#include "classify/page/page_template.h"

namespace leafglyph {

/// By word: "predictions", "right", "share" of all `predictions` and "right_share".
PageValues words_document(const std::array<WordScore, kWords>& words, std::size_t predictions);
/// Adds "calibration_error" and the bins of "reliability".
void add_reliability(const Reliability& reliability, PageValues& document);
/// Sorts objects by their member `count`, the largest first.
void sort_by(PageValues& list, const char* count);

/// A chart of the share of right predictions against the probability stated for them, a curve for
/// each document with "reliability" by its name. Empty if there is none.
std::string reliability_html(std::span<const PageValues> documents,
                             std::span<const std::string> names);

}  // namespace leafglyph
