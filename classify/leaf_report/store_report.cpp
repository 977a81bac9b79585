#include "classify/leaf_report/store_report.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

std::string_view rows_are(PartRule parts) {
  switch (parts) {
    case PartRule::kEveryLeaf:
      return "every leaf of each input";
    case PartRule::kMasks:
      return "every region of the mask of each input";
    case PartRule::kWhole:
      break;
  }
  return "whole inputs";
}

PageValues row_json(const StoreRow& row) {
  const std::string file = std::filesystem::path(row.path).filename().string();
  return {{"name", row.part == 0 ? file : file + ", part " + std::to_string(row.part)},
          {"label", row.label},
          {"path", row.path},
          {"part", row.part},
          {"box", {row.box.left, row.box.top, row.box.width, row.box.height}}};
}

// Rows of one state with the same reason or warning, whatever the numbers in it.
struct Reason {
  std::size_t rows = 0;
  std::vector<StoreRow> examples;
};

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
  explicit Counts(const FeatureStore& store)
      : columns(store.header().columns.size()), of_labels_(store.header().classes.size()) {
    for (const std::string& label : store.header().classes) {
      labels_.emplace(label, static_cast<std::uint32_t>(labels_.size()));
    }
    each_row(store,
             [this](const StoreRow& row, std::span<const float> values) { add(row, values); });
    end_input();
  }

  std::vector<InputFile> files;
  std::vector<ColumnSums> columns;
  std::size_t with_numbers = 0;

  void write(const StoreHeader& header, PageValues& json) const {
    json["inputs"] = inputs_;
    json["rows"] = rows_;
    json["states"] = PageValues::object();
    for (const auto& [state, count] : states_) json["states"][std::string(name_of(state))] = count;
    json["reasons"] = reasons_json();
    json["labels"] = PageValues::array();
    for (std::size_t c = 0; c < header.classes.size(); ++c) {
      json["labels"].push_back({{"name", header.classes[c]},
                                {"with_numbers", of_labels_[c].first},
                                {"without", of_labels_[c].second}});
    }
    json["areas"] = areas_;
    json["parts"] = parts_;
  }

 private:
  void add(const StoreRow& row, std::span<const float> values) {
    if (rows_ == 0 || row.image != image_) start_input(row);
    ++rows_;
    ++states_[row.state];
    const std::uint32_t label = label_of(row);
    for (std::string& reason : reasons_of(row)) add_reason(row, std::move(reason));
    if (label < of_labels_.size()) {
      ++(has_numbers(row.state) ? of_labels_[label].first : of_labels_[label].second);
    }
    if (!has_numbers(row.state)) return;
    ++leaves_;
    if (row.area > 0) {
      const auto power = static_cast<std::size_t>(std::bit_width(row.area) - 1);
      areas_.resize(std::max(areas_.size(), power + 1));
      ++areas_[power];
    }
    add_values(values);
  }

  void start_input(const StoreRow& row) {
    end_input();
    image_ = row.image;
    leaves_ = 0;
    ++inputs_;
    if (row.file.sha256.size() < 24) return;
    const std::string_view digest = row.file.sha256;
    files.push_back({number_of(digest.substr(0, 16)),
                     static_cast<std::uint32_t>(number_of(digest.substr(16, 8))), label_of(row),
                     row.image});
  }
  void end_input() {
    if (inputs_ > 0) ++parts_[std::min(leaves_, kMostLeaves)];
  }

  std::uint32_t label_of(const StoreRow& row) const {
    const auto at = labels_.find(row.label);
    return at == labels_.end() ? static_cast<std::uint32_t>(labels_.size()) : at->second;
  }

  void add_reason(const StoreRow& row, std::string reason) {
    std::map<std::string, Reason>& groups = reasons_[row.state];
    if (groups.size() >= kReasons && !groups.contains(reason)) reason = kOtherReasons;
    Reason& group = groups[reason];
    ++group.rows;
    if (group.examples.size() < kExamples) group.examples.push_back(row);
  }

  void add_values(std::span<const float> values) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      ColumnSums& column = columns[c];
      if (with_numbers == 0) column.first = values[c];
      const double difference = values[c] - column.first;
      column.sum += difference;
      column.squares += difference * difference;
      column.smallest = std::min(column.smallest, values[c]);
      column.largest = std::max(column.largest, values[c]);
    }
    ++with_numbers;
  }

  // By state, failed first, then by rows, most first.
  PageValues reasons_json() const {
    PageValues list = PageValues::array();
    for (auto state = reasons_.rbegin(); state != reasons_.rend(); ++state) {
      const auto first = static_cast<std::ptrdiff_t>(list.size());
      for (const auto& [reason, group] : state->second) {
        PageValues examples = PageValues::array();
        for (const StoreRow& row : group.examples) examples.push_back(row_json(row));
        list.push_back({{"state", name_of(state->first)},
                        {"reason", reason},
                        {"rows", group.rows},
                        {"examples", std::move(examples)}});
      }
      std::stable_sort(list.begin() + first, list.end(), [](const auto& a, const auto& b) {
        return a["rows"].template get<std::size_t>() > b["rows"].template get<std::size_t>();
      });
    }
    return list;
  }

  std::map<std::string, std::uint32_t> labels_;
  std::vector<std::pair<std::size_t, std::size_t>> of_labels_;  // rows with numbers, and without
  std::map<RowState, std::size_t> states_;
  std::map<RowState, std::map<std::string, Reason>> reasons_;
  std::vector<std::size_t> areas_;
  std::vector<std::size_t> parts_ = std::vector<std::size_t>(kMostLeaves + 1);
  std::size_t inputs_ = 0, rows_ = 0, image_ = 0, leaves_ = 0;
};

// "mask_Z_12_4" -> "mask", "Z_12_4" -> "Z"; names without numbers at their end stay.
std::string group_of(std::string name) {
  std::size_t last = name.find_last_not_of("0123456789_-");
  if (last == std::string::npos || last + 1 == name.size()) return name;
  if (last >= 2 && name[last - 1] == '_') last -= 2;  // the letter of the moments
  name.resize(last + 1);
  return name;
}

PageValues figures_of(const StoreHeader& header, std::span<const ColumnSums> columns,
                      std::size_t rows) {
  PageValues groups = PageValues::array();
  for (std::size_t c = 0; rows > 0 && c < columns.size();) {
    const std::string name = group_of(header.columns[c]);
    const std::size_t first = c;
    double mean = 0, smallest = columns[c].smallest, largest = columns[c].largest;
    std::size_t constant = 0;
    for (; c < columns.size() && group_of(header.columns[c]) == name; ++c) {
      const ColumnSums& column = columns[c];
      constant += column.smallest == column.largest ? 1 : 0;
      mean += column.first + column.sum / static_cast<double>(rows);
      smallest = std::min<double>(smallest, column.smallest);
      largest = std::max<double>(largest, column.largest);
    }
    groups.push_back({{"group", name},
                      {"columns", c - first},
                      {"constant", constant},
                      {"mean", mean / static_cast<double>(c - first)},
                      {"smallest", smallest},
                      {"largest", largest}});
  }
  return groups;
}

// Inputs with the same bytes, by the number of the group that is shown.
std::map<std::size_t, std::size_t> find_same(std::vector<InputFile>& files, PageValues& json) {
  std::ranges::sort(files, {},
                    [](const InputFile& file) { return std::pair(file.key(), file.input); });
  struct Group {
    std::size_t first, last;
    bool labels_differ;
  };
  std::vector<Group> groups;
  std::size_t under_other_labels = 0;
  for (std::size_t first = 0; first < files.size();) {
    std::size_t last = first + 1;
    bool differ = false;
    for (; last < files.size() && files[last].key() == files[first].key(); ++last) {
      differ |= files[last].label != files[first].label;
    }
    if (last - first > 1) {
      groups.push_back({first, last, differ});
      under_other_labels += differ ? 1 : 0;
    }
    first = last;
  }
  json["same_files"] = groups.size();
  if (under_other_labels > 0) json["under_other_labels"] = under_other_labels;
  PageValues& same = json["same"] = PageValues::array();
  std::ranges::stable_sort(groups, [&](const Group& a, const Group& b) {
    return std::pair(!a.labels_differ, files[a.first].input) <
           std::pair(!b.labels_differ, files[b.first].input);
  });
  groups.resize(std::min(groups.size(), kSameShown));
  std::map<std::size_t, std::size_t> shown;
  for (const Group& group : groups) {
    for (std::size_t i = group.first; i < std::min(group.last, group.first + kPathsShown); ++i) {
      shown.emplace(files[i].input, same.size());
    }
    same.push_back({{"paths", PageValues::array()},
                    {"labels", PageValues::array()},
                    {"inputs", group.last - group.first},
                    {"labels_differ", group.labels_differ}});
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

PageValues store_document(const FeatureStore& store) {
  const StoreHeader& header = store.header();
  const std::string name = store.folder().filename().string();
  std::size_t blocks = 0;
  for (std::size_t b = 0; b < header.blocks(); ++b) blocks += store.has_block(b) ? 1 : 0;
  PageValues json = {{"name", name.empty() ? store.folder().string() : name},
                     {"kind", header.kind},
                     {"rows_are", rows_are(header.parts)},
                     {"blocks", header.blocks()},
                     {"all_inputs", header.inputs},
                     {"header_columns", header.columns.size()},
                     {"device", header.device},
                     {"convention", header.convention},
                     {"has_parts", header.parts != PartRule::kWhole}};
  if (blocks < header.blocks()) json["missing_blocks"] = header.blocks() - blocks;
  Counts counts(store);
  counts.write(header, json);
  const std::size_t rows = counts.with_numbers;
  json["columns"] = figures_of(header, counts.columns, rows);
  const std::map<std::size_t, std::size_t> same = find_same(counts.files, json);
  std::vector<InputFile>().swap(counts.files);
  const std::vector<double> spread = deviations(counts.columns, rows);
  const auto varying =
      static_cast<double>(spread.size()) - static_cast<double>(std::ranges::count(spread, 0.0));
  std::size_t last = std::numeric_limits<std::size_t>::max();
  std::multimap<double, StoreRow, std::greater<>> unusual;  // the first of the same distance first
  each_row(store, [&](const StoreRow& row, std::span<const float> values) {
    if (const auto at = same.find(row.image); at != same.end() && row.image != last) {
      last = row.image;
      json["same"][at->second]["paths"].push_back(row.path);
      json["same"][at->second]["labels"].push_back(row.label);
    }
    if (!has_numbers(row.state) || varying == 0) return;
    double squares = 0;
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (spread[c] == 0) continue;
      const ColumnSums& column = counts.columns[c];
      const double mean = column.first + column.sum / static_cast<double>(rows);
      const double z = (values[c] - mean) / spread[c];
      squares += z * z;
    }
    const double distance = std::sqrt(squares / varying);
    if (unusual.size() == kUnusual && distance <= std::prev(unusual.end())->first) return;
    unusual.emplace(distance, row);
    if (unusual.size() > kUnusual) unusual.erase(std::prev(unusual.end()));
  });
  json["unusual"] = PageValues::array();
  for (const auto& [distance, row] : unusual) {
    json["unusual"].push_back(row_json(row));
    json["unusual"].back()["distance"] = distance;
  }
  return json;
}

}  // namespace leafglyph
