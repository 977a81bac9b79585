// Fills, merges and sums feature stores, as `leafglyph features extract` and `merge` and `leaf
// sums` do.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classify/extraction/extract.h"
#include "classify/extraction/store_files.h"
#include "classify/leaf/leaf_sums.h"
#include "classify/leaf/store_rows.h"
#include "features/base/limits.h"
#include "features/base/text.h"
#include "tools/python/bindings.h"
#include "tools/python/long_computation.h"
#include "tools/python/plan.h"

namespace leafglyph::python {
namespace {

namespace py = pybind11;
namespace fs = std::filesystem;

/// Reads addresses with a function of Python, read(address, most bytes).
class AddressReader {
 public:
  explicit AddressReader(py::object read)
      : read_(new py::object(std::move(read)), [](py::object* object) {
          const py::gil_scoped_acquire gil;
          delete object;
        }) {}
  std::string operator()(const std::string& address) const {
    const py::gil_scoped_acquire gil;
    try {
      auto bytes = (*read_)(address, kMaxMemberBytes + 1).cast<py::bytes>();
      if (py::len(bytes) <= kMaxMemberBytes) return bytes;
    } catch (const py::error_already_set& error) {
      throw InputError(address + ": " + first_line(error.what()));
    }
    throw InputError(address + ": has more than " + std::to_string(kMaxMemberBytes) + " bytes");
  }

 private:
  static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

  std::shared_ptr<py::object> read_;
};

/// The images of a call, and how they become rows.
struct Extraction {
  std::vector<std::string> images;
  std::optional<std::vector<std::string>> labels;
  std::optional<fs::path> config;
  std::vector<std::string> settings;
  double source_aspect = 0;
  MomentRecipe moments;
  PartRule parts = PartRule::kWhole;
  std::string masks;
};

ListedImages listed(const Extraction& extraction) {
  ListedImages images;
  if (!extraction.labels) {
    ImageInputs inputs;
    inputs.paths = extraction.images;
    inputs.arrays = !extraction.config && is_spherical(extraction.moments.spec.family);
    images = list_images(inputs);
    if (images.list.classes().empty()) images.list.label_by_folders(0);
  } else {
    for (std::size_t i = 0; i < extraction.images.size(); ++i) {
      images.list.add(extraction.images[i], (*extraction.labels)[i]);
    }
    if (extraction.images.empty()) throw InputError(kNoImage);
  }
  images.list.use_masks(extraction.masks);
  return images;
}

Recipe recipe_of(const Extraction& extraction) {
  if (!extraction.config) return moment_recipe(extraction.moments, extraction.parts);
  LeafConfig config = load_leaf_config(*extraction.config, extraction.settings);
  use_named_photographs(config, extraction.source_aspect);
  return leaf_recipe(config, extraction.source_aspect, extraction.parts);
}

PartRule parts_of(bool every_leaf, const std::optional<fs::path>& masks) {
  if (every_leaf && masks) {
    throw UsageError("give masks or every_leaf: a mask says what the parts of an image are");
  }
  if (masks) return PartRule::kMasks;
  return every_leaf ? PartRule::kEveryLeaf : PartRule::kWhole;
}

Shard shard_of(std::pair<std::size_t, std::size_t> shard) {
  return shard_from_text(std::to_string(shard.first) + "/" + std::to_string(shard.second));
}

// Whether every block of the store is there afterwards.
bool extract(const std::vector<std::string>& images,
             const std::optional<std::vector<std::string>>& labels, const fs::path& store,
             const std::optional<fs::path>& config, const std::vector<std::string>& settings,
             double source_aspect, const std::string& family, Order order, int resize,
             bool every_leaf, const std::optional<fs::path>& masks, const std::string& values,
             std::pair<std::size_t, std::size_t> shard, std::size_t block,
             const std::string& device, const py::object& read) {
  Extraction extraction{images,
                        labels,
                        config,
                        settings,
                        source_aspect,
                        {},
                        parts_of(every_leaf, masks),
                        masks ? masks->string() : ""};
  if (!config) extraction.moments = {spec_from({order, family, {}, 1, {}, {}}), resize};
  const StoreRun run{store, from_name<StoredValues>(values), block, shard_of(shard)};
  const PlanOptions options = plan_options(device);
  ListedImages found;
  std::optional<AddressReader> reader;
  if (!read.is_none()) reader.emplace(read);
  const ExtractionReport report = without_gil([&] {
    found = listed(extraction);
    if (reader) found.list.read_addresses_by(*reader);
    return fill_store(found, recipe_of(extraction), run, options, ProgressStyle::kNone);
  });
  warn(found.warnings);
  warn(found.cut);
  warn(report.errors);
  return FeatureStore::open(store).missing_blocks().empty();
}

void merge(const std::vector<fs::path>& stores, const fs::path& store) {
  without_gil([&] {
    std::vector<FeatureStore> opened;
    for (const fs::path& folder : stores) opened.push_back(FeatureStore::open(folder));
    merge_stores(opened, store);
  });
}

std::size_t leaf_sums(const std::vector<fs::path>& stores, const fs::path& file,
                      const fs::path& config, const std::vector<std::string>& settings,
                      std::pair<std::size_t, std::size_t> shard, const std::string& device) {
  const Shard part = shard_of(shard);
  const LeafRun run{plan_options(device)};
  return without_gil([&] {
    LeafConfig of_stores = load_leaf_config(config, settings);
    use_stores(of_stores, stores);
    const LeafSums sums = sums_of_stores(of_stores, {part.index, part.count}, run);
    throw_if_interrupted();
    write_file(file, sums_file(sums));
    return static_cast<std::size_t>(sums.sums.rows());
  });
}

constexpr const char* kMergeDoc = R"(Merges complete stores of the same features into one.

stores: their folders. store: the folder to write; an older store is replaced.
Raises UsageError when the stores do not fit together, InputError when blocks are missing.)";

constexpr const char* kSumsDoc =
    R"(Sums rows of feature stores, so that several machines share a training.

stores: complete ones. file: to write, for train(..., sums=[...]). config, settings: those of the
    training. shard: (i, n), part i, counted from 0, of n parts of the rows.
Returns the number of rows. Raises UsageError for stores and configurations without a sum, InputError
when blocks are missing.)";

}  // namespace

void bind_extraction(py::module_& module) {
  using namespace pybind11::literals;
  const std::pair<std::size_t, std::size_t> all{0, 1};
  module.def("_extract", &extract, "images"_a, "labels"_a, "store"_a, "config"_a, "settings"_a,
             "source_aspect"_a, "family"_a, "order"_a, "resize"_a, "every_leaf"_a, "masks"_a,
             "values"_a, "shard"_a, "block"_a, "device"_a, "read"_a);
  module.def("merge_stores", &merge, "stores"_a, "store"_a, kMergeDoc);
  module.def("leaf_sums", &leaf_sums, "stores"_a, "file"_a, py::kw_only(), "config"_a = "leaf",
             "settings"_a = py::tuple(), "shard"_a = all, "device"_a = "cpu", kSumsDoc);
}

}  // namespace leafglyph::python
