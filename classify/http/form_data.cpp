#include "classify/http/form_data.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "classify/http/page_limits.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kDashes = "--";

[[noreturn]] void refuse(const std::string& why) {
  throw UsageError("the form cannot be read: " + why);
}

// Removes `text` from the front of `rest`, if it is there.
bool take(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

// The value at the front, either bare or in quotation marks, in which a backslash escapes.
std::string_view take_value(std::string_view& rest) {
  std::string_view value;
  if (take(rest, "\"")) {
    std::size_t end = 0;
    while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size()) refuse("a quotation mark is not closed");
    value = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  } else {
    value = trimmed(rest.substr(0, rest.find(';')));
    rest.remove_prefix(std::min(rest.size(), rest.find(';')));
  }
  return value;
}

// Calls use(name, value) for each "; name=value" after the first word, and returns that word.
template <class Use>
std::string_view for_each_parameter(std::string_view header, const Use& use) {
  const std::string_view word = trimmed(header.substr(0, header.find(';')));
  std::string_view rest = header.substr(std::min(header.size(), header.find(';')));
  while (take(rest, ";")) {
    rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(" \t")));
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos || !is_token(rest.substr(0, equals))) {
      refuse("a parameter has no name or no value");
    }
    const std::string name = lower_case(rest.substr(0, equals));
    rest.remove_prefix(equals + 1);
    use(name, take_value(rest));
    rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(" \t")));
  }
  if (!rest.empty()) refuse("a parameter is followed by something else");
  return word;
}

// Name and file name from the lines of a part's head.
HttpPart part_of(std::string_view head) {
  std::optional<std::string_view> name;
  HttpPart part;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find(kLineEnd));
    head.remove_prefix(line.size() + kLineEnd.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      refuse("a line of a part's head is not a header");
    }
    if (lower_case(line.substr(0, colon)) != "content-disposition") continue;
    if (name) refuse("a part has two names");
    const std::string_view word = for_each_parameter(
        line.substr(colon + 1), [&](const std::string& parameter, std::string_view value) {
          if (parameter == "name") name = value;
          if (parameter == "filename") part.file_name = value;
        });
    if (lower_case(word) != "form-data") refuse("a part is not a form field");
  }
  if (!name) refuse("a part has no name");
  part.name = *name;
  return part;
}

// The head at the front of `rest`, each line with its line end. The empty line is removed, too.
std::string_view take_head(std::string_view& rest) {
  const std::size_t end = rest.substr(0, kMaxFormHeadBytes).find("\r\n\r\n");
  if (end == std::string_view::npos) {
    refuse(fmt::format("the head of a part has no end, or more than {} bytes", kMaxFormHeadBytes));
  }
  const std::string_view head = rest.substr(0, end + kLineEnd.size());
  rest.remove_prefix(head.size() + kLineEnd.size());
  return head;
}

}  // namespace

bool is_form(std::string_view content_type) {
  return lower_case(trimmed(content_type.substr(0, content_type.find(';')))) ==
         "multipart/form-data";
}

std::string_view form_boundary(std::string_view content_type) {
  constexpr std::size_t kLongest = 70;
  constexpr std::string_view kLetters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'()+_,-./:=? ";
  std::string_view boundary;
  try {
    for_each_parameter(content_type, [&](const std::string& parameter, std::string_view value) {
      if (parameter == "boundary") boundary = value;
    });
  } catch (const UsageError&) {
    return {};
  }
  const bool fits = boundary.size() <= kLongest && !boundary.ends_with(' ') &&
                    boundary.find_first_not_of(kLetters) == std::string_view::npos;
  return fits ? boundary : std::string_view();
}

std::vector<HttpPart> form_parts(std::string_view body, std::string_view boundary) {
  const std::string divider = std::string(kLineEnd) + std::string(kDashes) + std::string(boundary);
  std::vector<HttpPart> parts;
  if (!take(body, std::string_view(divider).substr(kLineEnd.size()))) {
    refuse("it does not begin with its boundary");
  }
  while (!take(body, kDashes)) {
    if (!take(body, kLineEnd)) refuse("its boundary is followed by something else");
    if (parts.size() == kMaxFormParts) {
      refuse(fmt::format("it has more than {} parts", kMaxFormParts));
    }
    HttpPart part = part_of(take_head(body));
    const std::size_t end = body.find(divider);
    if (end == std::string_view::npos) refuse("its end is missing");
    part.content = body.substr(0, end);
    body.remove_prefix(end + divider.size());
    parts.push_back(part);
  }
  if (!body.empty() && body != kLineEnd) refuse("something follows its end");
  return parts;
}

}  // namespace leafglyph
