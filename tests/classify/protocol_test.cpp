// Splits: stratified, disjoint, seeded, and unchanged by saving.
#include "classify/evaluation/protocol.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/record/sealed_json.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refusal;

const std::vector<std::string> kClasses = {"ash", "beech", "cherry"};

// Leaves of the classes in turn, so that a class's leaves are not adjacent.
std::vector<int> interleaved_labels(int leaves) {
  std::vector<int> labels;
  for (int i = 0; i < leaves; ++i) labels.insert(labels.end(), {2, 0, 1});
  return labels;
}

std::map<int, int> count_by_class(const std::vector<std::size_t>& rows,
                                  const std::vector<int>& labels) {
  std::map<int, int> counts;
  for (const std::size_t row : rows) ++counts[labels[row]];
  return counts;
}

void expect_disjoint(const Split& split) {
  std::set<std::size_t> seen(split.train.begin(), split.train.end());
  EXPECT_EQ(seen.size(), split.train.size());
  for (const std::size_t row : split.test) EXPECT_TRUE(seen.insert(row).second) << "row " << row;
}

// invariant: each split has the requested number of leaves of every class, and none is on both
// sides.
TEST(ProtocolTest, SplitsAreStratifiedAndDisjoint) {
  const auto labels = interleaved_labels(20);
  for (const LeafChoice choice : {LeafChoice::kFirst, LeafChoice::kRandom}) {
    ProtocolSpec spec;
    spec.choice = choice;
    spec.train_leaves = 8;
    spec.test_leaves = 4;
    spec.repeats = 6;
    const auto splits = make_splits(spec, labels, kClasses);
    ASSERT_EQ(splits.size(), 6U);
    std::set<std::size_t> used;
    for (const Split& split : splits) {
      expect_disjoint(split);
      EXPECT_EQ(count_by_class(split.train, labels), (std::map<int, int>{{0, 8}, {1, 8}, {2, 8}}));
      EXPECT_EQ(count_by_class(split.test, labels), (std::map<int, int>{{0, 4}, {1, 4}, {2, 4}}));
      used.insert(split.train.begin(), split.train.end());
      used.insert(split.test.begin(), split.test.end());
    }
    // The first 12 leaves of three classes are rows 0..35; a random choice goes beyond them.
    EXPECT_EQ(*used.rbegin() < 36, choice == LeafChoice::kFirst);
    EXPECT_NE(splits[0], splits[1]);
  }
}

// invariant: the same seed gives the same splits, another seed gives others.
TEST(ProtocolTest, SeedDecides) {
  const auto labels = interleaved_labels(20);
  ProtocolSpec spec;
  spec.train_leaves = 10;
  spec.test_leaves = 10;
  const auto splits = make_splits(spec, labels, kClasses);
  EXPECT_EQ(make_splits(spec, labels, kClasses), splits);
  spec.seed = 2;
  EXPECT_NE(make_splits(spec, labels, kClasses), splits);
}

// regression: the drawn rows themselves, so that published seeds stay valid.
TEST(ProtocolTest, DrawIsTheSameOnEveryMachine) {
  const std::vector<int> labels(10, 0);
  ProtocolSpec spec;
  spec.train_leaves = 7;
  spec.test_leaves = 3;
  spec.repeats = 2;
  const auto splits = make_splits(spec, labels, std::vector<std::string>{"ash"});
  EXPECT_EQ(splits[0].test, (std::vector<std::size_t>{3, 6, 9}));
  EXPECT_EQ(splits[1].test, (std::vector<std::size_t>{5, 7, 8}));
}

// invariant: each row is tested once in every repeat, and folds and classes are filled evenly.
TEST(ProtocolTest, FoldsTestEachRowOnce) {
  const auto labels = interleaved_labels(11);
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kFolds;
  spec.folds = 5;
  spec.repeats = 2;
  const auto splits = make_splits(spec, labels, kClasses);
  ASSERT_EQ(splits.size(), 10U);
  for (std::size_t repeat = 0; repeat < 2; ++repeat) {
    std::set<std::size_t> tested;
    for (std::size_t fold = 0; fold < 5; ++fold) {
      const Split& split = splits[repeat * 5 + fold];
      expect_disjoint(split);
      EXPECT_EQ(split.train.size() + split.test.size(), labels.size());
      for (const auto& [label, count] : count_by_class(split.test, labels)) {
        EXPECT_TRUE(count == 2 || count == 3) << "class " << label;
      }
      for (const std::size_t row : split.test) EXPECT_TRUE(tested.insert(row).second);
    }
    EXPECT_EQ(tested.size(), labels.size());
  }
}

// mechanics: each row is tested once, against all others.
TEST(ProtocolTest, LeaveOneOutTestsEachRowAgainstAllOthers) {
  const auto labels = interleaved_labels(2);
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kLeaveOneOut;
  const auto splits = make_splits(spec, labels, kClasses);
  ASSERT_EQ(splits.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(splits[i].test, std::vector<std::size_t>{i});
    EXPECT_EQ(splits[i].train.size(), 5U);
    expect_disjoint(splits[i]);
  }
}

// invariant: held-back classes are on neither side; all their leaves are test leaves.
TEST(ProtocolTest, ClassesHeldBackAreUnknown) {
  const auto labels = interleaved_labels(7);
  ProtocolSpec spec;
  spec.choice = LeafChoice::kRandom;
  spec.train_leaves = 4;
  spec.test_leaves = 2;
  spec.held_back = 1;
  std::set<int> ever_held_back;
  for (const Split& split : make_splits(spec, labels, kClasses)) {
    expect_disjoint(split);
    EXPECT_EQ(split.unknown.size(), 7U);
    const int held_back = labels[split.unknown[0]];
    ever_held_back.insert(held_back);
    EXPECT_EQ(count_by_class(split.unknown, labels).size(), 1U);
    EXPECT_FALSE(count_by_class(split.train, labels).contains(held_back));
    EXPECT_FALSE(count_by_class(split.test, labels).contains(held_back));
    EXPECT_EQ(split.train.size(), 8U);
  }
  EXPECT_GT(ever_held_back.size(), 1U);
  spec.held_back = 2;
  EXPECT_THROW(make_splits(spec, labels, kClasses), UsageError);
  spec.held_back = 1;
  spec.kind = ProtocolKind::kLeaveOneOut;
  EXPECT_THROW(make_splits(spec, labels, kClasses), UsageError);
}

// mechanics: too few leaves; the classes that lack leaves are named, with their counts.
TEST(ProtocolTest, ClassesWithTooFewLeavesAreNamed) {
  auto labels = interleaved_labels(20);
  labels.insert(labels.end(), 30, 0);
  ProtocolSpec spec;
  const std::string message = refusal<UsageError>([&] { make_splits(spec, labels, kClasses); });
  EXPECT_NE(message.find("beech (20)"), std::string::npos) << message;
  EXPECT_NE(message.find("cherry (20)"), std::string::npos) << message;
  EXPECT_EQ(message.find("ash"), std::string::npos) << message;
  spec.train_leaves = 0;
  EXPECT_THROW(make_splits(spec, labels, kClasses), UsageError);
}

// Names whose natural order, unlike their byte order, reverses the leaves of each class.
std::vector<std::string> numbered_backwards(std::size_t leaves) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < leaves; ++i)
    names.push_back("img" + std::to_string(leaves - i) + ".jpg");
  return names;
}

// The positions of the rows among the leaves of their class, from the numbers in their names.
std::set<std::size_t> places_of(const std::vector<std::size_t>& rows,
                                const std::vector<int>& labels, int label) {
  std::vector<std::size_t> of_class;
  for (std::size_t i = labels.size(); i-- > 0;) {
    if (labels[i] == label) of_class.push_back(i);
  }
  std::set<std::size_t> places;
  for (std::size_t place = 0; place < of_class.size(); ++place) {
    if (std::ranges::count(rows, of_class[place]) > 0) places.insert(place);
  }
  return places;
}

// oracle: blocks of 3 out of 12 consecutive files in natural order, at the positions given by the
// formula in the header: 0, 3, 6 and 9 for four blocks.
TEST(ProtocolTest, BlocksAreConsecutiveFiles) {
  const auto labels = interleaved_labels(12);
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kBlocks;
  spec.train_leaves = 0;
  spec.test_leaves = 3;
  spec.repeats = 4;
  const auto splits = make_splits(spec, labels, kClasses, numbered_backwards(labels.size()));
  ASSERT_EQ(splits.size(), 4U);
  for (std::size_t r = 0; r < 4; ++r) {
    expect_disjoint(splits[r]);
    EXPECT_EQ(splits[r].train.size() + splits[r].test.size(), labels.size());
    for (const int label : {0, 1, 2}) {
      EXPECT_EQ(places_of(splits[r].test, labels, label),
                (std::set<std::size_t>{3 * r, 3 * r + 1, 3 * r + 2}));
    }
  }
  spec.repeats = 1;  // the first files
  EXPECT_EQ(make_splits(spec, labels, kClasses, numbered_backwards(labels.size()))[0].test,
            splits[0].test);
}

// invariant: a given number of training leaves is drawn from the others by the seed; the blocks of
// classes of other sizes reach from their first files to their last.
TEST(ProtocolTest, BlocksDrawTheirTrainingLeaves) {
  std::vector<int> labels = interleaved_labels(12);
  labels.insert(labels.end(), 5, 1);
  const auto names = numbered_backwards(labels.size());
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kBlocks;
  spec.train_leaves = 6;
  spec.test_leaves = 4;
  spec.repeats = 5;
  const auto splits = make_splits(spec, labels, kClasses, names);
  for (const Split& split : splits) {
    expect_disjoint(split);
    EXPECT_EQ(count_by_class(split.train, labels), (std::map<int, int>{{0, 6}, {1, 6}, {2, 6}}));
    EXPECT_EQ(count_by_class(split.test, labels), (std::map<int, int>{{0, 4}, {1, 4}, {2, 4}}));
  }
  EXPECT_TRUE(places_of(splits.front().test, labels, 1).contains(0));
  EXPECT_TRUE(places_of(splits.back().test, labels, 1).contains(16));
  EXPECT_EQ(make_splits(spec, labels, kClasses, names), splits);
  spec.seed = 2;
  const auto others = make_splits(spec, labels, kClasses, names);
  for (std::size_t r = 0; r < splits.size(); ++r) {
    EXPECT_EQ(others[r].test, splits[r].test);
    EXPECT_NE(others[r].train, splits[r].train);
  }
}

// mechanics: how blocks are described, and what does not fit.
TEST(ProtocolTest, BlocksSayWhatTheyNeed) {
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kBlocks;
  EXPECT_EQ(describe(spec),
            "10 blocks of 10 consecutive leaves per class to test, 40 others to train, seed 1");
  spec.train_leaves = 0;
  spec.repeats = 1;
  EXPECT_EQ(describe(spec),
            "1 block of 10 consecutive leaves per class to test, all others to train, seed 1");
  const auto refused = [&](int leaves) {
    const std::vector<int> labels = interleaved_labels(leaves);
    EXPECT_THROW(make_splits(spec, labels, kClasses, numbered_backwards(labels.size())),
                 UsageError);
  };
  refused(10);  // none is left for training
  spec.train_leaves = 5;
  refused(14);
  spec.held_back = 1;
  refused(20);
}

class SplitFileTest : public ::testing::Test {
 protected:
  SplitFileTest() {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      names_.push_back(kClasses[static_cast<std::size_t>(labels_[i])] + "/" + std::to_string(i));
    }
    saved_.protocol.train_leaves = 3;
    saved_.protocol.test_leaves = 2;
    saved_.protocol.seed = 77;
    saved_.splits = make_splits(saved_.protocol, labels_, kClasses);
  }
  TemporaryFolder folder_;
  std::vector<int> labels_ = interleaved_labels(6);
  std::vector<std::string> names_;
  SavedSplits saved_;
};

// invariant: saved and reloaded splits equal the drawn ones, also if the data set is in another
// order.
TEST_F(SplitFileTest, AreReusable) {
  const auto file = folder_.path() / "splits.json";
  save_splits(saved_, names_, file);
  const SavedSplits read = load_splits(file, names_);
  EXPECT_EQ(read.splits, saved_.splits);
  ProtocolSpec of_file = saved_.protocol;
  of_file.file = file.string();
  of_file.file_splits = 10;
  EXPECT_EQ(read.protocol, of_file);
  std::vector<std::string> reversed(names_.rbegin(), names_.rend());
  const SavedSplits other = load_splits(file, reversed);
  std::set<std::string> expected;
  std::set<std::string> found;
  for (const std::size_t row : saved_.splits[0].test) expected.insert(names_[row]);
  for (const std::size_t row : other.splits[0].test) found.insert(reversed[row]);
  EXPECT_EQ(found, expected);
}

// mechanics: a file is described by its contents, whatever protocol it states, and its contents
// determine how its splits are evaluated.
TEST_F(SplitFileTest, AreWhatTheyAreNotWhatTheyState) {
  const auto file = folder_.path() / "splits.json";
  const auto named = [&](const std::string& text) { return text + " of " + file.string(); };
  const auto read_as_stated = [&](ProtocolKind kind, std::vector<Split> splits) {
    SavedSplits stated{{}, std::move(splits)};
    stated.protocol.kind = kind;
    stated.protocol.repeats = 3;
    stated.protocol.seed = 77;
    save_splits(stated, names_, file);
    auto by_hand = nlohmann::json::parse(read_file(file));
    by_hand.erase(kSeal);
    write_file(file, by_hand.dump());
    return load_splits(file, names_).protocol;
  };
  const std::vector<Split> folds = stratified_folds(labels_, 3, 1);
  std::vector<Split> twice = folds;
  for (const Split& split : stratified_folds(labels_, 3, 2)) twice.push_back(split);
  ProtocolSpec one_out;
  one_out.kind = ProtocolKind::kLeaveOneOut;
  for (const ProtocolKind stated : {ProtocolKind::kSplits, ProtocolKind::kFolds,
                                    ProtocolKind::kAuto, ProtocolKind::kLeaveOneOut}) {
    ProtocolSpec spec = read_as_stated(stated, saved_.splits);
    EXPECT_EQ(describe(spec), named("10 splits"));
    EXPECT_EQ(spec.kind, ProtocolKind::kSplits);
    EXPECT_EQ(spec.seed, 77U);
    spec = read_as_stated(stated, {saved_.splits.front()});
    EXPECT_EQ(describe(spec), named("1 split"));
    EXPECT_EQ(spec.kind, ProtocolKind::kSplits);
    spec = read_as_stated(stated, folds);
    EXPECT_EQ(describe(spec), named("3 splits"));
    EXPECT_EQ(spec.kind, ProtocolKind::kFolds);
    EXPECT_EQ(spec.repeats, 1);
    spec = read_as_stated(stated, twice);
    EXPECT_EQ(describe(spec), named("6 splits"));
    EXPECT_EQ(spec.kind, ProtocolKind::kFolds);
    EXPECT_EQ(spec.repeats, 2);
    spec = read_as_stated(stated, make_splits(one_out, labels_, kClasses));
    EXPECT_EQ(spec.kind, ProtocolKind::kLeaveOneOut);
  }
  std::swap(twice[1], twice[3]);  // no longer a round of folds
  EXPECT_EQ(read_as_stated(ProtocolKind::kFolds, twice).kind, ProtocolKind::kSplits);
}

// mechanics: what is refused, and how.
TEST_F(SplitFileTest, RefusesWhatIsNotSplitsOfTheseLeaves) {
  const auto file = folder_.path() / "splits.json";
  EXPECT_THROW(load_splits(file, names_), InputError);
  save_splits(saved_, names_, file);
  const std::string text = read_file(file);
  std::vector<std::string> others = names_;
  others[saved_.splits[0].train[0]] = "ash/other";
  EXPECT_THROW(load_splits(file, others), FormatError);
  write_file(file, text.substr(0, text.size() / 2));
  EXPECT_THROW(load_splits(file, names_), FormatError);
  write_file(file, "{\"format\": \"something\", \"version\": 1}");
  EXPECT_THROW(load_splits(file, names_), FormatError);
  SavedSplits leaking = saved_;
  leaking.splits[0].test[0] = leaking.splits[0].train[0];
  save_splits(leaking, names_, file);
  EXPECT_THROW(load_splits(file, names_), FormatError);
}

// regression: numbers that do not fit an int, and fractions, were converted to some int.
TEST_F(SplitFileTest, ReadsIntegersAsIntegersOnly) {
  const auto file = folder_.path() / "splits.json";
  save_splits(saved_, names_, file);
  const auto saved = nlohmann::json::parse(read_file(file));
  for (const char* key : {"train", "test", "repeats", "folds", "held_back", "seed"}) {
    for (const char* number : {"1e+300", "2.5", "true", "4294967298e10", "-1e5"}) {
      nlohmann::json changed = saved;
      changed["protocol"][key] = nlohmann::json::parse(number);
      write_file(file, changed.dump());
      EXPECT_THROW(load_splits(file, names_), FormatError) << key << " " << number;
    }
  }
  for (const char* number : {"4294967297", "1.5", "true"}) {  // 1 in 32 bits, rounded, as a number
    nlohmann::json changed = saved;
    changed["version"] = nlohmann::json::parse(number);
    write_file(file, changed.dump());
    EXPECT_THROW(load_splits(file, names_), FormatError) << "version " << number;
  }
}

// invariant: auto takes as many folds as the smallest class has leaves, between 5 and 10; each leaf
// is tested once, and its class is in the training rows of every split.
TEST(ProtocolTest, AutoFitsTheSmallestClass) {
  ProtocolSpec spec;
  spec.kind = ProtocolKind::kAuto;
  spec.repeats = 1;
  for (const auto& [leaves, folds] : {std::pair{2, 5}, {5, 5}, {7, 7}, {30, 10}}) {
    std::vector<int> labels = interleaved_labels(leaves);
    labels.insert(labels.end(), 40, 1);
    const ProtocolSpec fixed = resolved(spec, labels);
    EXPECT_EQ(fixed.kind, ProtocolKind::kFolds);
    EXPECT_EQ(fixed.folds, folds);
    const std::vector<Split> splits = make_splits(spec, labels, kClasses);
    EXPECT_EQ(splits, stratified_folds(labels, folds, spec.seed));
    std::set<std::size_t> tested;
    for (const Split& split : splits) {
      expect_disjoint(split);
      EXPECT_EQ(count_by_class(split.train, labels).size(), kClasses.size());
      tested.insert(split.test.begin(), split.test.end());
    }
    EXPECT_EQ(tested.size(), labels.size());
  }
}

}  // namespace
}  // namespace leafglyph
