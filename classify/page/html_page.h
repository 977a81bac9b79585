// The frame of a self-contained HTML page, and the small parts that pages are put together from.
#pragma once

#include <cstddef>
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

/// A part of a page, reached from its menu by `id`. `body` is HTML, the others are plain text.
struct PageSection {
  std::string id;
  std::string menu;  ///< a word or two
  std::string title;
  std::string body;
};

struct Page {
  std::string title;
  std::string eyebrow;  ///< small line above the title
  std::string lead;     ///< HTML: the sentence below the title
  std::vector<PageSection> sections;
};

/// A whole document that needs nothing else: style and script are in it, and it reads and prints
/// without the script, which only sorts and filters.
std::string html_page(const Page& page);

/// <p>, its text escaped.
std::string html_paragraph(std::string_view text, std::string_view css_class = "");

/// A closed <details> with `body` in it.
std::string html_details(std::string_view summary, const std::string& body);

/// A region called `name` (plain text, once a page), in which `body` is moved sideways where it is
/// wider than the window.
std::string html_scroll(std::string_view name, const std::string& body);

/// A table cell that sorts by `value`; `text` is HTML.
std::string html_number_cell(double value, const std::string& text,
                             std::string_view css_class = "");

/// A row of <th scope=col>. Names that start with '#' are of number columns, without the sign; a
/// column without a name has an empty cell.
std::string html_head_row(const std::vector<std::string>& names);

/// A picture of a leaf, or a box that says that there is none.
std::string html_picture(const std::optional<Picture>& picture, std::string_view alt);

/// A chart with its caption (HTML), drawn twice: for wide screens and for narrow ones, which show
/// one of them each.
std::string html_chart(Plot plot, const std::string& caption);

/// Three digits: "2.25"; what is all but nothing is "0".
std::string html_distance(double distance);

/// "<span data-figure=key>97.53</span>": a figure of the evaluation that is found by its key.
std::string html_figure(std::string_view key, const std::string& text);

}  // namespace leafglyph
