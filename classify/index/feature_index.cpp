#include "classify/index/feature_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "classify/index/index_state.h"
#include "features/base/errors.h"

namespace leafglyph {

FeatureIndex::FeatureIndex(std::vector<std::unique_ptr<OpenIndex>> parts)
    : parts_(std::move(parts)) {}
FeatureIndex::~FeatureIndex() = default;
FeatureIndex::FeatureIndex(FeatureIndex&& other) noexcept = default;

IndexType FeatureIndex::type() const { return parts_.front()->type; }
std::size_t FeatureIndex::lists() const { return parts_.front()->index->nlist; }
std::size_t FeatureIndex::probes() const { return parts_.front()->index->nprobe; }
const StoreHeader& FeatureIndex::header() const { return parts_.front()->header; }

std::size_t FeatureIndex::size() const {
  std::size_t size = 0;
  for (const auto& part : parts_) size += part->size();
  return size;
}

// Among the rows of all parts none is farther from its nearest: the largest holds for all.
double FeatureIndex::usual_distance() const {
  double distance = parts_.front()->usual_distance;
  for (const auto& part : parts_) distance = std::max(distance, part->usual_distance);
  return distance;
}

FeatureIndex FeatureIndex::open(const std::filesystem::path& folder) {
  return open(std::span(&folder, 1));
}

FeatureIndex FeatureIndex::open(std::span<const std::filesystem::path> folders) {
  std::vector<std::unique_ptr<OpenIndex>> parts;
  std::map<std::string, std::string> held;  // folders, by the rows of their stores
  for (const std::filesystem::path& folder : folders) {
    parts.push_back(OpenIndex::open(folder));
    check_fit(*parts.front(), *parts.back());
    for (std::size_t s = 0; s < parts.back()->stores.size(); ++s) {
      const FeatureStore& store = parts.back()->stores[s];
      std::string rows = store.header_digest();
      for (const std::string& block : parts.back()->block_digests[s]) rows += block;
      const auto [other, is_new] = held.emplace(std::move(rows), folder.string());
      if (is_new) continue;
      throw UsageError(fmt::format("{}: has the rows of {}, which {} has, too", folder.string(),
                                   store.folder().string(), other->second));
    }
    join_fields(parts.front()->header, parts.back()->header);
  }
  if (parts.empty()) throw UsageError("there is no index");
  std::size_t probes = 0;
  for (const auto& part : parts) probes = std::max(probes, part->index->nprobe);
  for (const auto& part : parts) {
    part->header = parts.front()->header;
    part->index->nprobe = probes;
  }
  return FeatureIndex(std::move(parts));
}

void FeatureIndex::check() const {
  for (const auto& part : parts_) {
    for (std::size_t list = 0; list < part->index->nlist; ++list) {
      throw_if_interrupted();
      part->check_list(list);
    }
    for (std::size_t s = 0; s < part->stores.size(); ++s) {
      for (std::size_t b = 0; b < part->stores[s].header().blocks(); ++b) {
        throw_if_interrupted();
        part->rows_of_block(s, b);
      }
    }
  }
}

std::vector<std::vector<IndexHit>> FeatureIndex::search(std::span<const float> queries,
                                                        std::size_t k) const {
  const std::size_t width = parts_.front()->width();
  if (k == 0 || queries.size() % width != 0) {
    throw UsageError(
        fmt::format("{} neighbours of {} numbers in rows of {}", k, queries.size(), width));
  }
  for (const float value : queries) {
    if (!std::isfinite(value)) throw InputError("a query's features are not finite");
  }
  std::vector<std::vector<IndexHit>> hits(queries.size() / width);
  for (const auto& part : parts_) {
    std::vector<std::vector<IndexHit>> more = part->search(queries, k);
    for (std::size_t q = 0; q < hits.size(); ++q) {
      hits[q].insert(hits[q].end(), std::make_move_iterator(more[q].begin()),
                     std::make_move_iterator(more[q].end()));
    }
  }
  if (parts_.size() == 1) return hits;
  for (std::vector<IndexHit>& of_query : hits) {
    std::ranges::stable_sort(of_query, {}, &IndexHit::distance);
    if (of_query.size() > k)
      of_query.erase(of_query.begin() + static_cast<std::ptrdiff_t>(k), of_query.end());
  }
  return hits;
}

}  // namespace leafglyph
