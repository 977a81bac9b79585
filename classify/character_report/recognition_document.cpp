#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "classify/character_report/character_assets.h"
#include "classify/character_report/recognition_report.h"
#include "datasets/glyph/character_code.h"
#include "features/base/text.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

PageValues box_document(const MaskBox& box) {
  return {{"left", box.left}, {"top", box.top}, {"width", box.width()}, {"height", box.height()}};
}

// "left top right bottom", the last two behind the box, as hOCR has them.
PageValues corners(const PageValues& box) {
  const int left = box["left"], top = box["top"];
  return fmt::format("{} {} {} {}", left, top, left + box["width"].get<int>(),
                     top + box["height"].get<int>());
}

PageValues hocr_values(const PageValues& page) {
  PageValues lines = PageValues::array();
  for (const PageValues& line : page["lines"]) {
    PageValues characters = PageValues::array();
    for (const PageValues& character : line["characters"]) {
      if (character["mark"].get<bool>() || character["word"] == "unknown") continue;
      characters.push_back(
          {{"text", character["character"]},
           {"corners", corners(character["box"])},
           {"confidence", 100 * character["candidates"][0]["probability"].get<double>()}});
    }
    lines.push_back({{"corners", corners(line["box"])}, {"characters", std::move(characters)}});
  }
  return {{"image", page["image"]},
          {"width", page["width"]},
          {"height", page["height"]},
          {"lines", std::move(lines)}};
}

}  // namespace

std::string other_in(const LookalikeRemark& remark) {
  return remark.other == 0 ? "" : encode_utf8(remark.other);
}

std::string prediction_columns(std::size_t top) {
  std::string columns =
      "character:text code:text same:text word:text unlike:.6f perhaps:text differ:text";
  for (std::size_t k = 1; k <= top; ++k) {
    columns += fmt::format(" character_{0}:text probability_{0}:.6f", k);
  }
  return columns;
}

void add_prediction(Table& table, const CharacterPrediction* prediction,
                    const LookalikeRemark& remark, std::size_t top) {
  if (prediction != nullptr) {
    const CharacterPrediction::Ranked& first = prediction->ranking.front();
    table.add(encode_utf8(first.character), unicode_name(first.character), encode_utf8(first.same),
              name_of(*prediction->decision.word()), prediction->unlike, other_in(remark),
              remark.place);
  } else {
    table.add("", "", "", "mark", std::optional<double>(), "", "");
  }
  for (std::size_t k = 0; k < top; ++k) {
    if (prediction != nullptr && k < prediction->ranking.size()) {
      table.add(encode_utf8(prediction->ranking[k].character), prediction->ranking[k].probability);
    } else {
      table.add("", std::optional<double>());
    }
  }
}

PageValues prediction_document(const CharacterPrediction& prediction,
                               const LookalikeRemark& remark) {
  const CharacterPrediction::Ranked& first = prediction.ranking.front();
  PageValues candidates = PageValues::array();
  for (const auto& [character, probability, same] : prediction.ranking) {
    candidates.push_back({{"character", encode_utf8(character)},
                          {"code", unicode_name(character)},
                          {"same", encode_utf8(same)},
                          {"probability", probability}});
  }
  return {{"character", encode_utf8(first.character)},
          {"code", unicode_name(first.character)},
          {"same", encode_utf8(first.same)},
          {"word", name_of(*prediction.decision.word())},
          {"unlike", prediction.unlike},
          {"perhaps", other_in(remark)},
          {"differ", remark.place},
          {"candidates", std::move(candidates)}};
}

PageValues page_document(const std::string& image, const ReadPage& page) {
  PageValues lines = PageValues::array();
  for (const ReadLine& line : page.lines) {
    PageValues characters = PageValues::array();
    for (const ReadCharacter& character : line.characters) {
      PageValues values = {{"box", box_document(character.box)},
                           {"mark", !character.prediction.has_value()}};
      if (character.prediction)
        values.update(prediction_document(*character.prediction, character.remark));
      characters.push_back(std::move(values));
    }
    lines.push_back({{"box", box_document(line.box)},
                     {"text", text_of(line)},
                     {"characters", std::move(characters)}});
  }
  return {{"image", escape_bytes(image)},
          {"direction", name_of(page.direction)},
          {"tilt", page.tilt},
          {"width", page.width},
          {"height", page.height},
          {"lines", std::move(lines)}};
}

Table page_table(std::size_t top) {
  return Table("image:name line place left top width height " + prediction_columns(top));
}

void add_page(Table& table, const std::string& image, const ReadPage& page, std::size_t top) {
  std::size_t number = 0;
  for (const ReadLine& line : page.lines) {
    ++number;
    std::size_t place = 0;
    for (const ReadCharacter& character : line.characters) {
      const MaskBox& box = character.box;
      table.add(image, number, ++place, box.left, box.top, box.width(), box.height());
      add_prediction(table, character.prediction ? &*character.prediction : nullptr,
                     character.remark, top);
    }
  }
}

std::string pages_hocr(const PageValues& pages) {
  PageValues values = PageValues::array();
  for (const PageValues& page : pages) values.push_back(hocr_values(page));
  return filled_template(character_page_hocr(), {{"pages", std::move(values)}}) + "\n";
}

}  // namespace leafglyph
