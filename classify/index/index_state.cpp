#include "classify/index/index_state.h"

#include <faiss/IndexFlat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "classify/index/list_file.h"
#include "classify/support/faiss_row.h"
#include "datasets/leaf/leaf_dataset.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/npy.h"
#include "features/record/json_text.h"
#include "features/record/record.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// An error that says what is wrong with the index in a folder, and how to fix it.
FormatError damaged(const std::filesystem::path& folder, const std::string& what) {
  return FormatError(folder.string() + ": " + what + "; " + kIndex.remedy);
}

// The store that an index names. If both were carried elsewhere, it is where it was as seen from
// the index, or beside the index.
FeatureStore store_of(const Json& json, const fs::path& folder) {
  const auto seen_from_index = [&](const fs::path& path) {
    std::error_code ignored;
    return fs::weakly_canonical(folder / path, ignored);
  };
  const fs::path was = string_of(json.at("folder"));
  const fs::path name = was.has_filename() ? was.filename() : was.parent_path().filename();
  const fs::path beside = seen_from_index(".." / name);
  std::vector<fs::path> places = {was, beside};
  if (json.contains("relative")) {
    places.insert(places.begin(), seen_from_index(string_of(json.at("relative"))));
  }
  std::erase_if(places, [](const fs::path& place) { return !is_there(place / kStore.facts); });
  for (const fs::path& place : places) {
    FeatureStore store = FeatureStore::open(place);
    if (store.header_digest() == json.at("sha256").get<std::string>()) return store;
  }
  if (!places.empty()) {
    throw damaged(folder, places.front().string() + " is not the store it was built from");
  }
  throw InputError(fmt::format("{}: its store is neither {} nor {}; put it there", folder.string(),
                               was.string(), beside.string()));
}

}  // namespace

std::unique_ptr<OpenIndex> OpenIndex::open(const std::filesystem::path& folder) {
  auto opened = std::make_unique<OpenIndex>();
  opened->folder = folder;
  const Record record = read_record(folder, kIndex);
  record.checked(kIndex.facts, [&] { opened->read(record); });
  return opened;
}

void OpenIndex::read(const Record& record) {
  const Json& json = record.facts;
  type = from_name<IndexType>(json.at("type").get<std::string>());
  usual_distance = json.at("usual_distance").get<double>();
  for (const Json& store : json.at("stores")) {
    stores.push_back(store_of(store, folder));
    block_digests.push_back(store.at("blocks").get<std::vector<std::string>>());
    if (block_digests.back().size() != stores.back().header().blocks()) {
      throw damaged(folder, "it does not name all blocks of its stores");
    }
  }
  if (stores.empty()) throw damaged(folder, "it names no stores");
  header = stores.front().header();
  for (const FeatureStore& store : stores) join_fields(header, store.header());
  read_lists(record);
}

void OpenIndex::read_lists(const Record& record) {
  const Json& json = record.facts;
  const std::size_t columns = header.columns.size();
  const NpyArray<double> both = parse_npy<double>(record.file(kScalingFile), folder / kScalingFile);
  if (!std::ranges::equal(both.shape, std::array<std::size_t, 2>{2, columns})) {
    throw damaged(folder, "scaling.npy does not match the stores");
  }
  const auto middle = both.values.begin() + static_cast<std::ptrdiff_t>(columns);
  scaling.offset.assign(both.values.begin(), middle);
  scaling.scale.assign(middle, both.values.end());
  const NpyArray<float> centres =
      parse_npy<float>(record.file(kCentresFile), folder / kCentresFile);
  std::vector<std::size_t> sizes;
  for (const Json& list : json.at("lists")) {
    sizes.push_back(integer_at<std::size_t>(list, "rows"));
    list_digests.push_back(list.at("sha256").get<std::string>());
  }
  checked_lists.resize(sizes.size());
  if (sizes.empty() ||
      !std::ranges::equal(centres.shape, std::array<std::size_t, 2>{sizes.size(), columns})) {
    throw damaged(folder, "centres.npy does not match the stores");
  }
  index = index_with(centres.values, columns);
  index->nprobe = std::clamp<std::size_t>(integer_at<std::size_t>(json, "probes"), 1, sizes.size());
  if (!is_regular(folder / kListsFile)) throw damaged(folder, "lists.bin is missing");
  lists_file = map_lists(folder / kListsFile, sizes, *index);
  if (lists_file == nullptr) {
    throw damaged(folder, "lists.bin does not have the stated size");
  }
}

void OpenIndex::check_list(std::size_t list) {
  if (checked_lists[list]) return;
  check_digest(
      digest_of_list(*index, list), list_digests[list], folder,
      fmt::format("list {} of lists.bin does not match its checksum in {}", list, kIndex.facts),
      kIndex.remedy);
  checked_lists[list] = true;
}

// Checks the lists that a search reads.
void OpenIndex::check_lists_for(std::span<const float> scaled) {
  const auto count = scaled.size() / width();
  std::vector<float> distances(count * index->nprobe);
  std::vector<FaissRow> lists(count * index->nprobe);
  index->quantizer->search(static_cast<FaissRow>(count), scaled.data(),
                           static_cast<FaissRow>(index->nprobe), distances.data(), lists.data());
  for (const auto list : lists) {
    if (list >= 0) check_list(static_cast<std::size_t>(list));
  }
}

std::vector<StoreRow> OpenIndex::rows_of_block(std::size_t s, std::size_t b) const {
  const FeatureStore& store = stores[s];
  if (!store.has_block(b) || store.block_digest(b) != block_digests[s].at(b)) {
    throw damaged(folder, fmt::format("block {} of {} is not the one it was built from", b,
                                      store.folder().string()));
  }
  return store.read_rows(b);
}

// The rows of a block, counting the blocks of all stores.
std::vector<StoreRow> OpenIndex::rows_of_block(std::size_t block) const {
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

// The row with this number (row_number), read from its block. Blocks are kept for later rows.
const StoreRow& OpenIndex::row(std::int64_t number, Blocks& blocks) const {
  const auto block = static_cast<std::size_t>(number >> 32);
  auto [at, is_new] = blocks.try_emplace(block);
  if (is_new) at->second = rows_of_block(block);
  const auto row = static_cast<std::size_t>(number - row_number(block, 0));
  if (row >= at->second.size()) {
    throw damaged(folder, "it names a row that its stores do not have");
  }
  return at->second[row];
}

std::vector<std::vector<IndexHit>> OpenIndex::search(std::span<const float> queries,
                                                     std::size_t k) {
  const std::size_t count = queries.size() / width();
  k = std::min(k, size());
  std::vector<float> scaled(queries.begin(), queries.end());
  scaling.apply(scaled);
  check_lists_for(scaled);
  std::vector<float> distances(count * k);
  std::vector<FaissRow> rows(count * k);
  checked_use(*lists_file, [&] {
    index->search(static_cast<FaissRow>(count), scaled.data(), static_cast<FaissRow>(k),
                  distances.data(), rows.data());
  });
  std::vector<std::vector<IndexHit>> hits(count);
  Blocks blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;  // the searched lists hold fewer
    const StoreRow& found = row(rows[i], blocks);
    hits[i / k].push_back({part_name(found.path, found.part), found.label,
                           std::sqrt(std::max(0.0F, distances[i])), found.fields});
  }
  return hits;
}

std::span<const float> centres_of(const faiss::IndexIVFFlat& index) {
  const auto& centres = static_cast<const faiss::IndexFlat&>(*index.quantizer);
  return {centres.get_xb(), index.nlist * static_cast<std::size_t>(index.d)};
}

std::unique_ptr<faiss::IndexIVFFlat> index_with(std::span<const float> centres, std::size_t width) {
  const std::size_t lists = centres.size() / width;
  auto quantizer = std::make_unique<faiss::IndexFlatL2>(static_cast<FaissRow>(width));
  quantizer->add(static_cast<FaissRow>(lists), centres.data());
  auto index = std::make_unique<faiss::IndexIVFFlat>(quantizer.get(), width, lists);
  index->own_fields = true;
  static_cast<void>(quantizer.release());
  index->is_trained = true;
  return index;
}

void check_fit(const OpenIndex& first, const OpenIndex& other) {
  std::string differs = difference(first.header.without_inputs(), other.header.without_inputs());
  if (differs.empty() &&
      (first.type != other.type || first.scaling != other.scaling ||
       !std::ranges::equal(centres_of(*first.index), centres_of(*other.index)))) {
    differs = "scaling or lists";
  }
  if (differs.empty()) return;
  throw UsageError(
      fmt::format("{} and {} are not parts of one index: they differ in {}; build "
                  "parts with --like",
                  first.folder.string(), other.folder.string(), differs));
}

}  // namespace leafglyph
