// Recognisers of characters and their evaluations as text, JSON, tables and pages.
#pragma once

#include <span>
#include <string>

#include "classify/character/character_check.h"
#include "classify/character/character_evaluation.h"
#include "classify/character/character_sweep.h"
#include "classify/page/page_template.h"
#include "features/base/table.h"

namespace leafglyph {

/// Every figure of an evaluation: of the pictures whose character the model has the shares
/// identified correctly, the words and the calibration, of all in groups (styles, fonts, damages);
/// the words of the others ("outside"); characters, confusions with their scores as look-alikes,
/// mistakes. `data` says what was tested, by the model if it was one. Throws UsageError without a
/// test.
PageValues character_evaluation_document(const CharacterModel* model,
                                         const TestedCharacters& tested, const std::string& data);
std::string character_evaluation_text(const PageValues& document);
/// One line per character: tests, right, and what it is most often taken for.
Table character_evaluation_table(const PageValues& document);
/// A page with everything, and the pictures that were identified wrongly.
std::string character_evaluation_page(const PageValues& document, const TestedCharacters& tested);

/// A drawing as a small picture.
std::string drawing_html(const Drawing& drawing, const std::string& truth);

/// The figures of an evaluation without a model, and "look_at", the pictures that need attention.
PageValues character_check_document(const CharacterCheck& check,
                                    std::span<const CharacterPicture> pictures,
                                    const std::string& data);
std::string character_check_text(const PageValues& document);
std::string character_check_page(const PageValues& document, const CharacterCheck& check);

/// A sweep in the form of sweep_document (leaf_report/report.h), which has its text, table and
/// plot.
PageValues character_sweep_document(const CharacterSweep& sweep, double seconds);

/// What is known of a model: when and what it was trained on, how well styles were identified, its
/// size, all its characters and the configuration.
PageValues character_model_document(const CharacterModel& model);
std::string character_model_text(const PageValues& document);

}  // namespace leafglyph
