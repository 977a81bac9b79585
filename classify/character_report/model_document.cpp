#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "classify/character_report/character_assets.h"
#include "classify/character_report/character_report.h"
#include "classify/support/written_keys.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kCharactersShown = 20;

double right_share(const JudgedShare& judged) {
  return judged.rows == 0 ? 0
                          : static_cast<double>(judged.right) / static_cast<double>(judged.rows);
}

PageValues judged_json(const JudgedShare& judged) {
  return {{"right", judged.right}, {"rows", judged.rows}};
}

}  // namespace

PageValues character_model_document(const CharacterModel& model) {
  const StyleShares& judged = model.history.judged;
  PageValues styles = PageValues::array();
  JudgedShare clean, damaged;
  for (const StyleShare& style : judged.styles) {
    styles.push_back({{"name", style.name},
                      {"clean", judged_json(style.clean)},
                      {"damaged", judged_json(style.damaged)}});
    clean = {clean.rows + style.clean.rows, clean.right + style.clean.right};
    damaged = {damaged.rows + style.damaged.rows, damaged.right + style.damaged.right};
  }
  return {{"trained", model.history.date},
          {"characters", model.characters.size()},
          {"all_characters", encode_utf8(model.characters)},
          {"learnt_styles", model.styles},
          {"by_others", judged.by_others},
          {"right", {{"clean", right_share(clean)}, {"damaged", right_share(damaged)}}},
          {"styles", std::move(styles)},
          {"columns", model.classifier.columns()},
          {"directions", model.classifier.directions()},
          {"bytes", model.bytes},
          {"megabytes", 1e-6 * static_cast<double>(model.bytes)},
          {"format", kCharacterModel.version},
          {"written_by", model.history.version},
          {"configuration", yaml_of(model.spec)}};
}

std::string character_model_text(const PageValues& document) {
  const std::u32string all = decode_utf8(document["all_characters"].get<std::string>());
  PageValues values = {{"first", encode_utf8(all.substr(0, kCharactersShown))}};
  if (all.size() > kCharactersShown) values["more"] = all.size() - kCharactersShown;
  return escape_bytes(filled_text(character_model_lines(), values, document)) + "\n";
}

}  // namespace leafglyph
