// The frame of a self-contained HTML page, the parts that several pages have, and text as HTML.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "classify/page/svg_plot.h"

namespace leafglyph {

/// A picture as a JPEG in a data URI, with its size in pixels.
struct Picture {
  std::string uri;
  int width = 0;
  int height = 0;
};

/// A part of a page, linked from its menu by `id`. `body` is HTML, the others are plain text.
struct PageSection {
  std::string id;
  std::string menu;  ///< a word or two
  std::string title;
  std::string body;
};

struct Page {
  std::string title;
  std::string eyebrow;  ///< small line above the title
  std::string lead;     ///< the sentence below the title
  std::vector<PageSection> sections;
};

/// A self-contained document, with style and script included. It reads and prints well without the
/// script, which only sorts and filters.
std::string html_page(const Page& page);

/// A picture of a leaf, or a placeholder.
std::string html_picture(const std::optional<Picture>& picture, std::string_view alt);

/// A chart with its caption, drawn once for wide and once for narrow screens; each screen shows
/// one.
std::string html_chart(Plot plot, std::string_view caption);

/// Three digits: "2.25"; "0" for almost nothing.
std::string html_distance(double distance);

/// The text with & < > " ' as references, for content and quoted attributes. Bytes that are not
/// UTF-8 become U+FFFD.
std::string html_escaped(std::string_view text);

std::string base64(std::string_view bytes);

/// "data:<type>;base64,..."
std::string data_uri(std::string_view type, std::string_view bytes);

/// The strings of a page, {"key": {"en": ..., "zh": ...}}, and character_strings(), as one JSON
/// object.
std::string with_character_strings(std::string_view own);

// The files of pages.
std::string_view page_style();   ///< CSS; light and dark, wide, narrow and printed
std::string_view page_script();  ///< JavaScript: sorts tables and filters lists
std::string_view page_icon();    ///< SVG

// Templates of html_page.cpp.
std::string_view page_frame();
std::string_view page_picture_part();
std::string_view page_chart();

// What the explorer and the served page share.
std::string_view interactive_style();   ///< CSS beside page_style(): controls, lists of characters
std::string_view character_strings();   ///< JSON: texts of both, in each language
std::string_view language_script();     ///< JavaScript: pageLanguage, strings in a chosen language
std::string_view drawing_pad_script();  ///< JavaScript: drawingPad, to draw a character on
std::string_view practice_script();     ///< JavaScript: practice, worksheets and notes for Anki

}  // namespace leafglyph
