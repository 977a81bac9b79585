// A page served during a test, with a model of generated leaves.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "classify/leaf/leaf_files.h"
#include "classify/leaf/leaf_training.h"
#include "classify/serve/page_server.h"
#include "tests/serve/loopback_client.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph::testing {

/// Leaves of kSpecies species in files, and their model, made with a smaller version of
/// configs/leaf.yaml.
class LeavesWithModel {
 public:
  static constexpr int kSpecies = 6, kLeaves = 8;

  LeavesWithModel() {
    write_synthetic_leaves({kSpecies, kLeaves, /*seed=*/3}, leaves());
    const LeafConfig config = parse_leaf_config(
        "data: {source: folders, path: " + leaves().string() +
            "}\n"
            "preparation: {size: 64, area: 500, finder: best, background: auto}\n"
            "features: {order: 12, channels: [inverted, mask, gradient], measures: true}\n"
            "pipeline: {values: log-magnitude, log_floor: 0.03, projection: plda}\n"
            "classifier: {k: 5, metric: cosine, answered_share: 0.95}\n",
        "served.yaml");
    save_model(train_leaves(config, LeafRun{}).model, WriteLock(model()));
  }

  std::filesystem::path leaves() const { return folder_.path() / "leaves"; }
  std::filesystem::path model() const { return folder_.path() / "drawn.model"; }
  std::filesystem::path data() const { return folder_.path() / "data"; }
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
  TemporaryFolder folder_;
};

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
