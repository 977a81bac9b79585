#include <nlohmann/json.hpp>

#include "classify/classifier/row_projection.h"
#include "classify/extraction/image_list.h"
#include "classify/extraction/image_stream.h"
#include "classify/extraction/recipe.h"
#include "classify/index/feature_index.h"
#include "classify/index/index_prediction.h"
#include "classify/store/feature_store.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/base/sha256.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/archive_of.h"
#include "tests/support/rows_of_classes.h"

namespace leafglyph::fuzz {
namespace {

namespace fs = std::filesystem;

// A store of five rows, one of which failed, in two blocks.
fs::path small_store() {
  fs::path folder = scratch_folder() / "store-written";
  if (fs::exists(folder)) return folder;
  ImageList images;
  for (const char* name : {"a.png", "b.png", "c.png", "d.png", "e.png"}) images.add(name, "oak");
  MomentRecipe recipe;
  recipe.spec.order = 4;
  recipe.resize = 32;
  StoreHeader header = moment_recipe(recipe).header;
  header.device = "cpu";
  header.block = 3;
  header.inputs = images.size();
  header.list_sha256 = images.digest();
  header.classes = images.classes();
  header.scientific_names.resize(header.classes.size());
  header.chinese_names.resize(header.classes.size());
  const FeatureStore store = FeatureStore::begin(folder, header);
  for (std::size_t b = 0; b < header.blocks(); ++b) {
    StoreBlock block;
    for (std::size_t r = 0; r < header.inputs_of(b); ++r) {
      const std::size_t i = 3 * b + r;
      StoreRow& row = block.rows.emplace_back();
      row.image = i;
      row.path = images.path(i);
      row.label = images.label(i);
      for (std::size_t c = 0; c < header.columns.size(); ++c) {
        block.values.push_back(static_cast<float>((7 * i + 3 * c) % 11));
      }
    }
    store.write_block(b, block);
  }
  return folder;
}

const Files& store_base() {
  static const Files kBase = files_in(small_store());
  return kBase;
}

void read_store(std::string_view bytes) {
  const auto store =
      FeatureStore::open(scratch_files("store", with_fuzzed_file(store_base(), bytes)));
  for (std::size_t b = 0; b < std::min<std::size_t>(store.header().blocks(), 4); ++b) {
    if (store.has_block(b)) store.read_block(b);
  }
  recipe_of(store.header(), "store");
}

// Of rows of eight classes.
std::vector<std::string> projection_seeds() {
  std::vector<int> labels;
  FeatureTable table = rows_of_classes(8, 10, /*seed=*/5, labels);
  table.prior = prior_of_classes();
  const auto pipeline = FeaturePipeline::fit(table, labels, pipeline_of_classes());
  return {RowProjection(pipeline, table.layout, 3).bytes()};
}

void read_projection(std::string_view bytes) {
  std::vector<int> labels;
  const FeatureTable rows = rows_of_classes(2, 2, /*seed=*/6, labels);
  RowProjection(bytes, rows.layout, "projection").apply(rows.values);
}

const Files& index_base() {
  static const Files kBase = [] {
    const fs::path folder = scratch_folder() / "index-written";
    const FeatureStore store = FeatureStore::open(small_store());
    FeatureIndex::build({&store, 1}, {IndexType::kIvf, /*lists=*/2, /*recall=*/1.0}, folder);
    return files_in(folder);
  }();
  return kBase;
}

// The digests of FAISS's own files are kept: FAISS never reads fuzzed files.
void read_index(std::string_view bytes) {
  std::string which;
  Files files = with_fuzzed_file(index_base(), bytes, &which);
  if (which == "scaling.npy") {
    auto json = nlohmann::json::parse(files["index.json"]);
    json["sha256"][which] = sha256(files[which]);
    files["index.json"] = json.dump();
  }
  const FeatureIndex index = FeatureIndex::open(scratch_files("index", files));
  const std::vector<float> query(index.header().columns.size(), 0.5F);
  predict(index, query, 3);
}

std::vector<std::string> list_seeds() {
  return {"a.png\nb/c.jpg\n", "path,label\na.png,oak\n\"b, c.png\",\"field \"\"maple\"\"\"\n"};
}

void read_list(std::string_view bytes) {
  ImageInputs inputs;
  inputs.labels = scratch_file("labels.csv", bytes).string();
  try {
    list_images(inputs);
  } catch (const Error&) {  // the other form is read, too
  }
  ImageInputs listed;
  listed.list = scratch_file("list.txt", bytes).string();
  list_images(listed).list.digest();
}

std::vector<std::string> member_seeds() {
  std::vector<std::string> seeds = {testing::tar_header("oak/a.png", 100'000'000'000)};
  for (const char* name : {"a.tar", "a.tar.gz", "a.tar.zst", "a.zip"}) {
    const std::string file = (scratch_folder() / name).string();
    testing::write_archive(file, {{"./oak/a.png", "no image"},
                                  {"oak/link.png", "", AE_IFLNK, "/etc/passwd"},
                                  {"../b.png", "outside"},
                                  {"elm/c.png", std::string(2000, 'c')}});
    seeds.push_back(read_file(file));
  }
  return seeds;
}

void use_members(ListedImages images) {
  for (std::size_t i = 0; i < images.list.size(); ++i) {
    try {
      images.list.read(i);
    } catch (const Error&) {  // others can be read
    }
  }
  ImageStream stream(images);
  for (std::size_t i = 0; stream.arrive(i); ++i) {
    try {
      stream.take(i);
    } catch (const Error&) {
    }
  }
}

// Both as what it is and, compressed, as a stream.
void read_members(std::string_view bytes) {
  ImageInputs inputs;
  inputs.paths = {scratch_file("members.tar", bytes).string()};
  ListedImages images = list_images(inputs);
  if (images.streams.empty()) images.streams = {{images.list.size(), inputs.paths[0]}};
  use_members(std::move(images));
}

}  // namespace

std::vector<FuzzTarget> store_targets() {
  return {{"store", read_store, [] { return inputs_of(store_base()); }},
          {"projection", read_projection, projection_seeds},
          {"index", read_index, [] { return inputs_of(index_base()); }},
          {"list", read_list, list_seeds},
          {"members", read_members, member_seeds}};
}

}  // namespace leafglyph::fuzz
