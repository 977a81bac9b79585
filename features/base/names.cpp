#include "features/base/names.h"

#include <algorithm>
#include <string>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {

void throw_unknown_name(std::string_view what, std::string_view name,
                        std::span<const std::string_view> known) {
  std::string message = std::string(what) + " '" + std::string(name) + "' is unknown; use ";
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (i > 0) message += i + 1 < known.size() ? ", " : " or ";
    message += known[i];
  }
  throw UsageError(message + did_you_mean(name, known));
}

namespace {

char small_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_same(char a, char b) { return small_letter(a) == small_letter(b); }

}  // namespace

int letters_apart(std::string_view a, std::string_view b) {
  std::vector<int> two_rows_up, row_up(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row_up[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = row_up[j - 1] + (is_same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({changed, row_up[j] + 1, row[j - 1] + 1});
      const bool exchanged =
          i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]);
      if (exchanged) row[j] = std::min(row[j], two_rows_up[j - 2] + 1);
    }
    two_rows_up = row_up;
    row_up = row;
  }
  return row_up.back();
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  const int most = std::max(1, static_cast<int>(name.size()) / 3);
  std::string_view nearest;
  int least = most + 1;
  for (const std::string_view candidate : known) {
    const bool is_begun = name.size() >= 3 && candidate.starts_with(name);
    const int apart = is_begun ? 1 : letters_apart(name, candidate);
    // A candidate that shares no letter with the name is not meant.
    if (apart >= least || apart >= static_cast<int>(candidate.size())) continue;
    least = apart;
    nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  return did_you_mean(name, views);
}

}  // namespace leafglyph
