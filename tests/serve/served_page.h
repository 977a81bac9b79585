// A page served during a test, with a model of generated leaves.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_training.h"
#include "classify/serve/page_server.h"
#include "tests/serve/loopback_client.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph::testing {

/// Leaves of kSpecies species in files, and their model, made with a smaller version of
/// configs/leaf.yaml; and a place for the data of a page, of each object its own.
class LeavesWithModel {
 public:
  static constexpr int kSpecies = 6, kLeaves = 8;

  /// Makes the leaves and the model, which go with the object.
  LeavesWithModel() : files_(own_.path()) { write_to(files_); }
  /// Takes those that write_to() made in a folder, which stay.
  explicit LeavesWithModel(std::filesystem::path folder) : files_(std::move(folder)) {}

  static void write_to(const std::filesystem::path& folder) {
    const std::filesystem::path leaves = folder / kLeavesName;
    write_synthetic_leaves({kSpecies, kLeaves, /*seed=*/3}, leaves);
    const LeafConfig config = parse_leaf_config(
        "data: {source: folders, path: " + leaves.string() +
            "}\n"
            "preparation: {size: 64, area: 500, finder: best, background: auto}\n"
            "features: {order: 12, channels: [inverted, mask, gradient], measures: true}\n"
            "pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}\n"
            "classifier: {k: 5, metric: cosine, answered_share: 0.95}\n",
        "served.yaml");
    save_model(train_leaves(config, LeafRun{}).model, WriteLock(folder / kModelName));
  }

  std::filesystem::path leaves() const { return files_ / kLeavesName; }
  std::filesystem::path model() const { return files_ / kModelName; }
  std::filesystem::path data() const { return own_.path() / "data"; }
  std::filesystem::path kept() const { return data() / "leaves"; }

  /// A photograph of every species, in the order of their names.
  std::vector<std::filesystem::path> photographs() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(leaves())) {
      if (entry.is_regular_file() && entry.path().stem() == "0001") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

 private:
  static constexpr const char *kLeavesName = "leaves", *kModelName = "drawn.model";

  TemporaryFolder own_;
  std::filesystem::path files_;
};

/// For tests that change neither: the leaves and the model that ctest had made for all of them, in
/// the folder that LEAFGLYPH_SERVED_LEAVES names, or new ones.
inline std::unique_ptr<LeavesWithModel> leaves_to_read() {
  const char* folder = std::getenv("LEAFGLYPH_SERVED_LEAVES");
  return folder == nullptr ? std::make_unique<LeavesWithModel>()
                           : std::make_unique<LeavesWithModel>(folder);
}

/// Serves as long as it exists.
class ServedPage {
 public:
  explicit ServedPage(ServeOptions options) : server_(with_free_port(std::move(options))) {
    thread_ = std::thread([this] { server_.run(); });
    const std::string url = server_.url();  // "http://127.0.0.1:PORT/"
    port_ = std::stoi(url.substr(url.rfind(':') + 1));
  }
  ~ServedPage() {
    server_.stop();
    thread_.join();
  }
  ServedPage(const ServedPage&) = delete;
  ServedPage& operator=(const ServedPage&) = delete;

  int port() const { return port_; }
  const std::vector<HttpRoute>& routes() const { return server_.routes(); }

 private:
  static ServeOptions with_free_port(ServeOptions options) {
    options.port = 0;
    return options;
  }

  PageServer server_;
  std::thread thread_;
  int port_ = 0;
};

}  // namespace leafglyph::testing
