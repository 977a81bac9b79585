#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "classify/evaluation/protocol.h"
#include "classify/leaf/leaf_explain.h"
#include "classify/leaf/leaf_training.h"
#include "classify/leaf/model_folder.h"
#include "features/base/input_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/small_leaf_config.h"

namespace leafglyph::fuzz {
namespace {

namespace fs = std::filesystem;

const Files& model_base() {
  static const Files kBase = [] {
    const fs::path folder = scratch_folder() / "model-written";
    save_model(train_leaves(small_config(), LeafRun{}).model, WriteLock(folder));
    return files_in(folder);
  }();
  return kBase;
}

// The files with a manifest that contains `facts` and their digests, so that fuzzing reaches the
// code behind the checks.
Files with_manifest(Files files, nlohmann::json facts) {
  for (const char* key : {"format", "version", "sha256", "manifest_sha256"}) facts.erase(key);
  files.erase(kModel.facts);
  for (auto& [name, bytes] : files) {
    if (!files.contains(name + std::string(kDigests))) continue;
    const std::string_view pieces[] = {bytes};
    files[name + std::string(kDigests)] = CheckedFile::digests_of(pieces);
  }
  files[kModel.facts] = record_facts(kModel, std::move(facts), files);
  return files;
}

void read_model(std::string_view bytes) {
  Files files = with_fuzzed_file(model_base(), bytes);
  const auto facts =
      nlohmann::json::parse(files[kModel.facts], nullptr, /*allow_exceptions=*/false);
  if (facts.is_object()) files = with_manifest(std::move(files), facts);
  const LeafModel model = load_model(scratch_files("model", files));
  if (model.classifier.labels().size() > 200) return;
  for (std::size_t leaf = 0; leaf < model.sample_names.size(); ++leaf) {
    model.sample_names[leaf];
    model.pictures[leaf];
  }
  const auto first = model.features.table().row(0);
  const FeatureTable query{model.features.layout(), {first.begin(), first.end()}};
  for (const Prediction& prediction : model.classifier.predict(query, 3)) {
    for (const RankedClass& ranked : prediction.ranking) {
      if (ranked.label < 0 || static_cast<std::size_t>(ranked.label) >= model.class_names.size() ||
          !std::isfinite(ranked.score)) {
        std::abort();  // not a valid prediction
      }
    }
  }
  PartClassifiers(model).predictions(query);
}

constexpr const char* kLeaves[] = {"oak/1.jpg", "oak/2.jpg", "elm/1.jpg", "elm/2.jpg"};

std::vector<std::string> names_of_leaves() { return {std::begin(kLeaves), std::end(kLeaves)}; }

std::vector<std::string> split_seeds() {
  const fs::path file = scratch_folder() / "splits-written.json";
  SavedSplits saved;
  saved.splits = {{{0, 2}, {1, 3}}, {{1, 2}, {0, 3}}};
  save_splits(saved, names_of_leaves(), file);
  return {read_file(file)};
}

void read_splits(std::string_view bytes) {
  load_splits(scratch_file("splits.json", bytes), names_of_leaves());
}

}  // namespace

std::vector<FuzzTarget> model_targets() {
  return {{"model", read_model, [] { return inputs_of(model_base()); }},
          {"splits", read_splits, split_seeds}};
}

}  // namespace leafglyph::fuzz
