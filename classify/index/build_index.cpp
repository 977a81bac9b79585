#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "classify/index/feature_index.h"
#include "classify/index/index_rows.h"
#include "classify/index/index_state.h"
#include "classify/index/list_file.h"
#include "classify/support/faiss_row.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/npy.h"
#include "features/record/record.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// Rows on which each list's centre is trained, as FAISS recommends.
constexpr std::size_t kRowsACentre = 64;
constexpr std::size_t kQueries = 200;
constexpr std::size_t kNearest = 10;
constexpr double kUsualShare = 0.95;

// About `wanted` evenly spaced rows, scaled.
std::vector<float> sample_of(std::span<const FeatureStore> stores, const ColumnScaling& scaling,
                             std::size_t rows, std::size_t wanted) {
  const std::size_t width = scaling.offset.size();
  std::vector<float> sample;
  std::size_t seen = 0;
  for_each_block(stores, [&](IndexRows& block) {
    for (std::size_t r = 0; r < block.numbers.size(); ++r) {
      if (!is_chosen(seen++, rows, wanted)) continue;
      const auto row = std::span(block.values).subspan(r * width, width);
      sample.insert(sample.end(), row.begin(), row.end());
    }
  });
  scaling.apply(sample);
  return sample;
}

// The `k` nearest rows of each query. The first row found is the query itself, and is left out.
struct NearestRows {
  std::vector<std::set<FaissRow>> rows;
  std::vector<double> distances;  // of the nearest one
};

NearestRows nearest(const faiss::IndexIVFFlat& index, std::span<const float> queries,
                    std::size_t k) {
  const std::size_t width = static_cast<std::size_t>(index.d);
  const std::size_t count = queries.size() / width, listed = k + 1;
  std::vector<float> distances(count * listed);
  std::vector<FaissRow> rows(count * listed);
  index.search(static_cast<FaissRow>(count), queries.data(), static_cast<FaissRow>(listed),
               distances.data(), rows.data());
  NearestRows found;
  for (std::size_t q = 0; q < count; ++q) {
    found.rows.push_back({rows.begin() + static_cast<std::ptrdiff_t>(q * listed + 1),
                          rows.begin() + static_cast<std::ptrdiff_t>((q + 1) * listed)});
    // The searched lists may contain nothing but the query.
    if (rows[q * listed + 1] >= 0) {
      found.distances.push_back(std::sqrt(std::max(0.0F, distances[q * listed + 1])));
    }
  }
  return found;
}

// The distance within which kUsualShare of the queries have another row.
double distance_to_others(const faiss::IndexIVFFlat& index, std::span<const float> queries) {
  std::vector<double> distances = nearest(index, queries, 1).distances;
  if (distances.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(
      std::ceil(kUsualShare * static_cast<double>(distances.size())) - 1);
  std::nth_element(distances.begin(), distances.begin() + at, distances.end());
  return distances[static_cast<std::size_t>(at)];
}

// Searches 1, 2, 4, ... lists until the recall, relative to a search of all lists, is reached.
std::vector<ProbeRecall> measure_recall(faiss::IndexIVFFlat& index, std::span<const float> queries,
                                        double wanted) {
  index.nprobe = index.nlist;
  const auto exact = nearest(index, queries, kNearest).rows;
  std::vector<ProbeRecall> recalls;
  for (std::size_t probes = 1;; probes = std::min(2 * probes, index.nlist)) {
    const auto start = std::chrono::steady_clock::now();
    index.nprobe = probes;
    const auto found = nearest(index, queries, kNearest).rows;
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    std::size_t right = 0, all = 0;
    for (std::size_t q = 0; q < exact.size(); ++q) {
      for (const auto row : exact[q]) {
        ++all;
        right += found[q].contains(row);
      }
    }
    const double recall = static_cast<double>(right) / static_cast<double>(all);
    recalls.push_back({probes, recall, time.count() / static_cast<double>(exact.size())});
    if (recall >= wanted || probes == index.nlist) break;
  }
  return recalls;
}

Json facts_of(IndexType type, double usual_distance, const faiss::IndexIVFFlat& index,
              const Json& stores) {
  Json json = {{"type", name_of(type)},
               {"usual_distance", usual_distance},
               {"probes", index.nprobe},
               {"lists", Json::array()},
               {"stores", stores}};
  for (std::size_t list = 0; list < index.nlist; ++list) {
    json["lists"].push_back(
        {{"rows", index.invlists->list_size(list)}, {"sha256", digest_of_list(index, list)}});
  }
  return json;
}

// Rows evenly spread over the lists.
std::vector<float> queries_in(const faiss::IndexIVFFlat& index) {
  const auto rows = static_cast<std::size_t>(index.ntotal),
             width = static_cast<std::size_t>(index.d);
  const std::size_t count = std::min(kQueries, rows);
  std::vector<float> queries;
  std::size_t list = 0, first = 0;
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t row = rows * q / count;
    while (row - first >= index.invlists->list_size(list)) {
      first += index.invlists->list_size(list++);
    }
    const auto* codes = reinterpret_cast<const float*>(index.invlists->get_codes(list));
    queries.insert(queries.end(), codes + (row - first) * width, codes + (row - first + 1) * width);
  }
  return queries;
}

/// What the lists of an index are made with.
struct Frame {
  IndexType type = IndexType::kFlat;
  ColumnScaling scaling;
  std::unique_ptr<faiss::IndexIVFFlat> index;  // without rows
};

Frame frame_like(const std::filesystem::path& folder, std::span<const FeatureStore> stores) {
  const auto like = OpenIndex::open(folder);
  const std::string differs =
      difference(like->header.without_inputs(), stores.front().header().without_inputs());
  if (!differs.empty()) {
    throw UsageError(fmt::format("{} is an index of other features than {}: they differ in {}",
                                 folder.string(), stores.front().folder().string(), differs));
  }
  return {like->type, like->scaling, index_with(centres_of(*like->index), like->width())};
}

Frame trained_frame(std::span<const FeatureStore> stores, const IndexSpec& spec) {
  std::size_t rows = 0, lists = 1;
  Frame frame{spec.type, scaling_of(stores, rows), nullptr};
  if (spec.type == IndexType::kIvf) {
    lists = spec.lists > 0 ? spec.lists
                           : static_cast<std::size_t>(std::sqrt(static_cast<double>(rows)));
    if (lists > rows) {
      throw UsageError(fmt::format("{} lists of {} rows; use fewer", lists, rows));
    }
  }
  const std::size_t width = frame.scaling.offset.size();
  faiss::IndexFlatL2 centres(static_cast<FaissRow>(width));
  faiss::IndexIVFFlat trained(&centres, width, lists);
  trained.cp.seed = static_cast<int>(spec.seed);
  trained.cp.max_points_per_centroid = static_cast<int>(kRowsACentre);
  trained.cp.min_points_per_centroid = 1;
  const std::vector<float> sample =
      sample_of(stores, frame.scaling, rows, std::max(lists * kRowsACentre, kQueries));
  trained.train(static_cast<FaissRow>(sample.size() / width), sample.data());
  frame.index = index_with(centres_of(trained), width);
  return frame;
}

// Measures an index with mapped lists, and writes all of its files but these. Returns the measured
// recalls; none for kFlat.
std::vector<ProbeRecall> finish_index(StagedFolder& staged, IndexType type, double recall,
                                      const ColumnScaling& scaling, faiss::IndexIVFFlat& index,
                                      const MappedFile& lists, const Json& stores) {
  const std::vector<float> queries = queries_in(index);
  std::vector<ProbeRecall> recalls;
  if (type == IndexType::kIvf && static_cast<std::size_t>(index.ntotal) > kNearest) {
    recalls = measure_recall(index, queries, recall);
  }
  const double usual = distance_to_others(index, queries);
  const std::size_t width = scaling.offset.size();
  const std::array<std::size_t, 2> shape = {2, width}, centres_shape = {index.nlist, width};
  std::vector<double> both = scaling.offset;
  both.insert(both.end(), scaling.scale.begin(), scaling.scale.end());
  RecordParts parts;
  parts.files[kScalingFile] = npy_bytes(std::span<const double>(both), shape);
  parts.files[kCentresFile] = npy_bytes(centres_of(index), centres_shape);
  write_record(staged, kIndex, facts_of(type, usual, index, stores), std::move(parts));
  lists.check();
  staged.commit();
  return recalls;
}

}  // namespace

std::vector<ProbeRecall> FeatureIndex::build(std::span<const FeatureStore> stores,
                                             const IndexSpec& spec,
                                             const std::filesystem::path& folder) {
  check_alike(stores);
  const WriteLock lock(folder);
  const auto identity = [&] {
    Json json = Json::array();
    for (const FeatureStore& store : stores) json.push_back(json_of_store(store, folder));
    return json;
  };
  const Json before = identity();
  const Frame frame =
      spec.like.empty() ? trained_frame(stores, spec) : frame_like(spec.like, stores);
  StagedFolder staged(folder, index_files);
  const std::vector<std::size_t> sizes = write_lists(stores, frame.scaling, *frame.index,
                                                     staged.path(kListsFile), folder / kListsFile);
  const auto lists = map_lists(staged.path(kListsFile), sizes, *frame.index);
  if (lists == nullptr) {
    throw Error((folder / kListsFile).string() + ": was not written completely");
  }
  if (frame.index->ntotal == 0) throw InputError("the stores have no row without an error");
  if (identity() != before) {
    throw InputError("the stores were changed while the index was built; build it again");
  }
  return finish_index(staged, frame.type, spec.recall, frame.scaling, *frame.index, *lists, before);
}

std::vector<ProbeRecall> FeatureIndex::merge(std::span<const std::filesystem::path> folders,
                                             double recall, const std::filesystem::path& folder) {
  const WriteLock lock(folder);
  const FeatureIndex whole = open(folders);
  Json stores = Json::array();
  for (const auto& part : whole.parts_) {
    for (std::size_t s = 0; s < part->stores.size(); ++s) {
      stores.push_back(json_of_store(part->stores[s], folder));
      if (stores.back().at("blocks") == part->block_digests[s]) continue;
      throw InputError(part->stores[s].folder().string() + ": has changed since " +
                       part->folder.string() + " was built; build that part again");
    }
  }
  StagedFolder staged(folder, index_files);
  const std::vector<std::size_t> sizes =
      join_lists(whole.parts_, staged.path(kListsFile), folder / kListsFile);
  const OpenIndex& first = *whole.parts_.front();
  const auto index = index_with(centres_of(*first.index), first.width());
  const auto lists = map_lists(staged.path(kListsFile), sizes, *index);
  if (lists == nullptr) {
    throw Error((folder / kListsFile).string() + ": was not written completely");
  }
  return finish_index(staged, first.type, recall, first.scaling, *index, *lists, stores);
}

}  // namespace leafglyph
