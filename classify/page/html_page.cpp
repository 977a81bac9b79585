#include "classify/page/html_page.h"

#include <fmt/format.h>

#include <cstdio>

#include "classify/page/html_assets.h"
#include "classify/page/html_text.h"
#include "features/base/number_text.h"

namespace leafglyph {
namespace {

constexpr double kNarrowWidth = 372;
constexpr double kNarrowHeight = 340;
constexpr double kWideWidth = 860;
constexpr double kWideHeight = 440;

std::string menu(const Page& page) {
  std::string html = "<nav aria-label=\"Sections\"><ul>\n";
  for (const PageSection& section : page.sections) {
    html += "<li><a href=\"#" + section.id + "\">" + html_escaped(section.menu) + "</a></li>\n";
  }
  return html + "</ul></nav>\n";
}

std::string section_html(const PageSection& section) {
  return "<section id=\"" + section.id + "\" aria-labelledby=\"" + section.id +
         "-title\">\n<h2 id=\"" + section.id + "-title\">" + html_escaped(section.title) +
         "</h2>\n" + section.body + "</section>\n";
}

std::string class_attribute(std::string_view css_class) {
  return css_class.empty() ? "" : " class=\"" + std::string(css_class) + "\"";
}

}  // namespace

std::string html_page(const Page& page) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      html_escaped(page.title + " - LeafGlyph") + "</title>\n<link rel=\"icon\" href=\"" +
      data_uri("image/svg+xml", page_icon()) + "\">\n<style>\n\n";
  html += page_style();
  html +=
      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
      "<header class=\"masthead\"><div class=\"wrap\">\n<p class=\"eyebrow\">" +
      html_escaped(page.eyebrow) + "</p>\n<h1>" + html_escaped(page.title) +
      "</h1>\n<p class=\"lead\">" + page.lead + "</p>\n</div></header>\n";
  if (page.sections.size() > 1) html += menu(page);
  html += "<main id=\"main\" class=\"wrap\">\n";
  for (const PageSection& section : page.sections) html += section_html(section);
  html += "</main>\n<script>\n\n";
  html += page_script();
  return html + "</script>\n</body>\n</html>\n";
}

std::string html_paragraph(std::string_view text, std::string_view css_class) {
  return "<p" + class_attribute(css_class) + ">" + html_escaped(text) + "</p>\n";
}

std::string html_details(std::string_view summary, const std::string& body) {
  return "<details><summary>" + html_escaped(summary) + "</summary>\n" + body + "</details>\n";
}

std::string html_scroll(std::string_view name, const std::string& body) {
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + html_escaped(name) +
         "\">\n" + body + "</div>\n";
}

std::string html_number_cell(double value, const std::string& text, std::string_view css_class) {
  const std::string classes = css_class.empty() ? "number" : "number " + std::string(css_class);
  return "<td class=\"" + classes + "\" data-value=\"" + number_text(value) + "\">" + text +
         "</td>";
}

std::string html_head_row(const std::vector<std::string>& names) {
  std::string html = "<thead><tr>";
  for (const std::string& name : names) {
    if (name.empty()) {
      html += "<td></td>";
      continue;
    }
    const bool number = name.starts_with('#');
    html += number ? "<th scope=\"col\" class=\"number\">" : "<th scope=\"col\">";
    html += html_escaped(number ? name.substr(1) : name) + "</th>";
  }
  return html + "</tr></thead>\n";
}

std::string html_picture(const std::optional<Picture>& picture, std::string_view alt) {
  if (!picture) {
    return "<span class=\"no-picture\" role=\"img\" aria-label=\"" + html_escaped(alt) +
           "; its file cannot be read\">no picture</span>";
  }
  return fmt::format("<img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\">", picture->uri,
                     picture->width, picture->height, html_escaped(alt));
}

std::string html_chart(Plot plot, const std::string& caption) {
  plot.title.clear();
  plot.subtitle.clear();
  plot.width = kWideWidth;
  plot.height = kWideHeight;
  std::string html = "<figure class=\"chart\">\n<div class=\"wide\">" + svg_plot(plot) + "</div>\n";
  plot.width = kNarrowWidth;
  plot.height = kNarrowHeight;
  html += "<div class=\"narrow\">" + svg_plot(plot) + "</div>\n";
  return html + "<figcaption>" + caption + "</figcaption>\n</figure>\n";
}

std::string html_distance(double distance) {
  // Float products leave so much of a leaf's distance from itself.
  constexpr double kNothing = 1e-4;
  if (distance < kNothing) return "0";
  char text[32];  // fmt would write four digits of 100 and more
  std::snprintf(text, sizeof text, "%#.3g", distance);
  return text;
}

std::string html_figure(std::string_view key, const std::string& text) {
  return "<span data-figure=\"" + html_escaped(key) + "\">" + html_escaped(text) + "</span>";
}

}  // namespace leafglyph
