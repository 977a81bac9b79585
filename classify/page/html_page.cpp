#include "classify/page/html_page.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "classify/page/html_assets.h"
#include "classify/page/html_text.h"
#include "classify/page/page_template.h"

namespace leafglyph {
namespace {

constexpr double kNarrowWidth = 372;
constexpr double kNarrowHeight = 340;
constexpr double kWideWidth = 860;
constexpr double kWideHeight = 440;

std::string drawn(Plot& plot, double width, double height) {
  plot.width = width;
  plot.height = height;
  return svg_plot(plot);
}

}  // namespace

std::string html_page(const Page& page) {
  PageValues sections = PageValues::array();
  for (const PageSection& section : page.sections) {
    sections.push_back({{"id", section.id},
                        {"menu", section.menu},
                        {"title", section.title},
                        {"body", section.body}});
  }
  return filled_template(page_frame(), {{"title", page.title},
                                        {"eyebrow", page.eyebrow},
                                        {"lead", page.lead},
                                        {"icon", data_uri("image/svg+xml", page_icon())},
                                        {"style", page_style()},
                                        {"script", page_script()},
                                        {"has_menu", page.sections.size() > 1},
                                        {"sections", std::move(sections)}}) +
         "\n";
}

std::string html_picture(const std::optional<Picture>& picture, std::string_view alt) {
  PageValues values = {{"alt", alt}};
  if (picture) {
    values.update({{"uri", picture->uri}, {"width", picture->width}, {"height", picture->height}});
  }
  return filled_template(page_picture_part(), values);
}

std::string html_chart(Plot plot, std::string_view caption) {
  plot.title.clear();
  plot.subtitle.clear();
  const std::string wide = drawn(plot, kWideWidth, kWideHeight);
  const std::string narrow = drawn(plot, kNarrowWidth, kNarrowHeight);
  return filled_template(page_chart(), {{"wide", wide}, {"narrow", narrow}, {"caption", caption}});
}

std::string html_distance(double distance) {
  // Float products leave so much of a leaf's distance from itself.
  constexpr double kNothing = 1e-4;
  if (distance < kNothing) return "0";
  char text[32];  // fmt would write four digits of 100 and more
  std::snprintf(text, sizeof text, "%#.3g", distance);
  return text;
}

}  // namespace leafglyph
