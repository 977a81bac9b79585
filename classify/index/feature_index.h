// An index of the rows of feature stores, too many for memory: FAISS's inverted lists on disk.
//
// index.json    what is in it, the SHA-256 of what it was made of, of the next two files, of every
//               list and of all this
// scaling.npy   double, 2 x columns: x becomes (x - offset) * scale
// centres.npy   float, lists x columns: the centres of the lists
// lists.bin     the rows, by list, mapped when read
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

/// Up to so many rows an index is flat where no type is asked for.
inline constexpr std::size_t kMostFlatRows = 1'000'000;

struct IndexSpec {
  IndexType type = IndexType::kFlat;
  std::size_t lists = 0;   ///< of kIvf; 0: the square root of the number of rows
  double recall = 0.95;    ///< of the ten nearest, that as many lists are searched as it takes for
  std::uint64_t seed = 1;  ///< of the rows that the lists' centres are learned on
};

/// What a number of searched lists finds of the ten nearest other rows of some stored ones.
struct ProbeRecall {
  std::size_t probes = 0;
  double recall = 0;
  double seconds = 0;  ///< a query
};

/// One stored row and its distance from the query: Euclidean, of standardised columns.
struct IndexHit {
  std::string path;
  std::string label;
  float distance = 0;
};

class FeatureIndex {
 public:
  /// Makes the folder from the rows of complete stores of the same features; inputs that failed are
  /// left out. Stores are read block by block, several times. An older index is replaced, anything
  /// else is not. Returns the recalls that were measured; none for kFlat. Throws UsageError when
  /// the stores do not fit together, InputError when blocks or rows are missing or are changed
  /// meanwhile, Error as WriteLock and StagedFolder, Interrupted.
  static std::vector<ProbeRecall> build(std::span<const FeatureStore> stores, const IndexSpec& spec,
                                        const std::filesystem::path& folder);

  /// Throws InputError when there is none, FormatError when it is damaged, not an index, or a store
  /// has another header than the one it was made of. Lists and blocks are checked when they are
  /// used.
  static FeatureIndex open(const std::filesystem::path& folder);
  ~FeatureIndex();
  FeatureIndex(FeatureIndex&& other) noexcept;

  IndexType type() const;
  std::size_t size() const;
  std::size_t lists() const;
  std::size_t probes() const;
  /// Of every hundred stored rows 95 have another one within this distance, as a search finds it;
  /// measured on some of them. 0 of a single row.
  double usual_distance() const;
  /// Of the first of the stores that it was made of: how rows are made.
  const StoreHeader& header() const;

  /// The k nearest stored rows of each query, nearest first; component c of query i is
  /// queries[i * columns + c]. Paths and labels are read from the stores. Throws UsageError when k
  /// is 0, InputError for a query that is not finite and when a store is gone, FormatError when a
  /// list that is searched or a block that is read is not what it was. One thread at a time.
  std::vector<std::vector<IndexHit>> search(std::span<const float> queries, std::size_t k) const;

  /// Reads every list, and the paths and labels of every block. Throws FormatError as search.
  void check() const;

 private:
  struct State;
  explicit FeatureIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace leafglyph
