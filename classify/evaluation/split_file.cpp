#include "classify/evaluation/split_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "classify/support/sealed_json.h"
#include "features/base/errors.h"
#include "features/base/files.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
constexpr const char* kFormatName = "leafglyph-splits";
constexpr int kVersion = 1;

Json names_of(std::span<const std::size_t> rows, std::span<const std::string> names) {
  Json list = Json::array();
  for (const std::size_t row : rows) list.push_back(names[row]);
  return list;
}

std::vector<std::size_t> rows_of(const Json& list, const std::map<std::string, std::size_t>& rows,
                                 const std::filesystem::path& file) {
  std::vector<std::size_t> result;
  for (const std::string& name : strings_of(list)) {
    const auto row = rows.find(name);
    if (row == rows.end()) {
      throw FormatError(file.string() + ": the leaf '" + name +
                        "' is not in the data set; use the splits' own data");
    }
    result.push_back(row->second);
  }
  std::sort(result.begin(), result.end());
  return result;
}

void check_disjoint(const Split& split, std::span<const std::string> names,
                    const std::filesystem::path& file) {
  std::vector<std::size_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  all.insert(all.end(), split.unknown.begin(), split.unknown.end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end()) {
    throw FormatError(file.string() + ": the leaf '" + names[*twice] + "' is twice in one split");
  }
  if (split.train.empty() || split.test.empty()) {
    throw FormatError(file.string() + ": a split without leaves to train or to test");
  }
}

// A file of somebody else has no seal, and no key that could have been one.
void check_seal(const Json& json, const std::string& text, const std::filesystem::path& file) {
  for (const auto& [key, value] : json.items()) {
    if (key == "format" || key == "version" || key == "protocol" || key == "splits") continue;
    if (key == kSeal && is_sealed(json, text)) continue;
    throw FormatError(file.string() + (key == kSeal
                                           ? ": does not have the checksum that it states; it is "
                                             "damaged or was changed: save the splits again"
                                           : ": splits have no key '" + key + "'"));
  }
}

// The row of each name. A name of two rows would stand for either.
std::map<std::string, std::size_t> rows_by_name(std::span<const std::string> names) {
  constexpr std::size_t kNamed = 3;
  std::map<std::string, std::size_t> rows;
  std::set<std::string> repeated;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!rows.emplace(names[i], i).second) repeated.insert(names[i]);
  }
  if (repeated.empty()) return rows;
  std::string list;
  std::size_t shown = 0;
  for (const std::string& name : repeated) {
    if (shown++ == kNamed) break;
    list += (list.empty() ? "" : ", ") + name;
  }
  throw InputError(
      fmt::format("splits go by the names of the leaves, and {}{} to more than one leaf: {}{}; "
                  "list each file once",
                  repeated.size(), repeated.size() == 1 ? " name belongs" : " names belong", list,
                  repeated.size() > kNamed ? ", ..." : ""));
}

}  // namespace

void save_splits(const SavedSplits& saved, std::span<const std::string> names,
                 const std::filesystem::path& file) {
  rows_by_name(names);
  Json splits = Json::array();
  for (const Split& split : saved.splits) {
    splits.push_back({{"train", names_of(split.train, names)},
                      {"test", names_of(split.test, names)},
                      {"unknown", names_of(split.unknown, names)}});
  }
  const ProtocolSpec& p = saved.protocol;
  Json json = {{"format", kFormatName},
               {"version", kVersion},
               {"protocol",
                {{"kind", protocol_name(p.kind)},
                 {"leaves", choice_name(p.choice)},
                 {"train", p.train_leaves},
                 {"test", p.test_leaves},
                 {"repeats", p.repeats},
                 {"folds", p.folds},
                 {"held_back", p.held_back},
                 {"seed", p.seed}}},
               {"splits", splits}};
  escape_strings(json);
  write_file(file, sealed_text(std::move(json)));
}

SavedSplits load_splits(const std::filesystem::path& file, std::span<const std::string> names) {
  const std::map<std::string, std::size_t> rows = rows_by_name(names);
  const std::string text = read_text_file(file);
  SavedSplits saved;
  bool is_own = false;
  try {
    const Json json = Json::parse(text);
    if (json.at("format").get<std::string>() != kFormatName ||
        integer_at<int>(json, "version") != kVersion) {
      throw FormatError(
          fmt::format("{}: not splits of format version {}", file.string(), kVersion));
    }
    check_seal(json, text, file);
    is_own = json.contains(kSeal);
    const Json& p = json.at("protocol");
    saved.protocol.kind = protocol_from_name(p.at("kind").get<std::string>());
    saved.protocol.choice = choice_from_name(p.at("leaves").get<std::string>());
    saved.protocol.train_leaves = integer_at<int>(p, "train");
    saved.protocol.test_leaves = integer_at<int>(p, "test");
    saved.protocol.repeats = integer_at<int>(p, "repeats");
    saved.protocol.folds = integer_at<int>(p, "folds");
    saved.protocol.held_back = integer_at<int>(p, "held_back");
    saved.protocol.seed = integer_at<std::uint64_t>(p, "seed");
    validate(saved.protocol);
    for (const Json& split : json.at("splits")) {
      saved.splits.push_back({rows_of(split.at("train"), rows, file),
                              rows_of(split.at("test"), rows, file),
                              rows_of(split.at("unknown"), rows, file)});
      check_disjoint(saved.splits.back(), names, file);
    }
  } catch (const Json::exception&) {
    throw FormatError(file.string() + ": damaged, or not a file of splits");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what());
  }
  if (saved.splits.empty()) throw FormatError(file.string() + ": holds no splits");
  if (!is_own) saved.protocol = protocol_of(saved.splits, saved.protocol);
  saved.protocol.file = file.string();
  saved.protocol.file_splits = saved.splits.size();
  return saved;
}

}  // namespace leafglyph
