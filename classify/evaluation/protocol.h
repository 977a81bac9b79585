// Evaluation protocols: which leaves are for training and which for testing, drawn by a seed or
// read from a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "classify/table/folds.h"
#include "features/base/names.h"

namespace leafglyph {

class Keys;

enum class ProtocolKind {
  kSplits,       ///< repeated stratified splits of a number of leaves of each class
  kFolds,        ///< stratified k-fold cross-validation on all leaves, repeated
  kLeaveOneOut,  ///< each leaf is tested once, with all others for training
  kAuto,         ///< kFolds, with as many folds as fit the data (resolved())
  /// Test sets of consecutive leaves of each class, in the natural order of their names, so that
  /// leaves photographed together are on the same side.
  kBlocks,
};
template <>
inline constexpr Names<ProtocolKind, 5> kNamesOf<ProtocolKind> = {
    "protocol",
    {{{ProtocolKind::kSplits, "splits"},
      {ProtocolKind::kFolds, "folds"},
      {ProtocolKind::kLeaveOneOut, "leave-one-out"},
      {ProtocolKind::kAuto, "auto"},
      {ProtocolKind::kBlocks, "blocks"}}}};

/// Which leaves of a class a split uses.
enum class LeafChoice {
  kFirst,   ///< the first ones of the data set, the same for every repeat
  kRandom,  ///< drawn again for every repeat
};
template <>
inline constexpr Names<LeafChoice, 2> kNamesOf<LeafChoice> = {
    "choice of leaves", {{{LeafChoice::kFirst, "first"}, {LeafChoice::kRandom, "random"}}}};

struct ProtocolSpec {
  ProtocolKind kind = ProtocolKind::kSplits;
  LeafChoice choice = LeafChoice::kFirst;  ///< of kSplits
  int train_leaves = 40;                   ///< of each class; of kBlocks 0: all that are left
  int test_leaves = 10;                    ///< of each class; of kSplits and kBlocks, as the former
  int repeats = 10;                        ///< of kSplits, kFolds and kBlocks
  int folds = 10;                          ///< of kFolds
  int held_back = 0;  ///< of kSplits: classes per split whose leaves are tested as unknown
  std::uint64_t seed = 1;
  /// For splits from a file: the file, and their number. The spec then describes how they are
  /// evaluated, not where they come from.
  std::string file = {};
  std::size_t file_splits = 0;
  friend bool operator==(const ProtocolSpec&, const ProtocolSpec&) = default;
};

/// The keys of the mapping `protocol`.
void declare(Keys& keys, ProtocolSpec& spec);
/// Throws UsageError, with the key, when a value is out of range.
void validate(const ProtocolSpec& spec);

/// A one-line description with every number; for splits from a file "5 splits of FILE".
std::string describe(const ProtocolSpec& spec);

/// The kind of the splits themselves: leave-one-out if each split tests one leaf; folds, with their
/// number, if the splits divide into rounds that test each leaf once; otherwise splits. Everything
/// else is as in `stated`.
ProtocolSpec protocol_of(std::span<const Split> splits, const ProtocolSpec& stated);

/// Turns kAuto into kFolds with as many folds as the smallest class has leaves, within kFewestFolds
/// and kMostFolds. A class with fewer leaves is then tested in as many folds as it has leaves.
/// Other specs are returned unchanged.
ProtocolSpec resolved(const ProtocolSpec& spec, std::span<const int> labels);
inline constexpr int kFewestFolds = 5, kMostFolds = 10;

/// Throws UsageError when the spec is out of range, or when classes have fewer leaves than the
/// protocol needs, naming them by `class_names`.
void check_fits(const ProtocolSpec& spec, std::span<const int> labels,
                std::span<const std::string> class_names);

/// The positions that the protocol may use: the first leaves of each class for kFirst, otherwise
/// all.
std::vector<std::size_t> eligible_samples(const ProtocolSpec& spec, std::span<const int> labels);

/// The protocol's splits of leaves with classes `labels`. The same seed gives the same splits on
/// every machine. `names` are the leaves' names, which only kBlocks uses: block r of a class of n
/// leaves begins at position r (n - test) / (repeats - 1), rounded down, so that the blocks cover
/// the class from the first leaf to the last; with many repeats they overlap. The seed draws the
/// training leaves unless all are used. Throws what check_fits throws.
std::vector<Split> make_splits(const ProtocolSpec& spec, std::span<const int> labels,
                               std::span<const std::string> class_names,
                               std::span<const std::string> names = {});

struct SavedSplits {
  ProtocolSpec protocol;
  std::vector<Split> splits;
};

/// Saves splits. Row i is called names[i]. The file contains its own digest; a file made by hand
/// need not have one. Throws InputError when two rows have the same name.
void save_splits(const SavedSplits& saved, std::span<const std::string> names,
                 const std::filesystem::path& file);

/// Reads splits; the protocol then names the file. For a file made by hand, the kind is worked out
/// from the splits (protocol_of), whatever the file says. Throws InputError when the file cannot be
/// read or two rows have the same name; FormatError when it does not contain splits, does not match
/// its digest, has a leaf that is not among `names`, or has a leaf on both sides of a split.
SavedSplits load_splits(const std::filesystem::path& file, std::span<const std::string> names);

}  // namespace leafglyph
