// Markup with placeholders.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace leafglyph {

using PageValues = nlohmann::ordered_json;

/// Fills the placeholders of a mustache template: {{name}} with the text of the member `name` of
/// `values`, escaped as by html_escaped; {{{name}}} with its HTML. The text between {{#name}} and
/// {{/name}} appears once for each element of an array. For other members it appears once, unless
/// the member is false, null or an empty array; then the text between {{^name}} and {{/name}}
/// appears. A name that an element lacks is looked up in the values around it. The last line break
/// of the markup is dropped. Throws UsageError when the markup is not a valid template.
std::string filled_template(std::string_view markup, const PageValues& values);

/// The values of a table cell that sorts by `value`: "value" and "text".
PageValues sorted_cell(double value, std::string_view text);

/// The same for a figure of an evaluation with its key, "key".
PageValues figure_cell(double value, std::string_view key, std::string_view text);

}  // namespace leafglyph
