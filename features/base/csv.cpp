#include "features/base/csv.h"

#include <algorithm>
#include <array>
#include <utility>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/foreign_text.h"
#include "features/base/lines.h"
#include "features/base/text.h"

namespace leafglyph {
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
  std::string text;
  while (next_line(stream_, text, file_.native(), kMaxTextBytes)) {
    record_line_ = ++line_;
    if (text.empty()) continue;
    split(text, fields);
    while (!names_.empty() && fields.size() > names_.size() && fields.back().empty()) {
      fields.pop_back();
    }
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
  while (names.size() > 1 && names.back().empty()) names.pop_back();
  names_ = std::move(names);
}

std::optional<std::size_t> CsvReader::column(std::string_view name) const {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto at = std::ranges::find_if(names_, [&](const std::string& own) {
    return std::ranges::equal(own, name, {}, lower, lower);
  });
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
      text += '\n' + more;
    }
    const char c = text[i];
    if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (!quoted && text.compare(i, divider_.size(), divider_) == 0) {
      fields.emplace_back();
      i += divider_.size() - 1;
    } else {
      fields.back() += c;
    }
  }
}

namespace {

// The divider that the first line with any text has most of, outside of quotes.
std::string_view divider_of(std::string_view text) {
  constexpr std::array<std::string_view, 4> kDividers = {",", ";", "\t", "\uFF0C"};
  std::array<std::size_t, kDividers.size()> counts{};
  const std::size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  bool quoted = false;
  for (std::size_t i = begin; i < text.size() && (quoted || text[i] != '\n'); ++i) {
    quoted ^= text[i] == '"';
    for (std::size_t d = 0; d < kDividers.size() && !quoted; ++d) {
      counts[d] += text.substr(i).starts_with(kDividers[d]);
    }
  }
  return kDividers[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

}  // namespace

ForeignTable::ForeignTable(std::string bytes, std::filesystem::path file, std::string_view needed)
    : file_(std::move(file)), reader_(stream_, file_) {
  ForeignText foreign = foreign_text(std::move(bytes), file_.string());
  note_ = std::move(foreign.note);
  const std::string_view divider = divider_of(foreign.text);
  stream_.str(std::move(foreign.text));
  reader_.set_divider(divider);
  reader_.read_names(needed);
}

std::filesystem::path path_of_field(const std::filesystem::path& folder, std::string field) {
  if (field.find('\\') != std::string::npos && !is_there(folder / field)) {
    field = with_slashes(std::move(field));
  }
  return folder / field;
}

}  // namespace leafglyph
