// Leaf pictures as files.
#include "classify/leaf/leaf_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "datasets/leaf/class_folders.h"
#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/leaf/photograph.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

namespace fs = std::filesystem;

// mechanics: load_class_folders reads written leaves, pixel for pixel
TEST(LeafFiles, GeneratedLeavesAreClassFolders) {
  const TemporaryFolder folder;
  const SyntheticSpec spec{.species = 3, .leaves_per_species = 2, .seed = 5};
  std::size_t calls = 0;
  write_synthetic_leaves(spec, folder.path(), [&](std::size_t) { ++calls; });
  EXPECT_EQ(calls, 6u);
  const LeafDataset files = load_class_folders(folder.path());
  const LeafDataset drawn = synthetic_leaves(spec);
  EXPECT_EQ(files.samples.size(), 6u);
  std::vector<std::string> names = drawn.class_names;
  std::sort(names.begin(), names.end());
  EXPECT_EQ(files.class_names, names);
  const Image<std::uint8_t> read =
      decode_image(folder.path() / drawn.class_names[0] / "0001.png").grey;
  EXPECT_TRUE(std::ranges::equal(
      read.pixels(), draw_synthetic_leaf(/*species=*/0, /*leaf=*/0, spec.seed).pixels()));
  EXPECT_THROW(write_synthetic_leaves(spec, "/proc/leaves"), Error);
}

// mechanics: generated leaves are overwritten, whatever their number, seed and colours, also beside
// the leftovers of a killed writer.
TEST(LeafFiles, DrawnLeavesAreDrawnOver) {
  const TemporaryFolder folder;
  const fs::path leaves = folder.path() / "leaves";
  write_synthetic_leaves({.species = 2, .leaves_per_species = 2, .seed = 5}, leaves);
  fs::create_directory(leaves / "an empty folder");
  folder.write("leaves/.0001.png.partial-123456", "half a picture");
  write_synthetic_leaves({2, 1, 6, DrawnColours::kLamps}, leaves);
  write_synthetic_leaves({2, 1, 6, DrawnColours::kLamps}, leaves);
  const std::string species = synthetic_leaves({.species = 1}).class_names[0];
  const Photograph drawn = draw_synthetic_leaf(0, 0, 6, DrawnColours::kLamps);
  EXPECT_EQ(read_photograph(leaves / species / "0001.png").colour, drawn.colour);
}

// mechanics: a folder with any other file is refused before anything is drawn, and the file is
// named.
TEST(LeafFiles, NothingIsDrawnBesideOtherFiles) {
  const auto expect_refused = [](const std::string& file, const std::string& bytes,
                                 const std::string& named) {
    const TemporaryFolder folder;
    write_synthetic_leaves({.species = 1, .leaves_per_species = 1, .seed = 5}, folder.path());
    fs::create_directories((folder.path() / file).parent_path());
    folder.write(file, bytes);
    const auto before = std::distance(fs::recursive_directory_iterator(folder.path()), {});
    EXPECT_TRUE(refuses(
        [&] { write_synthetic_leaves({.species = 3, .leaves_per_species = 1}, folder.path()); },
        "holds '" + named + "', which is not a drawn leaf"));
    EXPECT_EQ(std::distance(fs::recursive_directory_iterator(folder.path()), {}), before);
    EXPECT_EQ(read_file(folder.path() / file), bytes);
  };
  const std::string species = synthetic_leaves({.species = 1}).class_names[0];
  const std::string other = encode_png({2, 2, 1, std::vector<std::uint8_t>(4)});
  for (const std::string file : {"oak/0001.png", "photo.png", "notes.txt"}) {
    expect_refused(file, other, file);
  }
  const std::string own = species + "/0001.png", more = species + "/0002.png";
  expect_refused(own, other, own);  // somebody's file in the place of a drawn one
  expect_refused(more, encode_png({2, 2, 1, std::vector<std::uint8_t>(4)}, "scan"), more);
  expect_refused(species + "/deeper/0001.png", "", species + "/deeper");
}

// regression: an old picture was lost if the new one could not be written
TEST(LeafFiles, APictureThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const TemporaryFolder folder;
  const SyntheticSpec spec{.species = 1, .leaves_per_species = 1};
  const fs::path picture = folder.path() / synthetic_leaves(spec).class_names[0] / "0001.png";
  fs::create_directories(picture);
  EXPECT_TRUE(refuses([&] { write_synthetic_leaves(spec, folder.path()); }, "0001.png"));
  const fs::path species = picture.parent_path();
  EXPECT_EQ(std::distance(fs::directory_iterator(species), {}), 1);
}

// mechanics: the stages of a preparation are written as images of their sizes
TEST(LeafFiles, StagesAreWritten) {
  const TemporaryFolder folder;
  StageFiles stages(folder.path() / "stages", "oak");
  EXPECT_FALSE(fs::exists(folder.path() / "stages"));
  prepare_leaf(draw_synthetic_leaf(0, 0, 1), "oak", {}, &stages);
  for (const std::string stage : {"1-grey", "2-binary", "3-leaf", "4-prepared"}) {
    const auto picture = decode_image(folder.path() / "stages" / ("oak-" + stage + ".png")).grey;
    EXPECT_EQ(picture.width(), stage == "4-prepared" ? 256 : 640) << stage;
  }
}

// mechanics: files of the same name keep as many of their folders' names as necessary
TEST(LeafFiles, StemsAreDistinct) {
  using Paths = std::vector<fs::path>;
  using GivenNames = std::vector<std::string>;
  const auto stems = [](const Paths& files) { return distinct_stems(files); };
  EXPECT_EQ(stems({"a/1.png", "b/2.png"}), (GivenNames{"1", "2"}));
  EXPECT_EQ(stems({"a/1.png", "b/1.png", "b/2.png"}), (GivenNames{"a-1", "b-1", "b-2"}));
  EXPECT_EQ(stems({"x/a/1.png", "y/a/../a/1.png"}), (GivenNames{"x-a-1", "y-a-1"}));
  EXPECT_EQ(stems({"/1.png", "/a/1.png"}), (GivenNames{"1", "a-1"}));
  EXPECT_EQ(stems({"/p/a-b/1.png", "/q/a/b-1.png", "/q/c/1.png"}),
            (GivenNames{"p-a-b-1", "q-a-b-1", "q-c-1"}));
  EXPECT_THROW(stems({"a/1.png", "a/1.jpg"}), UsageError);
  EXPECT_THROW(stems({"a/1.png", "b/../a/1.png"}), UsageError);
}

}  // namespace
}  // namespace leafglyph
