// What the documents and pages of all evaluations have, of leaves as of characters.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

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

/// Of the pictures in each class: "12 of each species", "2 to 59 of a species; fewest: oak 2, elm
/// 3, ash 3".
std::string counts_in_words(std::span<const std::pair<std::string, std::size_t>> counts,
                            const std::string& noun);

/// The first `most` of a document's "look_at", pictures that need attention: "looks" for each
/// reason, its "name".
PageValues look_groups(const PageValues& document, std::size_t most);
/// These as the end of a text; `values` has the "noun" of one, and the "command" that shows all.
/// Empty if there is none.
std::string looks_text(const PageValues& document, std::size_t most, PageValues values);
/// The groups as HTML; looks may have a "picture".
std::string looks_html(PageValues groups);

}  // namespace leafglyph
