#include "classify/leaf_report/store_report.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kExamples = 6;   // rows shown of a reason
constexpr std::size_t kReasons = 200;  // reasons told apart; more would be names of files
constexpr std::size_t kUnusual = 12;
constexpr std::size_t kSameShown = 50, kPathsShown = 6;
// Inputs with this many rows with numbers or more are counted together.
constexpr std::size_t kMostLeaves = 10;
constexpr const char* kOtherReasons = "other reasons";

// "the stalk, 3.2 % of the leaf" -> "the stalk, … % of the leaf".
std::string without_numbers(std::string_view text) {
  const auto is_digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_digit(i)) {
      result += text[i++];
      continue;
    }
    while (is_digit(i) || ((text[i] == '.' || text[i] == ',') && is_digit(i + 1))) ++i;
    result += "…";
  }
  return result;
}

// The reason why a row has no numbers, or its warnings, which its text separates by "; ".
std::vector<std::string> reasons_of(const StoreRow& row) {
  if (!has_numbers(row.state)) return {without_numbers(row.warnings)};
  std::vector<std::string> reasons;
  std::string_view rest = row.warnings;
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    reasons.push_back(without_numbers(rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  }
  if (reasons.empty() && row.state != RowState::kOk) reasons.emplace_back();
  return reasons;
}

// A beginning of the SHA-256 of an input's file: 96 bits, in which no two of 10^9 different files
// agree by chance but once in 10^11 collections.
struct InputFile {
  std::uint64_t high = 0;
  std::uint32_t low = 0;
  std::uint32_t label = 0;
  std::size_t input = 0;

  auto key() const { return std::pair(high, low); }
};

std::uint64_t number_of(std::string_view hexadecimal) {
  return std::stoull(std::string(hexadecimal), nullptr, 16);
}

// Sums of one column, of differences from its first value.
struct ColumnSums {
  double first = 0, sum = 0, squares = 0;
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
};

// Calls use(row, values) for each row that is there.
template <class Use>
void each_row(const FeatureStore& store, const Use& use) {
  const std::size_t columns = store.header().columns.size();
  for (std::size_t b = 0; b < store.header().blocks(); ++b) {
    if (!store.has_block(b)) continue;
    throw_if_interrupted();
    const StoreBlock block = store.read_block(b);
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      use(block.rows[r], std::span(block.values).subspan(r * columns, columns));
    }
  }
}

/// The first pass: everything that a row says by itself.
class Counts {
 public:
  explicit Counts(const FeatureStore& store) : columns_(store.header().columns.size()) {
    report_.folder = store.folder().string();
    report_.header = store.header();
    for (const std::string& label : store.header().classes) {
      labels_.emplace(label, static_cast<std::uint32_t>(report_.labels.size()));
      report_.labels.push_back({label});
    }
    report_.leaves.resize(kMostLeaves + 1);
    for (std::size_t b = 0; b < store.header().blocks(); ++b) {
      report_.blocks += store.has_block(b) ? 1 : 0;
    }
    each_row(store,
             [this](const StoreRow& row, std::span<const float> values) { add(row, values); });
    end_input();
    finish_reasons();
  }

  StoreReport& report() { return report_; }
  std::vector<InputFile>& files() { return files_; }
  const std::vector<ColumnSums>& columns() const { return columns_; }
  std::size_t with_numbers() const { return with_numbers_; }

 private:
  void add(const StoreRow& row, std::span<const float> values) {
    if (report_.rows == 0 || row.image != image_) start_input(row);
    ++report_.rows;
    ++report_.states[row.state];
    const std::uint32_t label = label_of(row);
    for (std::string& reason : reasons_of(row)) add_reason(row, std::move(reason));
    if (label < report_.labels.size()) {
      ++(has_numbers(row.state) ? report_.labels[label].with_numbers
                                : report_.labels[label].without);
    }
    if (!has_numbers(row.state)) return;
    ++leaves_;
    if (row.area > 0) {
      const auto power = static_cast<std::size_t>(std::bit_width(row.area) - 1);
      report_.areas.resize(std::max(report_.areas.size(), power + 1));
      ++report_.areas[power];
    }
    add_values(values);
  }

  void start_input(const StoreRow& row) {
    end_input();
    image_ = row.image;
    leaves_ = 0;
    ++report_.inputs;
    if (row.file.sha256.size() < 24) return;
    const std::string_view digest = row.file.sha256;
    files_.push_back({number_of(digest.substr(0, 16)),
                      static_cast<std::uint32_t>(number_of(digest.substr(16, 8))), label_of(row),
                      row.image});
  }
  void end_input() {
    if (report_.inputs > 0) ++report_.leaves[std::min(leaves_, kMostLeaves)];
  }

  std::uint32_t label_of(const StoreRow& row) const {
    const auto at = labels_.find(row.label);
    return at == labels_.end() ? static_cast<std::uint32_t>(labels_.size()) : at->second;
  }

  void add_reason(const StoreRow& row, std::string reason) {
    std::map<std::string, ReasonGroup>& groups = reasons_[row.state];
    if (groups.size() >= kReasons && !groups.contains(reason)) reason = kOtherReasons;
    ReasonGroup& group = groups[reason];
    group.state = row.state;
    group.reason = std::move(reason);
    ++group.rows;
    if (group.examples.size() < kExamples) group.examples.push_back(row);
  }

  void add_values(std::span<const float> values) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      ColumnSums& column = columns_[c];
      if (with_numbers_ == 0) column.first = values[c];
      const double difference = values[c] - column.first;
      column.sum += difference;
      column.squares += difference * difference;
      column.smallest = std::min(column.smallest, values[c]);
      column.largest = std::max(column.largest, values[c]);
    }
    ++with_numbers_;
  }

  void finish_reasons() {
    for (auto at = reasons_.rbegin(); at != reasons_.rend(); ++at) {
      const auto first = static_cast<std::ptrdiff_t>(report_.reasons.size());
      for (auto& [reason, group] : at->second) report_.reasons.push_back(std::move(group));
      std::ranges::stable_sort(report_.reasons.begin() + first, report_.reasons.end(),
                               std::ranges::greater(), &ReasonGroup::rows);
    }
  }

  StoreReport report_;
  std::map<std::string, std::uint32_t> labels_;
  std::map<RowState, std::map<std::string, ReasonGroup>> reasons_;
  std::vector<InputFile> files_;
  std::vector<ColumnSums> columns_;
  std::size_t with_numbers_ = 0;
  std::size_t image_ = 0, leaves_ = 0;
};

// "mask_Z_12_4" -> "mask", "Z_12_4" -> "Z"; names without numbers at their end stay.
std::string group_of(std::string name) {
  std::size_t last = name.find_last_not_of("0123456789_-");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  if (last >= 2 && name[last - 1] == '_') last -= 2;  // the letter of the moments
  name.resize(last + 1);
  return name;
}

std::vector<ColumnFigures> figures_of(const StoreHeader& header,
                                      std::span<const ColumnSums> columns, std::size_t rows) {
  std::vector<ColumnFigures> groups;
  if (rows == 0) return groups;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string name = group_of(header.columns[c]);
    const ColumnSums& column = columns[c];
    if (groups.empty() || groups.back().group != name) {
      groups.push_back({name, 0, 0, 0, column.smallest, column.largest});
    }
    ColumnFigures& group = groups.back();
    ++group.columns;
    group.constant += column.smallest == column.largest ? 1 : 0;
    group.mean += column.first + column.sum / static_cast<double>(rows);
    group.smallest = std::min<double>(group.smallest, column.smallest);
    group.largest = std::max<double>(group.largest, column.largest);
  }
  for (ColumnFigures& group : groups) group.mean /= static_cast<double>(group.columns);
  return groups;
}

// Inputs with the same bytes, by the number of the group that is shown.
std::map<std::size_t, std::size_t> find_same(std::vector<InputFile>& files, StoreReport& report) {
  std::ranges::sort(files, {},
                    [](const InputFile& file) { return std::pair(file.key(), file.input); });
  struct Group {
    std::size_t first, last;
    bool labels_differ;
  };
  std::vector<Group> groups;
  for (std::size_t first = 0; first < files.size();) {
    std::size_t last = first + 1;
    bool differ = false;
    for (; last < files.size() && files[last].key() == files[first].key(); ++last) {
      differ |= files[last].label != files[first].label;
    }
    if (last - first > 1) {
      groups.push_back({first, last, differ});
      report.under_other_labels += differ ? 1 : 0;
    }
    first = last;
  }
  report.same_files = groups.size();
  std::ranges::stable_sort(groups, [&](const Group& a, const Group& b) {
    return std::pair(!a.labels_differ, files[a.first].input) <
           std::pair(!b.labels_differ, files[b.first].input);
  });
  groups.resize(std::min(groups.size(), kSameShown));
  std::map<std::size_t, std::size_t> shown;
  for (const Group& group : groups) {
    for (std::size_t i = group.first; i < std::min(group.last, group.first + kPathsShown); ++i) {
      shown.emplace(files[i].input, report.same.size());
    }
    report.same.push_back({{}, {}, group.last - group.first, group.labels_differ});
  }
  return shown;
}

// The standard deviation of each column; 0 for a constant one.
std::vector<double> deviations(std::span<const ColumnSums> columns, std::size_t rows) {
  std::vector<double> result;
  const auto count = static_cast<double>(rows);
  for (const ColumnSums& column : columns) {
    const double mean = column.sum / count;
    result.push_back(column.smallest == column.largest
                         ? 0
                         : std::sqrt(std::max(0.0, column.squares / count - mean * mean)));
  }
  return result;
}

}  // namespace

StoreReport report_on(const FeatureStore& store) {
  Counts counts(store);
  StoreReport report = std::move(counts.report());
  const std::size_t rows = counts.with_numbers();
  report.columns = figures_of(report.header, counts.columns(), rows);
  const std::map<std::size_t, std::size_t> same = find_same(counts.files(), report);
  std::vector<InputFile>().swap(counts.files());
  const std::vector<double> spread = deviations(counts.columns(), rows);
  const auto varying =
      static_cast<double>(spread.size()) - static_cast<double>(std::ranges::count(spread, 0.0));
  std::size_t last = std::numeric_limits<std::size_t>::max();
  each_row(store, [&](const StoreRow& row, std::span<const float> values) {
    if (const auto at = same.find(row.image); at != same.end() && row.image != last) {
      last = row.image;
      report.same[at->second].paths.push_back(row.path);
      report.same[at->second].labels.push_back(row.label);
    }
    if (!has_numbers(row.state) || varying == 0) return;
    double squares = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (spread[c] == 0) continue;
      const ColumnSums& column = counts.columns()[c];
      const double mean = column.first + column.sum / static_cast<double>(rows);
      const double z = (values[c] - mean) / spread[c];
      squares += z * z;
    }
    const double distance = std::sqrt(squares / varying);
    auto& unusual = report.unusual;
    const auto at = std::ranges::find_if(
        unusual, [&](const UnusualRow& other) { return other.distance < distance; });
    if (at == unusual.end() && unusual.size() == kUnusual) return;
    unusual.insert(at, {row, distance});
    if (unusual.size() > kUnusual) unusual.pop_back();
  });
  return report;
}

}  // namespace leafglyph
