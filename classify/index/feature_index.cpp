#include "classify/index/feature_index.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/impl/FaissException.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/index/index_rows.h"
#include "classify/index/list_file.h"
#include "classify/support/sealed_json.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/names.h"
#include "features/base/npy.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

using Json = nlohmann::ordered_json;

// An error that says what is wrong with the index in a folder, and how to fix it.
FormatError damaged(const std::filesystem::path& folder, const std::string& what) {
  return FormatError(folder.string() + ": " + what + "; build the index again");
}

std::string checked_bytes(const Json& json, const std::filesystem::path& folder,
                          const std::string& name) {
  if (!is_there(folder / name)) throw damaged(folder, name + " is not there");
  std::string bytes = read_file(folder / name);
  if (sha256(bytes) != json.at("sha256").at(name).get<std::string>()) {
    throw damaged(folder, name + " does not match its checksum in index.json");
  }
  return bytes;
}

Json read_index_json(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kIndexFile;
  const std::string text = read_text_file(file);
  Json json = Json::parse(text);
  if (json.at("format").get<std::string>() != kIndexFormat) {
    throw FormatError(file.string() + ": not the description of a feature index");
  }
  if (const int version = integer_at<int>(json, "version"); version != kIndexVersion) {
    throw damaged(folder, fmt::format("an index of format version {}, but this LeafGlyph reads "
                                      "version {}",
                                      version, kIndexVersion));
  }
  if (!is_sealed(json, text)) {
    throw damaged(folder, "index.json does not match its own checksum");
  }
  return json;
}

}  // namespace

struct FeatureIndex::State {
  std::filesystem::path folder;
  IndexType type = IndexType::kFlat;
  std::vector<FeatureStore> stores;
  StoreHeader header;                                   // of the first, with the fields of all
  std::vector<std::vector<std::string>> block_digests;  // of each store
  ColumnScaling scaling;
  double usual_distance = 0;
  std::unique_ptr<faiss::IndexIVFFlat> index;
  std::vector<std::string> list_digests;
  std::vector<bool> checked_lists;

  // Sets up the index with empty lists.
  void set_index(std::span<const float> centres, std::size_t lists) {
    const std::size_t width = scaling.offset.size();
    auto quantizer = std::make_unique<faiss::IndexFlatL2>(static_cast<faiss::Index::idx_t>(width));
    quantizer->add(static_cast<faiss::Index::idx_t>(lists), centres.data());
    index = std::make_unique<faiss::IndexIVFFlat>(quantizer.get(), width, lists);
    index->own_fields = true;
    static_cast<void>(quantizer.release());
    index->is_trained = true;
  }

  // Checks each list once.
  void check_list(std::size_t list) {
    if (checked_lists[list]) return;
    if (digest_of_list(*index, list) != list_digests[list]) {
      throw damaged(
          folder,
          fmt::format("list {} of lists.bin does not match its checksum in index.json", list));
    }
    checked_lists[list] = true;
  }

  // Checks the lists that a search for the queries reads.
  void check_lists_for(std::span<const float> queries) {
    const auto count = queries.size() / scaling.offset.size();
    std::vector<float> distances(count * index->nprobe);
    std::vector<faiss::Index::idx_t> lists(count * index->nprobe);
    index->quantizer->search(static_cast<faiss::Index::idx_t>(count), queries.data(),
                             static_cast<faiss::Index::idx_t>(index->nprobe), distances.data(),
                             lists.data());
    for (const auto list : lists) {
      if (list >= 0) check_list(static_cast<std::size_t>(list));
    }
  }

  // Reads block b of store s, and checks that it is the one that the index was built from.
  std::vector<StoreRow> rows_of_block(std::size_t s, std::size_t b) const {
    const FeatureStore& store = stores[s];
    if (!store.has_block(b) || store.block_digest(b) != block_digests[s].at(b)) {
      throw damaged(folder, fmt::format("block {} of {} is not the one it was built from", b,
                                        store.folder().string()));
    }
    return store.read_rows(b);
  }

  // The row with this number (row_number), read from its block. Blocks are kept for later rows.
  const StoreRow& row(std::int64_t number,
                      std::map<std::size_t, std::vector<StoreRow>>& blocks) const {
    const auto block = static_cast<std::size_t>(number >> 32);
    auto [at, is_new] = blocks.try_emplace(block);
    if (is_new) at->second = rows_of_block(block);
    const auto row = static_cast<std::size_t>(number - row_number(block, 0));
    if (row >= at->second.size())
      throw damaged(folder, "it names a row that its stores do not have");
    return at->second[row];
  }

  // The rows of a block, counting the blocks of all stores.
  std::vector<StoreRow> rows_of_block(std::size_t block) const {
    for (std::size_t s = 0; s < stores.size(); ++s) {
      if (block < stores[s].header().blocks()) {
        std::vector<StoreRow> rows = rows_of_block(s, block);
        for (StoreRow& row : rows) row.fields = fields_for(header, stores[s].header(), row);
        return rows;
      }
      block -= stores[s].header().blocks();
    }
    throw damaged(folder, "it names a row that its stores do not have");
  }
};

FeatureIndex::FeatureIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
FeatureIndex::~FeatureIndex() = default;
FeatureIndex::FeatureIndex(FeatureIndex&& other) noexcept = default;

IndexType FeatureIndex::type() const { return state_->type; }
std::size_t FeatureIndex::size() const { return static_cast<std::size_t>(state_->index->ntotal); }
std::size_t FeatureIndex::lists() const { return state_->index->nlist; }
std::size_t FeatureIndex::probes() const { return state_->index->nprobe; }
double FeatureIndex::usual_distance() const { return state_->usual_distance; }
const StoreHeader& FeatureIndex::header() const { return state_->header; }

FeatureIndex FeatureIndex::open(const std::filesystem::path& folder) {
  auto state = std::make_unique<State>();
  state->folder = folder;
  try {
    const Json json = read_index_json(folder);
    state->type = from_name<IndexType>(json.at("type").get<std::string>());
    state->usual_distance = json.at("usual_distance").get<double>();
    for (const Json& store : json.at("stores")) {
      state->stores.push_back(FeatureStore::open(string_of(store.at("folder"))));
      if (state->stores.back().header_digest() != store.at("sha256").get<std::string>()) {
        throw damaged(folder,
                      string_of(store.at("folder")) + " is not the store it was built from");
      }
      state->block_digests.push_back(store.at("blocks").get<std::vector<std::string>>());
      if (state->block_digests.back().size() != state->stores.back().header().blocks()) {
        throw damaged(folder, "it does not name all blocks of its stores");
      }
    }
    if (state->stores.empty()) throw damaged(folder, "it names no stores");
    state->header = state->stores.front().header();
    for (const FeatureStore& store : state->stores) join_fields(state->header, store.header());
    const std::size_t width = state->stores.front().header().columns.size();
    const NpyArray<double> scaling =
        parse_npy<double>(checked_bytes(json, folder, kScalingFile), folder / kScalingFile);
    if (!std::ranges::equal(scaling.shape, std::array<std::size_t, 2>{2, width})) {
      throw damaged(folder, "scaling.npy does not match the stores");
    }
    state->scaling.offset.assign(scaling.values.begin(),
                                 scaling.values.begin() + static_cast<std::ptrdiff_t>(width));
    state->scaling.scale.assign(scaling.values.begin() + static_cast<std::ptrdiff_t>(width),
                                scaling.values.end());
    const NpyArray<float> centres =
        parse_npy<float>(checked_bytes(json, folder, kCentresFile), folder / kCentresFile);
    std::vector<std::size_t> sizes;
    for (const Json& list : json.at("lists")) {
      sizes.push_back(integer_at<std::size_t>(list, "rows"));
      state->list_digests.push_back(list.at("sha256").get<std::string>());
    }
    state->checked_lists.resize(sizes.size());
    if (sizes.empty() ||
        !std::ranges::equal(centres.shape, std::array<std::size_t, 2>{sizes.size(), width})) {
      throw damaged(folder, "centres.npy does not match the stores");
    }
    state->set_index(centres.values, sizes.size());
    state->index->nprobe =
        std::clamp<std::size_t>(integer_at<std::size_t>(json, "probes"), 1, sizes.size());
    if (!is_regular(folder / kListsFile)) throw damaged(folder, "lists.bin is missing");
    if (!map_lists(folder / kListsFile, sizes, *state->index)) {
      throw damaged(folder, "lists.bin does not have the stated size");
    }
  } catch (const Json::exception&) {
    throw damaged(folder, "index.json is damaged");
  } catch (const UsageError& error) {
    throw damaged(folder, error.what());
  } catch (const faiss::FaissException&) {
    throw damaged(folder, "lists.bin cannot be mapped");
  }
  return FeatureIndex(std::move(state));
}

void FeatureIndex::check() const {
  for (std::size_t list = 0; list < lists(); ++list) {
    throw_if_interrupted();
    state_->check_list(list);
  }
  for (std::size_t s = 0; s < state_->stores.size(); ++s) {
    for (std::size_t b = 0; b < state_->stores[s].header().blocks(); ++b) {
      throw_if_interrupted();
      state_->rows_of_block(s, b);
    }
  }
}

std::vector<std::vector<IndexHit>> FeatureIndex::search(std::span<const float> queries,
                                                        std::size_t k) const {
  const std::size_t width = state_->scaling.offset.size();
  if (k == 0 || queries.size() % width != 0) {
    throw UsageError(
        fmt::format("{} neighbours of {} numbers in rows of {}", k, queries.size(), width));
  }
  for (const float value : queries) {
    if (!std::isfinite(value)) throw InputError("a query's features are not finite");
  }
  const std::size_t count = queries.size() / width;
  k = std::min(k, size());
  std::vector<float> scaled(queries.begin(), queries.end());
  state_->scaling.apply(scaled);
  state_->check_lists_for(scaled);
  std::vector<float> distances(count * k);
  std::vector<faiss::Index::idx_t> rows(count * k);
  state_->index->search(static_cast<faiss::Index::idx_t>(count), scaled.data(),
                        static_cast<faiss::Index::idx_t>(k), distances.data(), rows.data());
  std::vector<std::vector<IndexHit>> hits(count);
  std::map<std::size_t, std::vector<StoreRow>> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;  // the searched lists hold fewer
    const StoreRow& row = state_->row(rows[i], blocks);
    hits[i / k].push_back({part_name(row.path, row.part), row.label,
                           std::sqrt(std::max(0.0F, distances[i])), row.fields});
  }
  return hits;
}

}  // namespace leafglyph
