
#include "classify/leaf/leaf_config.h"
#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch.h"
#include "tests/support/small_leaf_config.h"

namespace leafglyph::fuzz {
namespace {

std::vector<std::string> leaf_config_seeds() {
  return {kSmallConfig, "data: {source: folders, path: photographs}\nprotocol: {kind: auto}\n",
          "base: leaf.yaml\nfeatures: {order: 10}\n"};
}

// A configuration must be the same after it is written and read back.
void read_leaf_config(std::string_view bytes) {
  const LeafConfig config = parse_leaf_config(bytes, "leaf.yaml");
  const std::string written = to_yaml(config);
  if (to_yaml(parse_leaf_config(written, "written.yaml")) != written) {
    throw std::logic_error("a configuration is read otherwise than it was written");
  }
}

std::vector<std::string> csv_seeds() {
  return {"path,label\n\"a, \"\"b\"\".jpg\",oak\nc.jpg,elm\n",
          "folder,common_name,scientific_name\noak,oak,Quercus robur\nelm,elm,Ulmus\n"};
}

void read_csv(std::string_view bytes) {
  const auto file = scratch_file("leaves.csv", bytes);
  LeafDataset dataset;
  dataset.class_names = {"oak", "elm"};
  dataset.scientific_names = {"", ""};
  dataset.chinese_names = {"", ""};
  try {
    read_species_names(file, {"oak", "elm"}, dataset);
  } catch (const Error&) {  // the other form is read, too
  }
  load_csv(file);
}

}  // namespace

std::vector<FuzzTarget> text_targets() {
  return {{"leaf_config", read_leaf_config, leaf_config_seeds}, {"csv", read_csv, csv_seeds}};
}

}  // namespace leafglyph::fuzz
