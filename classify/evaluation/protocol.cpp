#include "classify/evaluation/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/names.h"
#include "features/base/text.h"
#include "features/record/record.h"
#include "features/record/sealed_json.h"

namespace leafglyph {
namespace {

std::set<int> draw_held_back(int count, const RowsByClass& groups, std::mt19937_64& generator) {
  std::vector<std::size_t> labels;
  for (const auto& [label, rows] : groups) labels.push_back(static_cast<std::size_t>(label));
  if (count == 0) return {};
  shuffle_rows(labels, generator);
  return {labels.begin(), labels.begin() + count};
}

Split draw_split(const ProtocolSpec& spec, const RowsByClass& groups, int repeat) {
  std::mt19937_64 generator = generator_for(spec.seed, repeat);
  const auto wanted = static_cast<std::size_t>(spec.train_leaves + spec.test_leaves);
  const std::set<int> held_back = draw_held_back(spec.held_back, groups, generator);
  Split split;
  for (const auto& [label, rows] : groups) {
    if (held_back.contains(label)) {
      split.unknown.insert(split.unknown.end(), rows.begin(), rows.end());
      continue;
    }
    std::vector<std::size_t> order = rows;
    if (spec.choice == LeafChoice::kFirst) order.resize(wanted);
    shuffle_rows(order, generator);
    const auto train_end = order.begin() + spec.train_leaves;
    split.train.insert(split.train.end(), order.begin(), train_end);
    split.test.insert(split.test.end(), train_end, train_end + spec.test_leaves);
  }
  sort_split(split);
  return split;
}

// The rows of a class, sorted by name in natural order.
std::vector<std::size_t> in_order_of_names(std::vector<std::size_t> rows,
                                           std::span<const std::string> names) {
  std::ranges::stable_sort(
      rows, [&](std::size_t a, std::size_t b) { return in_natural_order(names[a], names[b]); });
  return rows;
}

Split block_split(const ProtocolSpec& spec, const RowsByClass& groups,
                  std::span<const std::string> names, int repeat) {
  std::mt19937_64 generator = generator_for(spec.seed, repeat);
  const auto test = static_cast<std::size_t>(spec.test_leaves);
  const auto train = static_cast<std::size_t>(spec.train_leaves);
  const auto steps = static_cast<std::size_t>(std::max(1, spec.repeats - 1));
  Split split;
  for (const auto& [label, rows] : groups) {
    std::vector<std::size_t> order = in_order_of_names(rows, names);
    const std::size_t start = static_cast<std::size_t>(repeat) * (order.size() - test) / steps;
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last = first + spec.test_leaves;
    split.test.insert(split.test.end(), first, last);
    order.erase(first, last);
    if (train > 0) {
      shuffle_rows(order, generator);
      order.resize(train);
    }
    split.train.insert(split.train.end(), order.begin(), order.end());
  }
  sort_split(split);
  return split;
}

std::vector<Split> leave_one_out(std::size_t rows) {
  std::vector<Split> splits(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    splits[i].test = {i};
    splits[i].train.reserve(rows - 1);
    for (std::size_t j = 0; j < rows; ++j) {
      if (j != i) splits[i].train.push_back(j);
    }
  }
  return splits;
}

std::size_t leaves_needed(const ProtocolSpec& spec) {
  switch (spec.kind) {
    case ProtocolKind::kSplits:
      return static_cast<std::size_t>(spec.train_leaves + spec.test_leaves);
    case ProtocolKind::kBlocks:
      return static_cast<std::size_t>(std::max(1, spec.train_leaves) + spec.test_leaves);
    case ProtocolKind::kFolds:
      return static_cast<std::size_t>(spec.folds);
    case ProtocolKind::kLeaveOneOut:
    case ProtocolKind::kAuto:
      return 2;
  }
  return 0;
}

void check_enough(const ProtocolSpec& spec, const RowsByClass& groups,
                  std::span<const std::string> class_names) {
  const std::size_t needed = leaves_needed(spec);
  std::string lacking;
  for (std::size_t label = 0; label < class_names.size(); ++label) {
    const auto group = groups.find(static_cast<int>(label));
    const std::size_t have = group == groups.end() ? 0 : group->second.size();
    if (have >= needed) continue;
    lacking += fmt::format("{}{} ({})", lacking.empty() ? "" : ", ", class_names[label], have);
  }
  if (!lacking.empty()) {
    throw UsageError(fmt::format(
        "the protocol needs {} leaves of each class; too few of {}: add leaves{}", needed, lacking,
        needed > 2 ? ", ask for fewer, or set protocol.kind: auto" : " or leave the class out"));
  }
}

// Number of rounds that the splits divide into, where each round tests every tested leaf once; 0 if
// they do not divide into rounds.
std::size_t rounds_of(std::span<const Split> splits) {
  std::map<std::size_t, std::size_t> tested;
  std::size_t predictions = 0;
  for (const Split& split : splits) {
    predictions += split.test.size();
    for (const std::size_t row : split.test) ++tested[row];
  }
  if (predictions % tested.size() != 0) return 0;
  const std::size_t rounds = predictions / tested.size();
  std::set<std::size_t> in_round;
  for (const Split& split : splits) {
    for (const std::size_t row : split.test) {
      if (!in_round.insert(row).second) return 0;
    }
    if (in_round.size() == tested.size()) in_round.clear();
  }
  return rounds;
}

}  // namespace

void declare(Keys& keys, ProtocolSpec& spec) {
  keys.choice("kind", spec.kind,
              "blocks: the test part is consecutive files of each class in natural order; auto: as "
              "many folds (5 to 10) as the smallest class has leaves");
  const bool is_blocks = spec.kind == ProtocolKind::kBlocks;
  keys.choice("leaves", spec.choice,
              "Which leaves of a class a split uses; random: drawn anew for each split");
  keys.unless_set(spec.train_leaves, is_blocks ? 0 : spec.train_leaves);
  keys.number("train", spec.train_leaves, {is_blocks ? 0.0 : 1.0, kMaxCount},
              "Training leaves of each class; 0, of blocks: all that are left");
  keys.number("test", spec.test_leaves, {1, kMaxCount}, "Test leaves of each class");
  keys.unless_set(spec.repeats, spec.kind == ProtocolKind::kSplits || is_blocks ? 10 : 1);
  keys.number("repeats", spec.repeats, {1, kMaxCount}, "Of splits, folds and blocks");
  keys.number("folds", spec.folds, {2, kMaxCount}, "Of kind: folds");
  keys.number("held_back", spec.held_back, {0, kMaxCount},
              "Of kind: splits: classes that are test leaves only, as unknown ones");
  keys.check("held_back", [&] {
    if (spec.held_back > 0 && spec.kind != ProtocolKind::kSplits) {
      throw UsageError("needs kind: splits");
    }
  });
  keys.seed(spec.seed, "Draws the leaves");
}

void validate(const ProtocolSpec& spec) { check_keys(spec, "protocol."); }

std::string describe(const ProtocolSpec& spec) {
  if (!spec.file.empty()) {
    return fmt::format("{} split{} of {}", spec.file_splits, spec.file_splits == 1 ? "" : "s",
                       spec.file);
  }
  const std::string seed = fmt::format(", seed {}", spec.seed);
  switch (spec.kind) {
    case ProtocolKind::kSplits:
      return fmt::format(
          "{} of {}{}{} leaves per class, {} to train and {} to test{}{}",
          counted(static_cast<std::size_t>(spec.repeats), "stratified split", "stratified splits"),
          spec.choice == LeafChoice::kFirst ? "the first " : "",
          spec.train_leaves + spec.test_leaves, spec.choice == LeafChoice::kRandom ? " random" : "",
          spec.train_leaves, spec.test_leaves,
          spec.held_back > 0
              ? ", " + counted(static_cast<std::size_t>(spec.held_back), "class", "classes") +
                    " held back as unknown"
              : "",
          seed);
    case ProtocolKind::kFolds:
      return fmt::format("{} of {} folds on all leaves{}",
                         counted(static_cast<std::size_t>(spec.repeats),
                                 "stratified cross-validation", "stratified cross-validations"),
                         spec.folds, seed);
    case ProtocolKind::kBlocks:
      return fmt::format("{} of {} consecutive leaves per class to test, {} others to train{}",
                         counted(static_cast<std::size_t>(spec.repeats), "block", "blocks"),
                         spec.test_leaves,
                         spec.train_leaves > 0 ? std::to_string(spec.train_leaves) : "all", seed);
    case ProtocolKind::kLeaveOneOut:
      return "leave-one-out on all leaves";
    case ProtocolKind::kAuto:
      return fmt::format("{} of as many folds as fit on all leaves{}",
                         counted(static_cast<std::size_t>(spec.repeats),
                                 "stratified cross-validation", "stratified cross-validations"),
                         seed);
  }
  return "";
}

ProtocolSpec protocol_of(std::span<const Split> splits, const ProtocolSpec& stated) {
  ProtocolSpec spec = stated;
  const auto asks_about_one = [](const Split& split) {
    return split.test.size() == 1 && split.unknown.empty();
  };
  const std::size_t rounds = rounds_of(splits);
  if (rounds == 1 && splits.size() > 1 && std::ranges::all_of(splits, asks_about_one)) {
    spec.kind = ProtocolKind::kLeaveOneOut;
  } else if (rounds > 0 && splits.size() > rounds) {
    spec.kind = ProtocolKind::kFolds;
    spec.repeats = static_cast<int>(rounds);
    spec.folds = static_cast<int>(splits.size() / rounds);
  } else {
    spec.kind = ProtocolKind::kSplits;
    spec.repeats = static_cast<int>(splits.size());
  }
  return spec;
}

ProtocolSpec resolved(const ProtocolSpec& spec, std::span<const int> labels) {
  if (spec.kind != ProtocolKind::kAuto) return spec;
  std::size_t smallest = kMostFolds;
  for (const auto& [label, rows] : rows_by_class(labels)) {
    smallest = std::min(smallest, rows.size());
  }
  ProtocolSpec folds = spec;
  folds.kind = ProtocolKind::kFolds;
  folds.folds = std::max(kFewestFolds, static_cast<int>(smallest));
  return folds;
}

void check_fits(const ProtocolSpec& spec, std::span<const int> labels,
                std::span<const std::string> class_names) {
  validate(spec);
  const RowsByClass groups = rows_by_class(labels);
  check_enough(spec, groups, class_names);
  if (static_cast<std::size_t>(spec.held_back) + 2 > groups.size() && spec.held_back > 0) {
    throw UsageError(
        fmt::format("protocol.held_back = {} of {} classes leaves fewer than two to learn",
                    spec.held_back, groups.size()));
  }
}

std::vector<std::size_t> eligible_samples(const ProtocolSpec& spec, std::span<const int> labels) {
  const bool only_first = spec.kind == ProtocolKind::kSplits && spec.choice == LeafChoice::kFirst;
  const std::size_t limit =
      only_first ? leaves_needed(spec) : std::numeric_limits<std::size_t>::max();
  std::map<int, std::size_t> taken;
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (taken[labels[i]]++ < limit) eligible.push_back(i);
  }
  return eligible;
}

std::vector<Split> make_splits(const ProtocolSpec& spec, std::span<const int> labels,
                               std::span<const std::string> class_names,
                               std::span<const std::string> names) {
  check_fits(spec, labels, class_names);
  if (spec.kind == ProtocolKind::kLeaveOneOut) return leave_one_out(labels.size());
  const RowsByClass groups = rows_by_class(labels);
  const int folds = resolved(spec, labels).folds;
  std::vector<Split> splits;
  for (int repeat = 0; repeat < spec.repeats; ++repeat) {
    if (spec.kind == ProtocolKind::kSplits) {
      splits.push_back(draw_split(spec, groups, repeat));
      continue;
    }
    if (spec.kind == ProtocolKind::kBlocks) {
      splits.push_back(block_split(spec, groups, names, repeat));
      continue;
    }
    for (Split& split : stratified_folds(labels, folds, spec.seed, repeat)) {
      if (split.test.empty()) continue;  // fewer leaves than folds
      splits.push_back(std::move(split));
    }
  }
  return splits;
}

namespace {

constexpr RecordKind kSplits = {nullptr, "leafglyph-splits", 1, "file of splits",
                                "save the splits again"};

nlohmann::json names_of(std::span<const std::size_t> rows, std::span<const std::string> names) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::size_t row : rows) list.push_back(names[row]);
  return list;
}

std::vector<std::size_t> rows_of(const Facts& list, const std::map<std::string, std::size_t>& rows,
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
    throw FormatError(file.string() + ": the leaf '" + names[*twice] +
                      "' appears twice in one split");
  }
  if (split.train.empty() || split.test.empty()) {
    throw FormatError(file.string() + ": a split has no leaves to train on or none to test");
  }
}

// Refuses unknown keys, because one of them could be a damaged checksum.
void check_keys(const Facts& facts, const std::filesystem::path& file) {
  for (const auto& [key, value] : facts.items()) {
    if (key == "format" || key == "version" || key == "protocol" || key == "splits") continue;
    if (key != kSeal) throw FormatError(file.string() + ": splits have no key '" + key + "'");
  }
}

// The row of each name. A name shared by two rows would be ambiguous.
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
      fmt::format("splits identify leaves by name, but {}{} to more than one leaf: {}{}; "
                  "list each file once",
                  repeated.size(), repeated.size() == 1 ? " name belongs" : " names belong", list,
                  repeated.size() > kNamed ? ", ..." : ""));
}

}  // namespace

void save_splits(const SavedSplits& saved, std::span<const std::string> names,
                 const std::filesystem::path& file) {
  rows_by_name(names);
  nlohmann::json splits = nlohmann::json::array();
  for (const Split& split : saved.splits) {
    splits.push_back({{"train", names_of(split.train, names)},
                      {"test", names_of(split.test, names)},
                      {"unknown", names_of(split.unknown, names)}});
  }
  const ProtocolSpec& p = saved.protocol;
  nlohmann::json json = {{"format", kSplits.format},
                         {"version", kSplits.version},
                         {"protocol",
                          {{"kind", name_of(p.kind)},
                           {"leaves", name_of(p.choice)},
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
  const Facts facts = sealed_facts(kSplits, read_text_file(file), file, Seal::kIfThere);
  check_keys(facts, file);
  SavedSplits saved;
  try {
    const Facts& p = facts.at("protocol");
    saved.protocol.kind = from_name<ProtocolKind>(p.at("kind").get<std::string>());
    saved.protocol.choice = from_name<LeafChoice>(p.at("leaves").get<std::string>());
    saved.protocol.train_leaves = integer_at<int>(p, "train");
    saved.protocol.test_leaves = integer_at<int>(p, "test");
    saved.protocol.repeats = integer_at<int>(p, "repeats");
    saved.protocol.folds = integer_at<int>(p, "folds");
    saved.protocol.held_back = integer_at<int>(p, "held_back");
    saved.protocol.seed = integer_at<std::uint64_t>(p, "seed");
    validate(saved.protocol);
    for (const Facts& split : facts.at("splits")) {
      saved.splits.push_back({rows_of(split.at("train"), rows, file),
                              rows_of(split.at("test"), rows, file),
                              rows_of(split.at("unknown"), rows, file)});
      check_disjoint(saved.splits.back(), names, file);
    }
  } catch (const Facts::exception&) {
    throw FormatError(file.string() + ": damaged, or not a file of splits");
  } catch (const UsageError& error) {
    throw FormatError(file.string() + ": " + error.what());
  }
  if (saved.splits.empty()) throw FormatError(file.string() + ": holds no splits");
  if (!facts.contains(kSeal)) saved.protocol = protocol_of(saved.splits, saved.protocol);
  saved.protocol.file = file.string();
  saved.protocol.file_splits = saved.splits.size();
  return saved;
}

}  // namespace leafglyph
