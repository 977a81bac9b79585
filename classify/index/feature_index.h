// An index of the rows of feature stores that do not fit into memory: FAISS's inverted lists on
// disk.
//
// index.json    what the index contains; the SHA-256 of the stores, of the next two files, of every
//               list and of all this
// scaling.npy   double, 2 x columns: x becomes (x - offset) * scale
// centres.npy   float, lists x columns: the centres of the lists
// lists.bin     the rows, list by list; mapped when read (mapped_file.h)
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/store/feature_store.h"
#include "features/base/names.h"

namespace leafglyph {

enum class IndexType {
  kFlat,  ///< one list: exact
  kIvf,   ///< inverted lists, of which the nearest few are searched
};
template <>
inline constexpr Names<IndexType, 2> kNamesOf<IndexType> = {
    "type", {{{IndexType::kFlat, "flat"}, {IndexType::kIvf, "ivf"}}}};

/// Up to this many rows, an index is flat unless a type is given.
inline constexpr std::size_t kMostFlatRows = 1'000'000;

struct IndexSpec {
  IndexType type = IndexType::kFlat;
  std::size_t lists = 0;   ///< of kIvf; 0: the square root of the number of rows
  double recall = 0.95;    ///< of the ten nearest rows; decides how many lists are searched
  std::uint64_t seed = 1;  ///< chooses the rows from which the centres are computed
  /// An index whose type, scaling and lists are used instead, so that both can be parts of one
  /// index.
  std::filesystem::path like = {};
};

/// The recall of the ten nearest other rows, measured on some stored rows, for a number of searched
/// lists.
struct ProbeRecall {
  std::size_t probes = 0;
  double recall = 0;
  double seconds = 0;  ///< per query
};

/// A stored row and its distance from the query: Euclidean, in standardised columns.
struct IndexHit {
  std::string path;  ///< with the number of its part: part_name
  std::string label;
  float distance = 0;
  std::vector<std::string> fields = {};  ///< of header().fields
};

struct OpenIndex;

class FeatureIndex {
 public:
  /// Creates the folder from the rows of complete stores of the same features; failed inputs are
  /// left out. Reads the stores block by block, several times. Replaces an older index and nothing
  /// else. Returns the measured recalls; none for kFlat. Throws UsageError when the stores do not
  /// fit together, InputError when blocks or rows are missing or change meanwhile, what WriteLock
  /// and StagedFolder throw, and Interrupted.
  static std::vector<ProbeRecall> build(std::span<const FeatureStore> stores, const IndexSpec& spec,
                                        const std::filesystem::path& folder);

  /// Joins indexes that were built like one of them into the index that one build() of all their
  /// stores like that one would give, to the last bit. Reads them list by list. Throws UsageError
  /// when they do not fit together or share the rows of a store, and what build() and open() throw.
  static std::vector<ProbeRecall> merge(std::span<const std::filesystem::path> parts, double recall,
                                        const std::filesystem::path& folder);

  /// Looks for its stores where they are as seen from the index, where they were when it was built,
  /// and beside the index. Throws InputError when the folder or a store does not exist; FormatError
  /// when it is damaged or not an index, or when the header of a store has changed since the index
  /// was built. Lists and blocks are checked when they are used.
  static FeatureIndex open(const std::filesystem::path& folder);
  /// The same for parts that fit together, which are searched as one index would be, in as many
  /// lists as the part that needs most. Throws UsageError as merge().
  static FeatureIndex open(std::span<const std::filesystem::path> parts);
  ~FeatureIndex();
  FeatureIndex(FeatureIndex&& other) noexcept;

  IndexType type() const;
  std::size_t size() const;
  std::size_t lists() const;
  std::size_t probes() const;
  /// 95 % of the stored rows have another row within this distance, as a search finds it; measured
  /// on some of the rows. 0 for a single row.
  double usual_distance() const;
  /// How the rows are computed, from the first of its stores, and the fields of all of them.
  const StoreHeader& header() const;

  /// The k nearest stored rows of each query, nearest first. Component c of query i is queries[i *
  /// columns + c]. Paths and labels are read from the stores. Throws UsageError when k is 0;
  /// InputError for a query that is not finite, and when a store is missing; FormatError when a
  /// searched list or a block has changed. One thread at a time.
  std::vector<std::vector<IndexHit>> search(std::span<const float> queries, std::size_t k) const;

  /// Reads every list, and the paths and labels of every block. Throws FormatError as search does.
  void check() const;

 private:
  explicit FeatureIndex(std::vector<std::unique_ptr<OpenIndex>> parts);
  std::vector<std::unique_ptr<OpenIndex>> parts_;
};

}  // namespace leafglyph
