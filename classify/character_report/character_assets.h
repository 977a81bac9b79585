// Templates of the reports on recognisers of characters.
#pragma once

#include <string_view>

namespace leafglyph {

std::string_view character_check_lines();
std::string_view character_confusions();
std::string_view character_evaluation_lines();
std::string_view character_groups();
std::string_view character_headline();
std::string_view character_mistakes();
std::string_view character_model_lines();
std::string_view character_page_hocr();
std::string_view character_table();

}  // namespace leafglyph
