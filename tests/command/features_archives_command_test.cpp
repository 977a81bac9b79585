// End to end: `leafglyph features extract` of the images in archives.
#include <algorithm>
#include <cstdlib>
#include <set>

#include "classify/store/feature_store.h"
#include "tests/support/archive_of.h"
#include "tests/support/features_command.h"
#include "tests/support/grey_bmp.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::ArchiveMember;

class ArchivesCommandTest : public FeaturesCommandTest {
 protected:
  // The files of the folder of leaves, in the order of their paths; bad.png is not an image.
  std::vector<ArchiveMember> leaves() const {
    std::set<std::string> paths;
    for (const auto& entry : fs::recursive_directory_iterator(at("leaves"))) {
      if (entry.is_regular_file()) paths.insert(entry.path().string());
    }
    std::vector<ArchiveMember> members;
    members.reserve(paths.size());
    for (const std::string& path : paths) {
      members.push_back({path.substr(at("leaves/").size()), read_file(path)});
    }
    return members;
  }
  Outcome extract_of(const std::string& inputs, const std::string& store,
                     const std::string& more = "") const {
    return run("extract " + inputs + " --order 6 --resize 32 --block 4 --quiet --out " + at(store) +
               " " + more);
  }
  std::vector<StoreRow> rows(const std::string& store) const {
    const FeatureStore opened = FeatureStore::open(at(store));
    std::vector<StoreRow> all;
    for (std::size_t b = 0; b < opened.header().blocks(); ++b) {
      for (StoreRow& row : opened.read_rows(b)) all.push_back(std::move(row));
    }
    return all;
  }
  // Expects the numbers of one store in another, and rows that differ by where the images are.
  void expect_alike(const std::string& folder_store, const std::string& store,
                    const std::string& prefix) const {
    const FeatureStore one = FeatureStore::open(at(folder_store));
    const FeatureStore other = FeatureStore::open(at(store));
    ASSERT_EQ(one.header().blocks(), other.header().blocks());
    for (std::size_t b = 0; b < one.header().blocks(); ++b) {
      const auto bytes = [&](const std::string& of) {
        return files(of).at("0000000" + std::to_string(b) + ".npy");
      };
      EXPECT_EQ(bytes(folder_store), bytes(store)) << store;
    }
    std::vector<StoreRow> expected = rows(folder_store);
    for (StoreRow& row : expected) row.path.replace(0, at("leaves/").size(), prefix);
    EXPECT_EQ(expected, rows(store)) << store;
  }
};

// agreement: the images of an archive give the rows of the same images in a folder, with labels by
// their folders, to the last bit; in shards and by a run that completes another's store, too.
TEST_F(ArchivesCommandTest, ArchivesGiveTheRowsOfTheirFolder) {
  ASSERT_EQ(extract_of(at("leaves"), "folder").code, 5);
  for (const std::string name : {"a.tar", "a.zip", "a.tar.gz", "a.tar.zst"}) {
    testing::write_archive(at(name), leaves());
    const Outcome made = extract_of(at(name), name + ".store", "--threads 3");
    EXPECT_EQ(made.code, 5) << made.error;
    EXPECT_NE(made.out.find("19 images, 1 failed, 16 columns; 5 of 5 blocks present"),
              std::string::npos)
        << made.out;
    expect_alike("folder", name + ".store", at(name) + "/");
  }
  for (const std::string name : {"a.tar", "a.zip"}) {
    for (const char* shard : {"1/2", "0/2"}) {
      const int code = extract_of(at(name), name + ".shards", "--shard " + std::string(shard)).code;
      EXPECT_TRUE(code == 0 || code == 5) << name << shard;
    }
    EXPECT_EQ(files(name + ".store"), files(name + ".shards"));
    fs::remove(at(name + ".shards/00000001.npy"));
    fs::remove(at(name + ".shards/00000004.csv"));
    EXPECT_EQ(extract_of(at(name), name + ".shards").code, 0);
    EXPECT_EQ(files(name + ".store"), files(name + ".shards"));
  }
  // Several inputs, of which each is an archive, in their order.
  std::vector<ArchiveMember> halves = leaves();
  const std::vector<ArchiveMember> second(halves.begin() + 9, halves.end());
  halves.resize(9);
  testing::write_archive(at("0.tar"), halves);
  testing::write_archive(at("1.tar"), second);
  folder_.write("list.txt", at("0.tar") + "\n" + at("1.tar") + "\n");
  EXPECT_EQ(extract_of(at("0.tar") + " " + at("1.tar"), "several").code, 5);
  EXPECT_EQ(extract_of("--list " + at("list.txt"), "listed").code, 5);
  EXPECT_EQ(files("several"), files("listed"));
  EXPECT_EQ(files("several").at("00000003.npy"), files("folder").at("00000003.npy"));
}

// mechanics: standard input and compressed tars, also beside others, become a store in one run; a
// shard of them, and a second run, are refused.
TEST_F(ArchivesCommandTest, StreamsAreReadOnce) {
  std::vector<ArchiveMember> members = leaves();
  testing::write_archive(at("a.tar"), members);
  testing::write_archive(at("a.tar.gz"), members);
  ASSERT_EQ(extract_of(at("leaves"), "folder").code, 5);
  EXPECT_EQ(extract_of("- < " + at("a.tar"), "piped").code, 5);
  expect_alike("folder", "piped", "");
  EXPECT_EQ(extract_of("- < " + at("a.tar.gz"), "unzipped").code, 5);
  EXPECT_EQ(files("piped"), files("unzipped"));
  expect_refused(extract_of("- < " + at("a.tar"), "piped"), 2, "become a store in one run");
  expect_refused(extract_of("- < " + at("a.tar"), "x", "--shard 0/2"), 2, "a shard needs inputs");
  expect_refused(extract_of(at("a.tar.gz"), "x", "--shard 1/2"), 2, "a shard needs inputs");
  expect_refused(extract_of("- --list - < " + at("a.tar"), "x"), 2, "give one -");
  const std::string leaf_path = at("leaves/" + members[1].name), leaf = "'" + leaf_path + "'";
  EXPECT_EQ(extract_of(leaf + " " + at("a.tar.gz") + " " + leaf, "mixed").code, 5);
  const std::vector<StoreRow> mixed = rows("mixed");
  ASSERT_EQ(mixed.size(), 21U);
  EXPECT_EQ(mixed.front().path, leaf_path);
  EXPECT_EQ(mixed.back().path, leaf_path);
  EXPECT_EQ(mixed[2].file, mixed.back().file);
  testing::write_archive(at("none.tar.gz"), {{"notes.txt", "nothing"}});
  expect_refused(extract_of(at("none.tar.gz"), "x"), 3, "there is no image");
  folder_.write("text.tar", "no archive at all");
  expect_refused(extract_of(at("text.tar"), "x"), 3, "is not a tar or zip archive");
  expect_refused(extract_of("- < " + at("text.tar"), "x"), 3, "is not a tar or zip archive");
  expect_refused(extract_of(at("missing.zip"), "x"), 3, "there is no such file");
}

// mechanics: a compressed tar whose store is complete is compared with it and leaves it as it is;
// one with other images, names, labels or columns is refused, as is a store that lacks a block.
TEST_F(ArchivesCommandTest, ACompleteStoreOfAStreamIsLeftAsItIs) {
  std::vector<ArchiveMember> members = leaves();
  testing::write_archive(at("a.tar.gz"), members);
  const std::string leaf = "'" + at("leaves/" + members[1].name) + "' ";
  ASSERT_EQ(extract_of(leaf + at("a.tar.gz"), "a").code, 5);
  const auto before = files("a");
  const Outcome again = extract_of(leaf + at("a.tar.gz"), "a");
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_NE(again.out.find("0 images, 0 failed, 16 columns; 5 of 5 blocks"), std::string::npos);
  EXPECT_EQ(files("a"), before);
  expect_refused(extract_of(at("a.tar.gz"), "a"), 2, "differ in the");
  expect_refused(extract_of(leaf + at("a.tar.gz") + " " + leaf, "a"), 2, "differ in the");
  expect_refused(run("extract " + leaf + at("a.tar.gz") + " --order 7 --out " + at("a")), 2,
                 "differ in the");
  std::swap(members[5].bytes, members[6].bytes);
  testing::write_archive(at("a.tar.gz"), members);
  expect_refused(extract_of(leaf + at("a.tar.gz"), "a"), 3,
                 members[5].name + ": has changed since block 1");
  EXPECT_EQ(files("a"), before);
  fs::remove(at("a/00000001.npy"));
  expect_refused(extract_of(leaf + at("a.tar.gz"), "a"), 2, "become a store in one run");
}

// mechanics: an image of a size that has no such moments is a failed row, and the others are not.
TEST_F(ArchivesCommandTest, ImagesWithoutMomentsAreRows) {
  fs::create_directory(at("two"));
  write_grey_bmp(at("two/1.bmp"), Image<std::uint8_t>(4, 4));
  write_grey_bmp(at("two/2.bmp"), Image<std::uint8_t>(40, 40));
  const Outcome made = run("extract " + at("two") + " --order 4 --centre 30,30 --out " + at("s"));
  EXPECT_EQ(made.code, 5) << made.error;
  ASSERT_EQ(rows("s").size(), 2U);
  EXPECT_EQ(rows("s")[0].state, RowState::kFailed);
  EXPECT_NE(rows("s")[0].warnings.find("no pixel of an image of 4 x 4"), std::string::npos);
  EXPECT_EQ(rows("s")[1].state, RowState::kOk);
}

// mechanics: nothing is unpacked. Links, devices and names that lead out of the archive are skipped
// and counted; a member of 100 GB is a row that was never read.
TEST_F(ArchivesCommandTest, StrangeMembersAreSaidAndNeverFollowed) {
  const std::string leaf = leaves().at(1).bytes;
  const std::vector<ArchiveMember> members = {
      {"./oak/\u6a61.png", leaf},     {"oak/.hidden.png", leaf},
      {"oak/notes.txt", leaf},        {"oak/link.png", "", AE_IFLNK, "/etc/passwd"},
      {"oak/pipe.png", "", AE_IFIFO}, {"oak/other.png", "", AE_IFREG, "", "oak/2.png"},
      {"../outside.png", leaf},       {"oak/../../outside.png", leaf},
      {"/outside.png", leaf}};
  testing::write_archive(at("a.tar"), members);
  testing::write_archive(at("a.tar.gz"), members);
  for (const std::string name : {"a.tar", "a.tar.gz"}) {
    const Outcome made = run("extract " + at(name) + " --order 4 --out " + at(name + ".store"));
    EXPECT_EQ(made.code, 0) << made.error;
    EXPECT_NE(made.error.find(at(name) + ": skipped 3 links or devices and 3 names that lead out"),
              std::string::npos)
        << made.error;
    ASSERT_EQ(rows(name + ".store").size(), 1U);
    EXPECT_EQ(rows(name + ".store")[0].path, at(name) + "/oak/\u6a61.png");
    EXPECT_EQ(rows(name + ".store")[0].label, "oak");
  }
  EXPECT_FALSE(fs::exists(at("outside.png")));
  std::string tar = read_file(at("a.tar"));
  tar.resize(tar.find("oak/pipe.png"));
  folder_.write("large.tar", tar + testing::tar_header("elm/large.png", 100'000'000'000) + leaf);
  for (const std::string& inputs : {at("large.tar"), "- < " + at("large.tar")}) {
    const std::string store = inputs.starts_with('-') ? "piped" : "large";
    const Outcome made = run("extract " + inputs + " --order 4 --out " + at(store));
    EXPECT_EQ(made.code, 5) << made.error;
    EXPECT_NE(made.error.find("cannot be read to its end"), std::string::npos) << made.error;
    ASSERT_EQ(rows(store).size(), 2U);
    EXPECT_EQ(rows(store)[0].state, RowState::kOk);
    EXPECT_EQ(rows(store)[1].state, RowState::kFailed);
    EXPECT_NE(rows(store)[1].warnings.find("has 100000000000 bytes"), std::string::npos);
  }
}

// mechanics: an archive that was cut short keeps what comes before, ends in one line and with the
// exit code of images that failed.
TEST_F(ArchivesCommandTest, CutArchivesKeepWhatWasRead) {
  std::vector<ArchiveMember> members = leaves();
  std::erase_if(members, [](const ArchiveMember& member) { return member.name == "bad.png"; });
  for (const std::string name : {"a.tar", "a.tar.gz", "a.zip"}) {
    testing::write_archive(at(name), members);
    const std::string bytes = read_file(at(name));
    folder_.write(name, std::string_view(bytes).substr(0, bytes.size() * 2 / 3));
    const Outcome made = extract_of(at(name), name + ".store");
    EXPECT_EQ(made.code, 5) << made.error;
    EXPECT_NE(made.error.find(at(name) + ": cannot be read to its end: "), std::string::npos);
    const std::vector<StoreRow> read = rows(name + ".store");
    EXPECT_EQ(std::ranges::count(made.error, '\n'), 2) << made.error;  // and that of the cut member
    EXPECT_NE(made.error.find("\nleafglyph: " + read.back().path + ": "), std::string::npos);
    EXPECT_GT(read.size(), 6U) << name;
    EXPECT_LT(read.size(), members.size()) << name;
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].path, at(name) + "/" + members[i].name);
      EXPECT_EQ(read[i].state, i + 1 < read.size() ? RowState::kOk : RowState::kFailed) << i;
    }
  }
}

// mechanics: a member whose header or bytes are damaged is a row; those after it are read.
TEST_F(ArchivesCommandTest, DamagedMembersAreRows) {
  std::vector<ArchiveMember> members = leaves();
  members.erase(members.begin());  // bad.png
  members.resize(6);
  const auto damage = [&](const std::string& name, const std::string& where, std::size_t offset) {
    std::string bytes = read_file(at(name));
    const std::size_t place = bytes.find(where) + offset;
    for (std::size_t i = 0; i < 64; ++i) bytes[place + i] ^= '\x55';
    folder_.write(name, bytes);
  };
  testing::write_archive(at("a.tar"), members);
  damage("a.tar", members[2].name, 100);
  testing::write_archive(at("a.zip"), members);
  damage("a.zip", members[2].name, members[2].name.size() + 200);
  testing::write_archive(at("a.tar.gz"), members);
  const std::string unpacked = "gzip -dc " + at("a.tar.gz") + " > " + at("b.tar");
  ASSERT_EQ(std::system(unpacked.c_str()), 0);
  damage("b.tar", members[2].name, 100);
  ASSERT_EQ(std::system(("gzip -c " + at("b.tar") + " > " + at("a.tar.gz")).c_str()), 0);
  for (const std::string name : {"a.tar", "a.zip", "a.tar.gz"}) {
    EXPECT_EQ(extract_of(at(name), name + ".store").code, 5) << name;
    const std::vector<StoreRow> read = rows(name + ".store");
    ASSERT_EQ(read.size(), members.size()) << name;
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i].state, i == 2 ? RowState::kFailed : RowState::kOk) << name << i;
    }
    const bool is_zip = name == "a.zip";
    EXPECT_EQ(read[2].path.find(members[2].name) != std::string::npos, is_zip) << read[2].path;
    EXPECT_NE(read[2].warnings.find(is_zip ? "cannot be read: " : "is damaged: "),
              std::string::npos)
        << read[2].warnings;
  }
}

// mechanics: labels of a CSV name ARCHIVE/MEMBER; a member that has changed since its block was
// computed is refused and named.
TEST_F(ArchivesCommandTest, MembersHaveLabelsAndAreCompared) {
  std::vector<ArchiveMember> members = leaves();
  members.erase(members.begin());
  folder_.write("labels.csv", "path,label\na.tar/" + members[0].name + ",first\n\"a.zip/" +
                                  members[1].name + "\",second\n");
  for (const std::string name : {"a.tar", "a.zip"}) {
    testing::write_archive(at(name), members);
    ASSERT_EQ(extract_of(at(name), name + ".store", "--labels " + at("labels.csv")).code, 0);
    EXPECT_EQ(rows(name + ".store")[0].label, name == "a.tar" ? "first" : "");
    EXPECT_EQ(rows(name + ".store")[1].label, name == "a.tar" ? "" : "second");
    std::vector<ArchiveMember> changed = members;
    std::swap(changed[5].bytes, changed[6].bytes);
    testing::write_archive(at(name), changed);
    expect_refused(extract_of(at(name), name + ".store", "--labels " + at("labels.csv")), 3,
                   at(name) + "/" + members[5].name + ": has changed since block 1");
  }
}

// mechanics: the page about a store has pictures of images in archives, and none of those that were
// not read.
TEST_F(ArchivesCommandTest, ReportsShowImagesInArchives) {
  testing::write_archive(at("a.tar.gz"), leaves());
  ASSERT_EQ(extract_of(at("a.tar.gz"), "a.store").code, 5);
  const auto count = [](const std::string& page, std::string_view text) {
    std::size_t found = 0;
    for (std::size_t i = page.find(text); i != std::string::npos; i = page.find(text, i + 1))
      ++found;
    return found;
  };
  const Outcome made = run("report " + at("a.store") + " --out " + at("a.html"));
  EXPECT_EQ(made.code, 0) << made.error;
  EXPECT_NE(made.out.find("19 rows of 19 inputs, 1 failed"), std::string::npos) << made.out;
  const std::string page = read_file(at("a.html"));
  EXPECT_EQ(count(page, "data:image/jpeg"), 12U);  // of the rows least like the others
  EXPECT_EQ(count(page, "class=\"no-picture\""), 1U);
  fs::remove(at("a.tar.gz"));
  ASSERT_EQ(run("report " + at("a.store") + " --out " + at("b.html")).code, 0);
  EXPECT_EQ(count(read_file(at("b.html")), "data:image/jpeg"), 0U);
}

}  // namespace
}  // namespace leafglyph
