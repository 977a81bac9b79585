// Recognised characters and pages as tables, JSON, hOCR and pictures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "classify/character/known_lookalikes.h"
#include "classify/character/page_reader.h"
#include "classify/page/page_template.h"
#include "features/base/table.h"
#include "features/glyph/normalise.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// The columns of a prediction, for Table: the character, its code, others of its shape, the word,
/// the outlier score, a look-alike and where it differs, and `top` candidates.
std::string prediction_columns(std::size_t top);
/// Adds them; without a prediction they are empty.
void add_prediction(Table& table, const CharacterPrediction* prediction,
                    const LookalikeRemark& remark, std::size_t top);
/// A look-alike as text; "" for none.
std::string other_in(const LookalikeRemark& remark);

/// The same as JSON: character, code, same, word, unlike, perhaps, differ, candidates.
PageValues prediction_document(const CharacterPrediction& prediction,
                               const LookalikeRemark& remark);

/// image, direction, tilt, width, height, lines of box, text and characters: their boxes (left,
/// top, width, height, in pixels) and predictions; "mark" is true for what was not recognised.
PageValues page_document(const std::string& image, const ReadPage& page);
/// Columns image, line, place (both from 1), left, top, width, height, and those of a prediction.
Table page_table(std::size_t top);
void add_page(Table& table, const std::string& image, const ReadPage& page, std::size_t top);
/// Documents of pages as hOCR (http://kba.github.io/hocr-spec/1.2): ocr_page, ocr_line, and an
/// ocrx_cinfo with x_bboxes and x_conf for each character that is known.
std::string pages_hocr(const PageValues& pages);

/// A PNG file: the page with its boxes, and beside it the answers in their places, in the colour of
/// their word. Throws InputError when the font for them cannot be read (fonts-wqy-microhei).
std::string page_png(const Photograph& photograph, const ReadPage& page);

/// A contact sheet: the number of each picture, the picture as it was given, its ink in the
/// recogniser's frame, the answer with its word and probability, the second candidate. Throws as
/// page_png does.
class RecognitionSheet {
 public:
  explicit RecognitionSheet(const CharacterFrame& frame) : frame_(frame) {}
  void add(const Photograph& photograph, const CharacterPrediction& prediction);
  std::string png() const;

 private:
  struct Entry {
    Photograph given;
    Image<float> frame;
    CharacterPrediction prediction;
  };
  CharacterFrame frame_;
  std::vector<Entry> entries_;
};

}  // namespace leafglyph
