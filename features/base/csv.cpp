#include "features/base/csv.h"

#include <algorithm>
#include <utility>

#include "features/base/errors.h"
#include "features/base/lines.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

void strip_return(std::string& text) {
  if (!text.empty() && text.back() == '\r') text.pop_back();
}

}  // namespace

std::string csv_field(std::string_view bytes) {
  std::string text = escape_bytes(bytes);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_shown_field(std::string_view bytes) {
  if (bytes.find_first_of("=+-@\t\r") == 0) return csv_field("'" + std::string(bytes));
  return csv_field(bytes);
}

bool CsvReader::next(std::vector<std::string>& fields) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text;
  while (next_line(stream_, text, file_.native(), kMaxTextBytes)) {
    record_line_ = ++line_;
    if (line_ == 1 && text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
    strip_return(text);
    if (text.empty()) continue;
    split(text, fields);
    if (!names_.empty() && fields.size() != names_.size()) {
      refuse("has " + std::to_string(fields.size()) + " fields instead of " +
             std::to_string(names_.size()));
    }
    return true;
  }
  return false;
}

void CsvReader::read_names(std::string_view needed) {
  std::vector<std::string> names;
  if (!next(names)) refuse("the file is empty; its first line must " + std::string(needed));
  names_ = std::move(names);
}

std::optional<std::size_t> CsvReader::column(std::string_view name) const {
  const auto at = std::ranges::find(names_, name);
  if (at == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names_.begin());
}

void CsvReader::refuse(const std::string& reason) const {
  throw InputError(file_.string() + ", line " + std::to_string(record_line_) + ": " + reason);
}

// A quoted field may extend beyond `text`; it then continues on the following lines.
void CsvReader::split(std::string& text, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t i = 0;; ++i) {
    if (i == text.size()) {
      if (!quoted) return;
      std::string more;
      if (!next_line(stream_, more, file_.native(), kMaxTextBytes)) {
        refuse("a quoted field has no closing quote");
      }
      ++line_;
      strip_return(more);
      text += '\n' + more;
    }
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
}

}  // namespace leafglyph
