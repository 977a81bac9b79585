#include "classify/page/html_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "classify/page/page_template.h"
#include "features/base/errors.h"
#include "features/base/text.h"

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
  // Because products are computed in float, a leaf may be this far from itself.
  constexpr double kNothing = 1e-4;
  if (distance < kNothing) return "0";
  char text[32];  // fmt would write four digits of 100 and more
  std::snprintf(text, sizeof text, "%#.3g", distance);
  return text;
}

namespace {

const char* reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char* known = reference(text.front());
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else if (known != nullptr) {
      result += known;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string base64(std::string_view bytes) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 4 * 3) {
    throw UsageError(fmt::format("a page cannot hold {} bytes as base64", bytes.size()));
  }
  std::string result((bytes.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return result;
}

std::string data_uri(std::string_view type, std::string_view bytes) {
  return "data:" + std::string(type) + ";base64," + base64(bytes);
}

std::string with_character_strings(std::string_view own) {
  nlohmann::json strings = nlohmann::json::parse(character_strings());
  strings.update(nlohmann::json::parse(own));
  return strings.dump();
}

}  // namespace leafglyph
