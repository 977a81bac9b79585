#include "classify/index/feature_index.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/impl/FaissException.h>
#include <faiss/invlists/OnDiskInvertedLists.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "classify/index/index_rows.h"
#include "classify/support/json_text.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/names.h"
#include "features/base/npy.h"
#include "features/base/paths.h"
#include "features/base/sha256.h"

namespace leafglyph {
namespace {

constexpr Names<IndexType, 2> kTypes = {"type",
                                        {{{IndexType::kFlat, "flat"}, {IndexType::kIvf, "ivf"}}}};

using Damaged = std::function<FormatError(const std::string&)>;

std::string checked_bytes(const nlohmann::json& json, const std::filesystem::path& folder,
                          const std::string& name, const Damaged& damaged) {
  if (!is_there(folder / name)) throw damaged(name + " is not there");
  std::string bytes = read_file(folder / name);
  if (sha256(bytes) != json.at("sha256").at(name).get<std::string>()) {
    throw damaged(name + " does not have the checksum of index.json");
  }
  return bytes;
}

// A mapped file that is cut off would end the process when it is searched.
void map_lists(const std::filesystem::path& file, const std::vector<std::size_t>& sizes,
               faiss::IndexIVFFlat& index, const Damaged& damaged) {
  const std::size_t entry = index.code_size + sizeof(faiss::Index::idx_t);
  const std::size_t bytes = std::filesystem::file_size(file);
  std::size_t rows = 0;
  for (const std::size_t size : sizes) {
    if (size > bytes / entry - rows) throw damaged("lists.bin has another size than stated");
    rows += size;
  }
  if (bytes != entry * rows) throw damaged("lists.bin has another size than stated");
  index.ntotal = static_cast<faiss::Index::idx_t>(rows);
  auto lists = std::make_unique<faiss::OnDiskInvertedLists>();
  lists->nlist = index.nlist;
  lists->code_size = index.code_size;
  lists->lists.resize(index.nlist);
  lists->filename = file.string();
  lists->read_only = true;
  lists->set_all_lists_sizes(sizes.data());
  lists->totsize = bytes;
  lists->do_mmap();
  index.replace_invlists(lists.release(), /*own=*/true);
}

}  // namespace

std::string_view index_type_name(IndexType type) { return name_of(kTypes, type); }
IndexType index_type_from_name(std::string_view name) { return from_name(kTypes, name); }

struct FeatureIndex::State {
  IndexType type = IndexType::kFlat;
  std::vector<FeatureStore> stores;
  ColumnScaling scaling;
  double usual_distance = 0;
  std::unique_ptr<faiss::IndexIVFFlat> index;

  // Without the lists themselves.
  void set_index(std::span<const float> centres, std::span<const std::size_t> sizes) {
    const std::size_t width = scaling.offset.size();
    auto quantizer = std::make_unique<faiss::IndexFlatL2>(static_cast<faiss::Index::idx_t>(width));
    quantizer->add(static_cast<faiss::Index::idx_t>(sizes.size()), centres.data());
    index = std::make_unique<faiss::IndexIVFFlat>(quantizer.get(), width, sizes.size());
    index->own_fields = true;
    static_cast<void>(quantizer.release());
    index->is_trained = true;
  }

  // The input of that number, read from its store's block; blocks are kept for the next ones.
  const StoreRow& row(std::int64_t number,
                      std::map<std::int64_t, std::vector<StoreRow>>& blocks) const {
    std::int64_t first = 0;
    for (const FeatureStore& store : stores) {
      const auto inputs = static_cast<std::int64_t>(store.header().inputs);
      if (number < first + inputs) {
        const auto size = static_cast<std::int64_t>(store.header().block);
        const std::int64_t b = (number - first) / size;
        auto [at, is_new] = blocks.try_emplace(first + b * size);
        if (is_new) at->second = store.read_rows(static_cast<std::size_t>(b));
        return at->second.at(static_cast<std::size_t>(number - first - b * size));
      }
      first += inputs;
    }
    throw FormatError("the index names a row that its stores do not have; build it again");
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
const StoreHeader& FeatureIndex::header() const { return state_->stores.front().header(); }

FeatureIndex FeatureIndex::open(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "index.json";
  const auto damaged = [&](const std::string& what) {
    return FormatError(folder.string() + ": " + what + "; build the index again");
  };
  auto state = std::make_unique<State>();
  try {
    const auto json = nlohmann::json::parse(read_text_file(file));
    if (json.at("format").get<std::string>() != "leafglyph feature index" ||
        integer_at<int>(json, "version") != kIndexVersion) {
      throw FormatError(fmt::format("{}: no feature index of format version {}; build it again",
                                    file.string(), kIndexVersion));
    }
    state->type = index_type_from_name(json.at("type").get<std::string>());
    state->usual_distance = json.at("usual_distance").get<double>();
    for (const auto& store : json.at("stores")) {
      state->stores.push_back(FeatureStore::open(string_of(store.at("folder"))));
      if (state->stores.back().header().list_sha256 != string_of(store.at("list_sha256"))) {
        throw damaged(string_of(store.at("folder")) + " is another store than it was made of");
      }
    }
    if (state->stores.empty()) throw damaged("names no stores");
    const std::size_t width = state->stores.front().header().columns.size();
    const NpyArray<double> scaling = parse_npy<double>(
        checked_bytes(json, folder, "scaling.npy", damaged), folder / "scaling.npy");
    if (!std::ranges::equal(scaling.shape, std::array<std::size_t, 2>{2, width})) {
      throw damaged("scaling.npy does not fit the stores");
    }
    state->scaling.offset.assign(scaling.values.begin(),
                                 scaling.values.begin() + static_cast<std::ptrdiff_t>(width));
    state->scaling.scale.assign(scaling.values.begin() + static_cast<std::ptrdiff_t>(width),
                                scaling.values.end());
    const NpyArray<float> centres = parse_npy<float>(
        checked_bytes(json, folder, "centres.npy", damaged), folder / "centres.npy");
    const auto sizes = json.at("lists").get<std::vector<std::size_t>>();
    if (sizes.empty() ||
        !std::ranges::equal(centres.shape, std::array<std::size_t, 2>{sizes.size(), width})) {
      throw damaged("centres.npy does not fit the stores");
    }
    state->set_index(centres.values, sizes);
    state->index->nprobe =
        std::clamp<std::size_t>(integer_at<std::size_t>(json, "probes"), 1, sizes.size());
    map_lists(folder / "lists.bin", sizes, *state->index, damaged);
  } catch (const nlohmann::json::exception&) {
    throw damaged("index.json is damaged");
  } catch (const UsageError& error) {
    throw damaged(error.what());
  } catch (const faiss::FaissException&) {
    throw damaged("lists.bin is damaged");
  } catch (const std::filesystem::filesystem_error&) {
    throw damaged("lists.bin is not there");
  }
  return FeatureIndex(std::move(state));
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
  std::vector<float> distances(count * k);
  std::vector<faiss::Index::idx_t> rows(count * k);
  state_->index->search(static_cast<faiss::Index::idx_t>(count), scaled.data(),
                        static_cast<faiss::Index::idx_t>(k), distances.data(), rows.data());
  std::vector<std::vector<IndexHit>> hits(count);
  std::map<std::int64_t, std::vector<StoreRow>> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;  // the searched lists hold fewer
    const StoreRow& row = state_->row(rows[i], blocks);
    hits[i / k].push_back({row.path, row.label, std::sqrt(std::max(0.0F, distances[i]))});
  }
  return hits;
}

}  // namespace leafglyph
