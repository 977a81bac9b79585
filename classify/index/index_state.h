// A folder of an index that is open. Part of the index.
#pragma once

#include <faiss/IndexIVFFlat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "classify/index/feature_index.h"
#include "classify/index/index_rows.h"

namespace leafglyph {

struct OpenIndex {
  std::filesystem::path folder;
  IndexType type = IndexType::kFlat;
  std::vector<FeatureStore> stores;
  StoreHeader header;                                   // of the first, with the fields of all
  std::vector<std::vector<std::string>> block_digests;  // of each store
  ColumnScaling scaling;
  double usual_distance = 0;
  std::unique_ptr<faiss::IndexIVFFlat> index;
  std::shared_ptr<const MappedFile> lists_file;
  std::vector<std::string> list_digests;
  std::vector<bool> checked_lists;

  /// Throws what FeatureIndex::open throws.
  static std::unique_ptr<OpenIndex> open(const std::filesystem::path& folder);

  std::size_t width() const { return scaling.offset.size(); }
  std::size_t size() const { return static_cast<std::size_t>(index->ntotal); }
  /// Checks each list once.
  void check_list(std::size_t list);
  /// Reads block b of store s, and checks that it is the one that the index was built from.
  std::vector<StoreRow> rows_of_block(std::size_t s, std::size_t b) const;
  /// The k nearest rows of each query. Queries come as they were extracted, not scaled.
  std::vector<std::vector<IndexHit>> search(std::span<const float> queries, std::size_t k);

 private:
  using Blocks = std::map<std::size_t, std::vector<StoreRow>>;
  void read(const Record& record);
  void read_lists(const Record& record);
  void check_lists_for(std::span<const float> scaled);
  std::vector<StoreRow> rows_of_block(std::size_t block) const;
  const StoreRow& row(std::int64_t number, Blocks& blocks) const;
};

/// The centres of an index, list by list.
std::span<const float> centres_of(const faiss::IndexIVFFlat& index);
/// An index with these centres and without rows.
std::unique_ptr<faiss::IndexIVFFlat> index_with(std::span<const float> centres, std::size_t width);

/// Throws UsageError unless both have the same features, scaling and centres: then distances can be
/// compared and lists joined.
void check_fit(const OpenIndex& first, const OpenIndex& other);

}  // namespace leafglyph
