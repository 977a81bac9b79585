// Markup with places for values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace leafglyph {

using PageValues = nlohmann::ordered_json;

/// The markup, a mustache template, with its places filled: {{name}} with the text of the member
/// `name` of `values`, escaped as by html_escaped; {{{name}}} with its HTML. What stands between
/// {{#name}} and {{/name}} is there once for each element of an array, and once where the member is
/// anything but false, null or an empty array; between {{^name}} and {{/name}} where it is not. A
/// name that an element lacks is that of what is around it. The last line break of the markup is
/// left out. Throws UsageError when the markup is not a template.
std::string filled_template(std::string_view markup, const PageValues& values);

/// What a table cell that sorts by `value` has places for: "value" and "text".
PageValues sorted_cell(double value, std::string_view text);

/// The same of a figure of an evaluation that is found by its key, "key".
PageValues figure_cell(double value, std::string_view key, std::string_view text);

}  // namespace leafglyph
