// A page served with a data folder, with its requests for models and trainings.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "features/base/input_file.h"
#include "tests/serve/served_page.h"
#include "tests/serve/zip_of.h"

namespace leafglyph::testing {

/// A page served with a data folder, and its requests for training.
class TrainingPage {
 public:
  explicit TrainingPage(const std::filesystem::path& data,
                        const std::vector<std::filesystem::path>& models = {})
      : page_(options_on(data, models, &warnings_)) {}

  Reply send(const std::string& path, const std::string& body = "") const {
    return testing::post(page_.port(), "/api/v1/training/" + path, body);
  }
  Reply get(const std::string& path) const { return testing::get(page_.port(), "/api/v1/" + path); }
  nlohmann::json state() const { return nlohmann::json::parse(get("training").body); }
  /// The state after everything has finished.
  nlohmann::json end() const {
    nlohmann::json now = state();
    while (now["phase"] == "running") {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      now = state();
    }
    return now;
  }
  std::set<std::string> models() const {
    std::set<std::string> names;
    const nlohmann::json json = nlohmann::json::parse(get("models").body);
    for (const nlohmann::json& model : json["models"]) names.insert(model["name"]);
    return names;
  }
  int port() const { return page_.port(); }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static ServeOptions options_on(const std::filesystem::path& data,
                                 const std::vector<std::filesystem::path>& models,
                                 std::vector<std::string>* warnings) {
    ServeOptions options;
    options.data = data;
    options.models = models;
    options.glyph_cache.clear();
    options.run.warn = [warnings](const std::string& line) { warnings->push_back(line); };
    return options;
  }

  std::vector<std::string> warnings_;
  ServedPage page_;
};

inline std::pair<std::string, std::string> error_of(const Reply& reply) {
  const nlohmann::json error = nlohmann::json::parse(reply.body)["error"];
  return {error["kind"], error["message"]};
}

/// The photographs of the first species in a folder, as an archive.
inline std::string archive_of(const std::filesystem::path& leaves, std::size_t species,
                              std::size_t of_each) {
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(leaves)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".png") continue;
    const std::string name = std::filesystem::relative(entry.path(), leaves).string();
    files[name.substr(0, name.find('/'))].emplace_back(name, read_file(entry.path()));
  }
  std::vector<std::pair<std::string, std::string>> chosen;
  for (auto& [name, of_species] : files) {
    if (species-- == 0) break;
    std::ranges::sort(of_species);
    of_species.resize(std::min(of_each, of_species.size()));
    chosen.insert(chosen.end(), of_species.begin(), of_species.end());
  }
  return zip_of(chosen);
}

/// The model that a page trains on archive_of(leaves, 3, 4), beside the leaves; made when it is
/// first asked for.
inline std::filesystem::path trained_on_page(const LeavesWithModel& leaves) {
  const std::filesystem::path data = leaves.model().parent_path() / "page";
  const std::filesystem::path model = data / "models/mine";
  if (std::filesystem::exists(model)) return model;
  const TrainingPage page(data);
  page.send("begin");
  page.send("archive", archive_of(leaves.leaves(), 3, 4));
  page.send("run?name=mine");
  const nlohmann::json state = page.end();
  if (state["phase"] != "done") throw std::runtime_error("no model was trained: " + state.dump());
  return model;
}

/// Tests of pages with a data folder of their own, and with drawn leaves and a model of them, which
/// all tests share.
class TrainingPageTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { leaves_ = leaves_to_read(); }
  static void TearDownTestSuite() { leaves_.reset(); }

  static std::string archive(std::size_t species = 6, std::size_t of_each = 8) {
    return archive_of(leaves_->leaves(), species, of_each);
  }
  /// Where the user's own model with that name is.
  std::filesystem::path own(const std::string& name) const {
    return data_.path() / "models" / name;
  }

  inline static std::unique_ptr<LeavesWithModel> leaves_;
  TemporaryFolder data_;
};

}  // namespace leafglyph::testing
