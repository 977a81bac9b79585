// The page of an evaluation.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "classify/character_report/character_assets.h"
#include "classify/character_report/character_report.h"
#include "classify/leaf_report/judged_parts.h"
#include "classify/page/html_page.h"
#include "features/image_io/encode_image.h"
#include "features/record/json_text.h"

namespace leafglyph {
namespace {

constexpr std::size_t kMistakesShown = 200;

std::string mistakes_html(const PageValues& document, const TestedCharacters& tested) {
  PageValues cards = PageValues::array();
  for (const TestedCharacter& test : tested.tests) {
    if (!test.is_known || test.is_right()) continue;
    if (cards.size() == kMistakesShown) break;
    PageValues card = document["mistakes"][cards.size()];
    card["image"] = drawing_html(test.drawing, card["truth"].get<std::string>());
    cards.push_back(std::move(card));
  }
  const bool cut = cards.size() < document["mistakes"].size();
  return filled_template(character_mistakes(), {{"cards", std::move(cards)}, {"cut", cut}},
                         document);
}

std::string result_html(const PageValues& document) {
  return filled_template(character_headline(),
                         {{"json", data_uri("application/json", json_text(document) + "\n")}},
                         document);
}

}  // namespace

std::string drawing_html(const Drawing& drawing, const std::string& truth) {
  std::vector<std::uint8_t> grey;
  for (const std::uint8_t ink : drawing.pixels()) grey.push_back(static_cast<std::uint8_t>(~ink));
  const SampleImage image{drawing.width(), drawing.height(), 1, std::move(grey)};
  return html_picture(Picture{data_uri("image/png", encode_png(image)), image.width, image.height},
                      "A picture of " + truth);
}

std::string character_evaluation_page(const PageValues& document, const TestedCharacters& tested) {
  Page page{fmt::format("How well {} characters are recognised",
                        document["model"]["characters"].get<std::size_t>()),
            "LeafGlyph glyph evaluation",
            document["data"].get<std::string>() + ".",
            {{"result", "Result", "Result", result_html(document)}}};
  if (document["groups"].size() > 1) {
    page.sections.push_back(
        {"styles", "Styles", "Style by style", filled_template(character_groups(), document)});
  }
  if (!document.contains("top1")) return html_page(page);
  const std::string name = "this evaluation";
  page.sections.push_back({"reliability", "Reliability", "Probabilities stated and found",
                           reliability_html({&document, 1}, {&name, 1})});
  page.sections.push_back({"confusions", "Mix-ups", "Most often mixed up",
                           filled_template(character_confusions(), document)});
  page.sections.push_back({"mistakes", "Wrong pictures", "Pictures identified wrongly",
                           mistakes_html(document, tested)});
  page.sections.push_back({"characters", "Characters", "Character by character",
                           filled_template(character_table(), document)});
  return html_page(page);
}

}  // namespace leafglyph
