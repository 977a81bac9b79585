#include "classify/rows/joined_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <utility>

#include "features/base/csv.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/foreign_text.h"
#include "features/base/input_file.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/lines.h"
#include "features/base/npy.h"
#include "features/base/numbers.h"
#include "features/base/text.h"

namespace leafglyph {
namespace {

// Slashes divide folders, and "./" at the beginning says nothing.
std::string plain_name(std::string name) {
  std::ranges::replace(name, '\\', '/');
  while (name.starts_with("./")) name.erase(0, 2);
  return name;
}

// The column with the names of photographs: the first of these that there is, else the first.
std::size_t column_of_names(const CsvReader& reader) {
  for (const char* name : {"path", "file", "image", "name"}) {
    if (const auto column = reader.column(name)) return *column;
  }
  return 0;
}

}  // namespace

void declare(Keys& keys, JoinSpec& spec) {
  keys.key({"join", &spec.file,
            "Table of columns that another program made, a row for each photograph, which are "
            "features, too; relative to the configuration"});
  keys.where(keys.is_reading() || spec.is_used(), "join", [&] {
    keys.key({"join_columns", &spec.columns, "Of the table, which are used; []: all"});
  });
  keys.check("join_columns", [&] {
    if (spec.columns.size() > kMaxJoinedColumns) {
      throw UsageError(
          fmt::format("{} columns; use at most {}", spec.columns.size(), kMaxJoinedColumns));
    }
    std::set<std::string> seen;
    for (const std::string& name : spec.columns) {
      if (!seen.insert(name).second) throw UsageError("'" + name + "' is listed twice");
    }
  });
}

void settle(JoinSpec& spec) {
  if (spec.file.empty() || !spec.columns.empty()) return;
  spec.file = std::filesystem::absolute(spec.file).lexically_normal();
  spec.columns = JoinedTable(spec).columns();
}

void check_one_leaf_each(const JoinSpec& spec) {
  if (!spec.is_used()) return;
  throw UsageError("the table has a row for each photograph, not for each of several leaves on it");
}

JoinedTable::JoinedTable(const JoinSpec& spec) : file_(spec.file) {
  if (file_.empty()) {
    throw UsageError(fmt::format(
        "the model needs {} of a table for each photograph, first '{}'; name the table (--join)",
        counted(spec.columns.size(), "column", "columns"), spec.columns.front()));
  }
  if (file_.extension() == ".npy") {
    read_array(spec.columns);
  } else {
    read_csv(spec.columns);
  }
  if (rows_.empty()) throw InputError(file_.string() + ": the table has no rows");
}

std::vector<std::size_t> JoinedTable::chosen(const std::vector<std::string>& all,
                                             const std::vector<std::string>& wanted) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (!places.emplace(all[c], c).second) {
      throw InputError(file_.string() + ": two columns are called '" + all[c] + "'");
    }
  }
  columns_ = wanted.empty() ? all : wanted;
  if (columns_.empty() || columns_.size() > kMaxJoinedColumns) {
    throw InputError(fmt::format("{}: {} beside the names; use 1 to {} (features.join_columns)",
                                 file_.string(), counted(columns_.size(), "column", "columns"),
                                 kMaxJoinedColumns));
  }
  std::vector<std::size_t> chosen;
  for (const std::string& name : columns_) {
    const auto place = places.find(name);
    if (place == places.end()) {
      throw InputError(file_.string() + ": there is no column '" + name + "'");
    }
    chosen.push_back(place->second);
  }
  return chosen;
}

void JoinedTable::add_name(std::string name, std::size_t row, const std::string& where) {
  name = plain_name(std::move(name));
  if (name.empty()) throw InputError(where + ": the row has no name of a photograph");
  if (!rows_.emplace(name, row).second) {
    throw InputError(where + ": '" + name + "' is there for the second time");
  }
}

void JoinedTable::read_csv(const std::vector<std::string>& wanted) {
  ForeignTable table(read_text_file(file_), file_, "name columns, one of them path");
  CsvReader& reader = table.reader();
  const std::size_t names = column_of_names(reader);
  std::vector<std::string> all = reader.names();
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(names));
  std::vector<std::size_t> places = chosen(all, wanted);
  for (std::size_t& place : places) place += place >= names;
  std::vector<std::string> fields;
  while (reader.next(fields)) {
    const std::string where = fmt::format("{}, line {}", file_.string(), reader.line());
    add_name(std::move(fields[names]), rows_.size(), where);
    for (std::size_t c = 0; c < places.size(); ++c) {
      const std::string& field = fields[places[c]];
      const auto value = number_in<double>(field);
      if (!value || !std::isfinite(static_cast<float>(*value))) {
        throw InputError(fmt::format("{}: column '{}' has {}, which is not a finite number", where,
                                     columns_[c], field.empty() ? "nothing" : "'" + field + "'"));
      }
      values_.push_back(static_cast<float>(*value));
    }
  }
}

void JoinedTable::read_array(const std::vector<std::string>& wanted) {
  const NpyArray<float> array = read_npy<float>(file_);
  if (array.shape.size() != 2) {
    throw InputError(fmt::format("{}: the array has {} axes; use two: rows and columns",
                                 file_.string(), array.shape.size()));
  }
  const std::size_t width = array.shape[1];
  std::vector<std::string> all;
  for (std::size_t c = 0; c < width; ++c) all.push_back(fmt::format("column_{}", c));
  const std::vector<std::size_t> places = chosen(all, wanted);
  std::filesystem::path list = file_;
  list.replace_extension(".txt");
  if (!is_regular(list)) {
    throw InputError(file_.string() + ": the names of its rows are not there; write them to " +
                     list.string() + ", one photograph on each line");
  }
  std::istringstream lines(foreign_text(read_text_file(list), list.string()).text);
  std::string line;
  while (next_line(lines, line, list.string())) {
    add_name(line, rows_.size(), fmt::format("{}, line {}", list.string(), rows_.size() + 1));
  }
  if (rows_.size() != array.shape[0]) {
    throw InputError(fmt::format("{}: {}, but {} in {}", file_.string(),
                                 counted(array.shape[0], "row", "rows"),
                                 counted(rows_.size(), "name", "names"), list.string()));
  }
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    for (std::size_t c = 0; c < places.size(); ++c) {
      values_.push_back(array.values[i * width + places[c]]);
      if (std::isfinite(values_.back())) continue;
      throw InputError(fmt::format("{}: row {}, column '{}' is not a finite number", file_.string(),
                                   i, columns_[c]));
    }
  }
}

const std::pair<const std::string, std::size_t>* JoinedTable::find(
    std::string_view photograph) const {
  const std::string whole = plain_name(std::string(photograph));
  for (std::string_view name = whole;;) {
    if (const auto row = rows_.find(name); row != rows_.end()) return &*row;
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return nullptr;
    name.remove_prefix(slash + 1);
  }
}

std::span<const float> JoinedTable::row(std::string_view photograph) const {
  const auto* found = find(photograph);
  if (found == nullptr) {
    throw InputError(std::string(photograph) + ": " + file_.string() + " has no row for it");
  }
  return std::span(values_).subspan(found->second * columns_.size(), columns_.size());
}

void JoinedTable::check_distinct(std::span<const std::string> photographs) const {
  std::map<std::size_t, std::string_view> taken;
  for (const std::string& photograph : photographs) {
    const auto* found = find(photograph);
    if (found == nullptr) continue;
    const auto [first, is_new] = taken.emplace(found->second, photograph);
    if (is_new || first->second == photograph) continue;
    throw InputError(
        fmt::format("{}: its row '{}' could be that of {} and of {}; name photographs "
                    "with their folders there",
                    file_.string(), found->first, first->second, photograph));
  }
}

void JoinedTable::check(std::span<const std::string> photographs) const {
  check_distinct(photographs);
  const auto lacks = [&](const std::string& photograph) { return find(photograph) == nullptr; };
  const auto first = std::ranges::find_if(photographs, lacks);
  if (first == photographs.end()) return;
  throw InputError(fmt::format("{}: no row for {} of {}; first: {}", file_.string(),
                               std::ranges::count_if(photographs, lacks),
                               counted(photographs.size(), "photograph", "photographs"), *first));
}

}  // namespace leafglyph
