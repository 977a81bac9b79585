#include "classify/page/page_strings.h"

#include <nlohmann/json.hpp>

#include "classify/page/html_assets.h"

namespace leafglyph {

std::string with_character_strings(std::string_view own) {
  nlohmann::json strings = nlohmann::json::parse(character_strings());
  strings.update(nlohmann::json::parse(own));
  return strings.dump();
}

}  // namespace leafglyph
