// Tests of `leafglyph features ...`: a few drawn leaves, a file that is not an image, and a quick
// configuration.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "classify/leaf/leaf_files.h"
#include "features/base/input_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {

class FeaturesCommandTest : public CommandTest {
 protected:
  FeaturesCommandTest() : CommandTest("features") {
    folder_.write("small.yaml",
                  "data: {source: folders, path: leaves}\n"
                  "preparation: {size: 64, area: 500}\n"
                  "features: {order: 6, channels: [grey, rounded], measures: true}\n"
                  "pipeline: {scaling: standardise}\n"
                  "classifier: {k: 3}\n"
                  "protocol: {train: 4, test: 2, repeats: 2}\n");
    write_synthetic_leaves({3, 6, 1}, folder_.path() / "leaves");
    folder_.write("leaves/bad.png", "not an image");
  }

  std::string extract(const std::string& store, const std::string& more = "", int block = 4) const {
    return "extract " + at("leaves") + " --config " + at("small.yaml") + " --out " + at(store) +
           " --quiet --block " + std::to_string(block) + " " + more;
  }

  // All files of a store, by name.
  std::map<std::string, std::string> files(const std::string& store) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(at(store))) {
      files[entry.path().filename().string()] = read_file(entry.path());
    }
    return files;
  }
};

}  // namespace leafglyph
