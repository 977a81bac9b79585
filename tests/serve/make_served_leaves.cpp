// Makes the leaves and the models that the tests of the page share, in a folder that it empties
// first. Usage: make_served_leaves FOLDER
#include <filesystem>

#include "tests/serve/training_page.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  std::filesystem::remove_all(folder);
  leafglyph::testing::LeavesWithModel::write_to(folder);
  leafglyph::testing::trained_on_page(leafglyph::testing::LeavesWithModel(folder));
}
