#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "datasets/leaf/class_folders.h"
#include "datasets/leaf/flavia.h"
#include "datasets/leaf/leaf_dataset.h"
#include "datasets/leaf/synthetic_leaves.h"
#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/leaf/preprocess.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;
using testing::TemporaryFolder;
using testing::write_bytes;

void make_file(const std::filesystem::path& file) {
  std::filesystem::create_directories(file.parent_path());
  write_bytes(file, {'x'});
}

void make_flavia(const std::filesystem::path& folder) {
  for (const FlaviaSpecies& species : flavia_species()) {
    for (int number = species.first; number <= species.last; ++number) {
      make_file(folder / (std::to_string(number) + ".jpg"));
    }
  }
}

// oracle: the published counts: 1,907 images, 50 to 77 of each of 32 species, no overlap.
TEST(Flavia, TableOfSpecies) {
  std::set<std::string_view> names, chinese;
  int images = 0, before = 0;
  for (const FlaviaSpecies& species : flavia_species()) {
    const int count = species.last - species.first + 1;
    EXPECT_GT(species.first, before);
    EXPECT_GE(count, 50) << species.scientific_name;
    EXPECT_LE(count, 77) << species.scientific_name;
    names.insert(species.scientific_name);
    chinese.insert(species.chinese_name);
    images += count;
    before = species.last;
  }
  EXPECT_EQ(names.size(), 32u);
  EXPECT_EQ(chinese.size(), 32u);
  EXPECT_EQ(images, kFlaviaImages);
}

// mechanics: leaves are joined by number, in whatever order the folder lists them.
TEST(Flavia, JoinsByNumber) {
  const TemporaryFolder folder;
  make_flavia(folder.path());
  make_file(folder / "readme.txt");
  const LeafDataset dataset = load_flavia(folder.path());
  ASSERT_EQ(dataset.samples.size(), static_cast<std::size_t>(kFlaviaImages));
  for (const LeafSample& sample : dataset.samples) {
    const int number = std::stoi(sample.file.stem().string());
    const FlaviaSpecies& species = flavia_species()[static_cast<std::size_t>(sample.label)];
    EXPECT_GE(number, species.first);
    EXPECT_LE(number, species.last);
  }
  EXPECT_EQ(dataset.class_names[17], "ginkgo");
  EXPECT_EQ(dataset.scientific_names[17], "Ginkgo biloba");
  EXPECT_EQ(dataset.chinese_names[17], "银杏");
}

// mechanics: an incomplete folder, an unknown number and a missing folder are named.
TEST(Flavia, RefusesIncompleteFolders) {
  const TemporaryFolder folder;
  const auto load = [&] { load_flavia(folder.path()); };
  make_flavia(folder.path());
  std::filesystem::remove(folder / "1234.jpg");
  std::filesystem::remove(folder / "3621.jpg");
  EXPECT_NE(refusal<InputError>(load).find("2 of the 1907 Flavia images are missing (1234, 3621)"),
            std::string::npos)
      << refusal<InputError>(load);
  make_file(folder / "2614.jpg");
  EXPECT_NE(refusal<InputError>(load).find("2614.jpg: its number belongs to no Flavia species"),
            std::string::npos);
  EXPECT_NE(refusal<InputError>([&] { load_flavia(folder / "none"); }).find("cannot be read"),
            std::string::npos);
}

// mechanics: if the images are available, every one of them can be prepared.
TEST(Flavia, EveryImageCanBePrepared) {
  const char* folder = std::getenv("LEAFGLYPH_FLAVIA");
  if (folder == nullptr) GTEST_SKIP() << "LEAFGLYPH_FLAVIA does not name the Flavia images";
  const LeafDataset dataset = load_flavia(folder);
  std::vector<std::size_t> some;  // every eighth, to keep the suite fast
  for (std::size_t i = 0; i < dataset.samples.size(); i += 8) some.push_back(i);
  PrepareSpec spec;
  spec.source_aspect = 4.0 / 3.0;
  parallel_for(some.size(), [&](std::size_t i) {
    EXPECT_NO_THROW(prepare_file(dataset.samples[some[i]].file, spec));
  });
}

// mechanics: classes and files are sorted; hidden files and other files are left out.
TEST(ClassFolders, SortedByName) {
  const TemporaryFolder folder;
  for (const std::string name : {"oak/b.JPG", "oak/a.png", "oak/.hidden.png", "oak/notes.txt",
                                 "acer/c.tiff", ".git/d.png", "stray.png"}) {
    make_file(folder / name);
  }
  const LeafDataset dataset = load_class_folders(folder.path());
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"acer", "oak"}));
  ASSERT_EQ(dataset.samples.size(), 3u);
  EXPECT_EQ(dataset.samples[0].file, folder / "acer/c.tiff");
  EXPECT_EQ(dataset.samples[1].file, folder / "oak/a.png");
  EXPECT_EQ(dataset.samples[2].file, folder / "oak/b.JPG");
  EXPECT_EQ(dataset.samples[2].label, 1);
  EXPECT_EQ(sample_name(dataset, 0), (folder / "acer/c.tiff").string());
}

// mechanics: nested folders are classes named by their paths; skipped files are counted by kind,
// and the first one is named.
TEST(ClassFolders, FoldersOfFoldersAndWhatIsSkipped) {
  const TemporaryFolder folder;
  for (const std::string name : {"Quercus/robur/a.png", "Quercus/rubra/b.heic", "Quercus/notes.txt",
                                 "acer/c.png", "acer/read.me", "acer/old/d.png", "stray.png"}) {
    make_file(folder / name);
  }
  std::filesystem::create_directory_symlink(folder.path(), folder / "Quercus/loop");
  const LeafDataset dataset = load_class_folders(folder.path());
  EXPECT_EQ(dataset.class_names,
            (std::vector<std::string>{"Quercus robur", "Quercus rubra", "acer"}));
  ASSERT_EQ(dataset.samples.size(), 3u);
  EXPECT_EQ(dataset.samples[1].file, folder / "Quercus/rubra/b.heic");
  EXPECT_EQ(dataset.samples[1].label, 1);
  ASSERT_EQ(dataset.warnings.size(), 1u);
  EXPECT_EQ(dataset.warnings[0],
            folder.path().string() +
                ": skipped 1 .me, 1 .txt, 1 folders beside images, 1 images in no class; first: " +
                (folder / "Quercus/notes.txt").string());
  make_file(folder / "Quercus robur/e.png");
  EXPECT_NE(refusal<InputError>([&] { load_class_folders(folder.path()); }).find("'Quercus robur'"),
            std::string::npos);
}

// mechanics: every ending that is decoded counts, and folders that systems add do not
TEST(ClassFolders, TakeAllEndingsAndNoFoldersOfSystems) {
  const TemporaryFolder folder;
  for (const std::string name : {"oak/a.jfif", "oak/b.JPE", "oak/c.hif", "oak/d.avif", "oak/e.mpo",
                                 "oak/@eaDir/f.jpg", "oak/Thumbs.db", "__MACOSX/oak/._a.jpg"}) {
    make_file(folder / name);
  }
  const LeafDataset dataset = load_class_folders(folder.path());
  EXPECT_EQ(dataset.samples.size(), 5U);
  EXPECT_EQ(dataset.class_names, std::vector<std::string>{"oak"});
  EXPECT_TRUE(dataset.warnings.empty()) << dataset.warnings.front();
  make_file(folder / "oak/notes.txt");
  std::vector<std::string> warnings;
  EXPECT_EQ(images_in(folder.path().string(), &warnings).size(), 5U);
  EXPECT_EQ(warnings,
            std::vector<std::string>{folder.path().string() + ": skipped 1 .txt; first: " +
                                     (folder / "oak/notes.txt").string()});
}

// oracle: species.csv gives the names on its lines; folders without a line keep theirs and are
// counted. Lines for folders that do not exist, or have two lines, are refused with their number.
TEST(ClassFolders, NamesOfSpecies) {
  const TemporaryFolder folder;
  for (const std::string name : {"Quercus/robur/a.png", "acer/c.png", "birch/d.png"}) {
    make_file(folder / name);
  }
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "species.csv", std::ios::binary) << text;
  };
  write(
      "folder,scientific_name,common_name,chinese_name\n"
      "Quercus/robur,Quercus robur L.,\"oak, common\",夏栎\nacer,Acer campestre,,\n");
  const LeafDataset dataset = load_class_folders(folder.path());
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"oak, common", "acer", "birch"}));
  EXPECT_EQ(dataset.scientific_names,
            (std::vector<std::string>{"Quercus robur L.", "Acer campestre", ""}));
  EXPECT_EQ(dataset.chinese_names, (std::vector<std::string>{"夏栎", "", ""}));
  ASSERT_EQ(dataset.warnings.size(), 1u);
  EXPECT_NE(dataset.warnings[0].find("1 of 3 folders have no line; first: birch"),
            std::string::npos)
      << dataset.warnings[0];
  const auto refused = [&](const std::string& text) {
    write(text);
    return refusal<InputError>([&] { load_class_folders(folder.path()); });
  };
  const std::string head = "folder,common_name\n";
  EXPECT_NE(refused(head + "elm,elm\n").find("line 2: there is no folder 'elm'"),
            std::string::npos);
  EXPECT_NE(refused(head + "acer,a\nacer,b\n").find("line 3: the folder 'acer' comes twice"),
            std::string::npos);
  EXPECT_NE(refused(head + "acer,birch\n").find("line 2: two classes are called 'birch'"),
            std::string::npos);
  EXPECT_NE(refused("folder\nacer\n").find("line 1"), std::string::npos);
  write("folder,chinese_name\nacer,栓皮槭\n");
  EXPECT_EQ(load_class_folders(folder.path()).chinese_names[1], "栓皮槭");
  EXPECT_NE(refused(head + "acer\n").find("line 2: has 1 fields instead of 2"), std::string::npos);
}

// mechanics: what is refused, and how.
TEST(ClassFolders, RefusesEmptyFolders) {
  const TemporaryFolder folder;
  const auto load = [&] { load_class_folders(folder.path()); };
  EXPECT_NE(refusal<InputError>(load).find("has no subfolders"), std::string::npos);
  std::filesystem::create_directory(folder / "oak");
  EXPECT_NE(refusal<InputError>(load).find("oak: the class has no image"), std::string::npos);
  EXPECT_NE(
      refusal<InputError>([&] { load_class_folders(folder / "none"); }).find("cannot be read"),
      std::string::npos);
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// oracle: quoted fields, other columns, Windows line ends, relative and absolute paths.
TEST(LeafCsv, ReadsItsFields) {
  const TemporaryFolder folder;
  write_text(folder / "leaves.csv",
             "\xef\xbb\xbflabel,note,path,scientific_name,chinese_name\r\n"
             "\"oak, \"\"white\"\"\",x,leaf 1.png,Quercus alba,\r\n"
             "\r\n"
             "birch,\"two\nlines\",/data/2.png,,桦\r\n"
             "\"oak, \"\"white\"\"\",,sub/3.png,,美国白栎\r\n");
  const LeafDataset dataset = load_csv(folder / "leaves.csv");
  EXPECT_EQ(dataset.class_names, (std::vector<std::string>{"birch", "oak, \"white\""}));
  EXPECT_EQ(dataset.scientific_names, (std::vector<std::string>{"", "Quercus alba"}));
  EXPECT_EQ(dataset.chinese_names, (std::vector<std::string>{"桦", "美国白栎"}));
  ASSERT_EQ(dataset.samples.size(), 3u);
  EXPECT_EQ(dataset.samples[0].file, folder / "leaf 1.png");
  EXPECT_EQ(dataset.samples[0].label, 1);
  EXPECT_EQ(dataset.samples[1].file, "/data/2.png");
  EXPECT_EQ(dataset.samples[2].file, folder / "sub/3.png");
}

// mechanics: each error is reported with its line.
TEST(LeafCsv, RefusesFaultyFiles) {
  const TemporaryFolder folder;
  const auto error_of = [&](const std::string& text) {
    write_text(folder / "leaves.csv", text);
    return refusal<InputError>([&] { load_csv(folder / "leaves.csv"); });
  };
  EXPECT_NE(error_of("").find("the file is empty"), std::string::npos);
  EXPECT_NE(error_of("file,label\n").find("line 1: the first line must name"), std::string::npos);
  EXPECT_NE(error_of("path,label\n").find("lists no images"), std::string::npos);
  EXPECT_NE(error_of("path,label\na.png,x\nb.png\n").find("line 3: has 1 fields instead of 2"),
            std::string::npos);
  EXPECT_NE(error_of("path,label\na.png,\n").find("line 2: the path or the label is empty"),
            std::string::npos);
  EXPECT_NE(error_of("path,label\n\"a.png,x\n").find("no closing quote"), std::string::npos);
  EXPECT_NE(error_of("path,label,scientific_name\na,x,P q\nb,x,P r\n").find("line 3"),
            std::string::npos);
  EXPECT_NE(error_of("path,label,chinese_name\na,x,甲\nb,x,乙\n")
                .find("gives 'x' the Chinese name '乙', but it was '甲' before"),
            std::string::npos);
  EXPECT_NE(
      refusal<InputError>([&] { load_csv(folder / "none.csv"); }).find("there is no such file"),
      std::string::npos);
}

// invariant: the same seed draws the same leaf; another seed, leaf or species draws another one.
TEST(SyntheticLeaves, DependOnTheirSeedAlone) {
  const Image<std::uint8_t> leaf = draw_synthetic_leaf(3, 5, 11);
  const auto same = [&](const Image<std::uint8_t>& other) {
    return std::ranges::equal(leaf.pixels(), other.pixels());
  };
  EXPECT_TRUE(same(draw_synthetic_leaf(3, 5, 11)));
  EXPECT_FALSE(same(draw_synthetic_leaf(3, 5, 12)));
  EXPECT_FALSE(same(draw_synthetic_leaf(3, 6, 11)));
  EXPECT_FALSE(same(draw_synthetic_leaf(4, 5, 11)));
}

// mechanics: every species can be prepared whole, without a warning about the border or other
// leaves.
TEST(SyntheticLeaves, EverySpeciesCanBePrepared) {
  ASSERT_GE(synthetic_species_count(), 32);
  const LeafDataset dataset =
      synthetic_leaves({.species = synthetic_species_count(), .leaves_per_species = 2, .seed = 7});
  std::set<std::string> names(dataset.class_names.begin(), dataset.class_names.end());
  EXPECT_EQ(names.size(), dataset.class_names.size());
  for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
    const PreparedLeaf leaf = prepare_leaf(sample_photograph(dataset, i, /*source_aspect=*/0),
                                           sample_name(dataset, i), {});
    for (const std::string& warning : leaf.warnings) {
      EXPECT_EQ(warning.find("border"), std::string::npos) << sample_name(dataset, i);
      EXPECT_EQ(warning.find("several"), std::string::npos) << sample_name(dataset, i);
    }
  }
}

// mechanics: numbers out of range are refused
TEST(SyntheticLeaves, NumbersOutOfRangeAreRefused) {
  EXPECT_THROW(synthetic_leaves({.species = 0}), UsageError);
  EXPECT_THROW(synthetic_leaves({.species = 1000}), UsageError);
  EXPECT_THROW(synthetic_leaves({.leaves_per_species = 0}), UsageError);
  EXPECT_THROW(synthetic_leaves({.species = 1, .first = -1}), UsageError);
  EXPECT_THROW(synthetic_leaves({.species = 1, .first = synthetic_species_count()}), UsageError);
}

// agreement: species from another one on are those of the whole list.
TEST(SyntheticLeaves, MayBeginWithAnotherSpecies) {
  const LeafDataset all = synthetic_leaves({.species = 6, .leaves_per_species = 2});
  const LeafDataset last = synthetic_leaves({.species = 2, .leaves_per_species = 2, .first = 4});
  EXPECT_EQ(last.class_names, std::vector(all.class_names.begin() + 4, all.class_names.end()));
  EXPECT_TRUE(std::ranges::equal(sample_photograph(last, 3, 0).grey.pixels(),
                                 sample_photograph(all, 11, 0).grey.pixels()));
}

}  // namespace
}  // namespace leafglyph
