// Text as HTML and as data URIs.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// The text with & < > " ' as references, fit for content and quoted attributes. Bytes that are
/// not UTF-8 become U+FFFD, so that a page never holds them.
std::string html_escaped(std::string_view text);

std::string base64(std::string_view bytes);

/// "data:<type>;base64,..."
std::string data_uri(std::string_view type, std::string_view bytes);

}  // namespace leafglyph
