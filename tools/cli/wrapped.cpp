#include <algorithm>

#include "features/base/text.h"
#include "tools/cli/command_texts.h"

namespace leafglyph {
namespace {

// Where a line goes on below itself: at its description, behind two blanks or more, or where it
// begins.
std::size_t hanging(const std::string& line, std::size_t columns) {
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t gap = line.find("  ", begin);
  const std::size_t text = gap == line.npos ? gap : line.find_first_not_of(' ', gap);
  constexpr std::size_t kFewestColumns = 20;  // for a description
  return text != line.npos && text + kFewestColumns <= columns ? text
                                                               : std::min(begin + 2, columns);
}

void wrap(const std::string& line, std::size_t columns, std::string& wrapped) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (count_characters(line) <= columns || begin == line.npos) {
    wrapped += line + "\n";
    return;
  }
  const std::string below(hanging(line, columns), ' ');
  std::string row(begin, ' ');
  std::size_t at = begin;
  while (at < line.size()) {
    // A word, with the blanks before it.
    const std::size_t word = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::string more = line.substr(at, end - at);
    if (row.find_first_not_of(' ') != row.npos && count_characters(row + more) > columns) {
      wrapped += row + "\n";
      row = below + line.substr(word, end - word);
    } else {
      row += more;
    }
    at = end;
  }
  wrapped += row + "\n";
}

}  // namespace

std::string wrapped(const std::string& text, int columns) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    wrap(text.substr(at, end - at), static_cast<std::size_t>(std::max(1, columns)), result);
    at = end + 1;
  }
  return result;
}

}  // namespace leafglyph
