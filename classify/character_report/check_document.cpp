#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "classify/character_report/character_assets.h"
#include "classify/character_report/character_report.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/page/html_page.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

using Json = PageValues;

std::string pictures_html(const Json& document, const CharacterCheck& check) {
  Json groups = look_groups(document, std::numeric_limits<std::size_t>::max());
  for (Json& group : groups) {
    for (Json& look : group["looks"]) {
      if (!look.contains("test")) continue;
      const TestedCharacter& test = check.tested.tests[look["test"].get<std::size_t>()];
      if (test.drawing.empty()) continue;
      look["picture"] = drawing_html(test.drawing, encode_utf8(test.truth));
    }
  }
  return looks_html(std::move(groups));
}

}  // namespace

Json character_check_document(const CharacterCheck& check,
                              std::span<const CharacterPicture> pictures, const std::string& data) {
  Json json = character_evaluation_document(nullptr, check.tested, data);
  json["format"] = "leafglyph-character-check";
  json["by_styles"] = check.by_styles;
  if (check.untested > 0) json["untested"] = check.untested;
  std::map<char32_t, std::size_t> counts;
  for (const CharacterPicture& picture : pictures) ++counts[picture.character];
  std::vector<std::pair<std::string, std::size_t>> named;
  for (const auto& [character, count] : counts) named.emplace_back(encode_utf8(character), count);
  json["counts"] = counts_in_words(named, "character");
  json["look_at"] = Json::array();
  for (const CharacterLookAt& look : check.look) {
    json["look_at"].push_back({{"what", name_of(look.look)}, {"text", look.text}});
    if (look.test) json["look_at"].back()["test"] = *look.test;
  }
  return json;
}

std::string character_check_text(const Json& document) {
  return escape_bytes(filled_text(character_check_lines(), {}, document) +
                      looks_text(document, document["look_at"].size(),
                                 {{"noun", "picture"}, {"command", "glyph check"}})) +
         "\n";
}

std::string character_check_page(const Json& document, const CharacterCheck& check) {
  Page page{"Pictures of characters",
            "LeafGlyph glyph check",
            document["data"].get<std::string>() + ".",
            {}};
  page.sections = {{"result", "Result", "Result",
                    filled_template(character_headline(), {{"json", nullptr}}, document)},
                   {"look", "Look at", "Pictures to look at", pictures_html(document, check)},
                   {"confusions", "Mix-ups", "Most often mixed up",
                    filled_template(character_confusions(), document)},
                   {"characters", "Characters", "Character by character",
                    filled_template(character_table(), document)}};
  return html_page(page);
}

}  // namespace leafglyph
