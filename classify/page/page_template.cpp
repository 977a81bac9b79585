#include "classify/page/page_template.h"

#include <kainjow/mustache.hpp>
#include <nlohmann/json.hpp>

#include "classify/page/html_page.h"
#include "features/base/errors.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

namespace mustache = kainjow::mustache;

mustache::data data_of(const PageValues& value) {
  if (value.is_null()) return mustache::data(false);
  if (value.is_boolean()) return mustache::data(value.get<bool>());
  if (value.is_string()) return mustache::data(value.get_ref<const std::string&>());
  if (value.is_array()) {
    mustache::data list(mustache::data::type::list);
    for (const PageValues& element : value) list << data_of(element);
    return list;
  }
  if (!value.is_object()) return mustache::data(value.dump());
  mustache::data object(mustache::data::type::object);
  for (const auto& [name, member] : value.items()) object.set(name, data_of(member));
  return object;
}

}  // namespace

std::string filled_template(std::string_view markup, const PageValues& values) {
  if (markup.ends_with('\n')) markup.remove_suffix(1);
  mustache::mustache parsed{std::string(markup)};
  if (!parsed.is_valid()) throw UsageError("not a template: " + parsed.error_message());
  parsed.set_custom_escape([](const std::string& text) { return html_escaped(text); });
  return parsed.render(data_of(values));
}

PageValues sorted_cell(double value, std::string_view text) {
  return {{"value", number_text(value)}, {"text", text}};
}

PageValues figure_cell(double value, std::string_view key, std::string_view text) {
  return {{"value", number_text(value)}, {"key", key}, {"text", text}};
}

}  // namespace leafglyph
