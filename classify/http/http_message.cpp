#include "classify/http/http_message.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "features/base/errors.h"
#include "features/base/numbers.h"
#include "features/record/json_text.h"

namespace leafglyph {

std::optional<std::string> HttpRequest::value(const std::string& name) const {
  const auto [first, last] = query.equal_range(name);
  if (first == last) return std::nullopt;
  if (std::next(first) != last) throw UsageError("'" + name + "' is given twice");
  return first->second;
}

std::string HttpRequest::required(const std::string& name) const {
  std::optional<std::string> given = value(name);
  if (!given) throw UsageError("'" + name + "' is missing");
  return *std::move(given);
}

int HttpRequest::number(const std::string& name, int least, int most, int otherwise) const {
  const std::optional<std::string> text = value(name);
  if (!text) return otherwise;
  const auto number = number_in<int>(*text);
  if (!number || *number < least || *number > most) {
    throw UsageError(fmt::format("'{}' is '{}'; it must be a whole number from {} to {}", name,
                                 text->substr(0, 40), least, most));
  }
  return *number;
}

std::optional<std::string_view> HttpRequest::field(std::string_view name) const {
  for (const HttpPart& part : parts) {
    if (part.name == name) return part.content;
  }
  return std::nullopt;
}

HttpReply json_reply(nlohmann::ordered_json json) {
  return {200, "application/json", json_text(std::move(json)), {}};
}

}  // namespace leafglyph
