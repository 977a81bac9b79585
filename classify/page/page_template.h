// Markup with placeholders for the values of a JSON document, and how its figures are written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace leafglyph {

using PageValues = nlohmann::ordered_json;

/// Fills the placeholders of a mustache template: {{name}} with the text of the member `name` of
/// `values`, escaped as by html_escaped; {{{name}}} with its HTML. The text between {{#name}} and
/// {{/name}} appears once for each element of an array. For other members it appears once, unless
/// the member is false, null, an empty text or an empty array; then the text between {{^name}} and
/// {{/name}} appears. A name that an element lacks is looked up in the values around it, at last in
/// `document`. {{a.b.0}} is the first element of the member b of a, {{.}} the element itself,
/// {{@}} its number in its array, from 1. The last line break of the markup is dropped.
///
/// A bar and a format may follow a name, here and in {{#name}}:
///   percent, number, seconds, distance   of numbers: percent, number_text, seconds_text,
///                                        html_distance
///   .2f, .4g, percent.1f   of numbers: digits as by printf
///   figure        HTML: a whole number, or a share in percent, with its dotted key in the document
///   count, any, several   of an array: its size; whether this is above 0, above 1
///   times         of an object of seconds: "reading 0.125, training 2.000"
///   species, latin        of a name: shown_species, is_latin_folder
/// and after it, or alone, a width: {{name|<9}} and {{share|percent>9}} fill up with blanks behind
/// and before the text; {{name|<width}} as far as the member `width` says. Throws UsageError when
/// the markup is not a valid template, or a format is unknown.
std::string filled_template(std::string_view markup, const PageValues& values);
std::string filled_template(std::string_view markup, const PageValues& values,
                            const PageValues& document);
/// The same for plain text, in which nothing is escaped.
std::string filled_text(std::string_view markup, const PageValues& values,
                        const PageValues& document);

/// Whether a species has a Latin name for a folder: "Acer_negundo".
bool is_latin_folder(std::string_view name);
/// "Acer negundo" of such a name; others as they are.
std::string shown_species(const std::string& name);

}  // namespace leafglyph
