// Photographs waiting for a training: zip bombs are refused, and nothing that was sent is lost when
// its server ends.
#include "classify/serve/training_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "tests/serve/zip_of.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::refuses;
using testing::zip_of;

// All but the mark.
std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == WaitingList::kName) continue;
    files.insert(fs::relative(entry.path(), folder).string());
  }
  return files;
}

class TrainingFolderTest : public ::testing::Test {
 protected:
  TemporaryFolder temporary_;
  fs::path data_ = temporary_.path() / "data";
};

// mechanics: photographs are stored in folders of their species under their names, or under a
// number if the name is not valid; a folder that was discarded is removed with the object.
TEST_F(TrainingFolderTest, PhotographsLieInFoldersOfTheirSpecies) {
  fs::path path;
  {
    TrainingFolder folder(data_);
    path = folder.path();
    EXPECT_EQ(path.parent_path(), data_);
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    folder.add("oak", "a.png", "1");
    folder.add("oak", "a.png", "2");
    folder.add("oak", "../../a.png", "3");
    folder.add("oak", "a.sh", "4");
    folder.add("beech", "", "5");
    EXPECT_EQ(files_in(path), (std::set<std::string>{"oak/a.png", "oak/00002.jpg", "oak/00003.jpg",
                                                     "oak/00004.jpg", "beech/00005.jpg"}));
    EXPECT_THROW(folder.add("../oak", "a.png", "1"), UsageError);
    EXPECT_THROW(folder.add("oak", "a.png", ""), UsageError);
    const TrainingCounts counts = folder.counts();
    EXPECT_EQ(counts.photographs, 5U);
    EXPECT_EQ(counts.species.size(), 2U);
    EXPECT_EQ(std::ranges::max(counts.of_each), 4U);
    EXPECT_EQ(folder.without_path(path.string() + "/oak/a.png: no leaf; see " + path.string()),
              "oak/a.png: no leaf; see the photographs that were sent");
    folder.discard();
  }
  EXPECT_FALSE(fs::exists(path));
  { const TrainingFolder empty(data_); }
  EXPECT_FALSE(fs::exists(path));
}

// mechanics: a file of an archive belongs to the species named by its folder; names never lead
// outside, and files without a photograph's extension are left out.
TEST_F(TrainingFolderTest, ArchivesAreUnpackedInsideTheFolder) {
  TrainingFolder folder(data_);
  EXPECT_EQ(folder.add_archive(zip_of({{"set/oak/1.png", "a"},
                                       {"set/oak/2.PNG", "b"},
                                       {"beech/1.png", "c"},
                                       {"none.png", "d"},
                                       {"set/oak/.hidden.png", "e"},
                                       {"set/.hidden/oak/5.png", "e"},
                                       {"__MACOSX/oak/1.png", "f"},
                                       {"../../oak/3.png", "g"},
                                       {"/oak/4.png", "h"},
                                       {"set/oak/Thumbs.db", "i"},
                                       {"set/oak/desktop.ini", "j"},
                                       {"set/oak/png", "k"},
                                       {"set/oak/empty.png", ""},
                                       {"set/oak/", ""}})),
            4U);
  EXPECT_EQ(files_in(folder.path()),
            (std::set<std::string>{"oak/1.png", "oak/2.PNG", "oak/4.png", "beech/1.png"}));
  for (const std::string& archive :
       {std::string("no archive"), std::string(), zip_of({{"oak/1.png", "abc"}}).substr(0, 40)}) {
    EXPECT_THROW(folder.add_archive(archive), InputError);
  }
  EXPECT_EQ(folder.add_archive(zip_of({{"1.png", "a"}, {"2.png", "b"}})), 0U);
}

// mechanics: no name of a species or a file collides with an archive.
TEST_F(TrainingFolderTest, AnyNameMayStandBesideAnArchive) {
  for (const char* name :
       {"archive.zip", "training", "a.partial-0000000000000000", "made.zip", "manifest.json"}) {
    TrainingFolder folder(data_);
    folder.add(name, std::string(name) + ".png", "a");
    EXPECT_EQ(folder.add_archive(zip_of({{std::string(name) + "/1.png", "b"},
                                         {"oak/" + std::string(name) + ".jpg", "c"}})),
              2U)
        << name;
    EXPECT_EQ(folder.counts().photographs, 3U);
  }
}

// mechanics: an entry that unpacks to more than a photograph's limit is refused before it is
// unpacked, and changed bytes are detected.
TEST_F(TrainingFolderTest, BombsAndDamagedArchivesAreRefused) {
  TrainingFolder folder(data_);
  const std::string bomb = zip_of({{"oak/1.png", std::string((64U << 20) + 1, '\0')}});
  EXPECT_LT(bomb.size(), 1U << 20);
  EXPECT_THROW(folder.add_archive(bomb), InputError);
  const std::string good = zip_of({{"oak/1.png", std::string(1000, 'x') + "abc"}});
  constexpr std::size_t kLastRecord = 22;  // bytes; it follows the last entry
  for (std::size_t cut = 0; cut + kLastRecord <= good.size(); ++cut) {
    EXPECT_THROW(folder.add_archive(good.substr(0, cut)), InputError) << cut;
  }
  std::string damaged = good;
  const std::size_t last = damaged.find("PK\x07\x08") - 1;  // before what follows the photograph
  damaged[last] = static_cast<char>(damaged[last] ^ 0x55);
  EXPECT_THROW(folder.add_archive(damaged), InputError);
  EXPECT_EQ(folder.counts().photographs, 0U);
}

// Ends a child process abruptly while it has a folder with a photograph.
void leave_a_folder_behind(const fs::path& data) {
  const pid_t child = ::fork();
  if (child == 0) {
    TrainingFolder folder(data);
    folder.add("oak", "1.png", "x");
    ::_exit(0);  // as if killed: nothing is removed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
}

// mechanics: photographs of servers that have ended, killed or not, are found again, one folder at
// a time; those of a running server stay its own, and so does everything else in the folder.
TEST_F(TrainingFolderTest, WhatEndedServersLeftIsFoundAgain) {
  EXPECT_EQ(TrainingFolder::left_in(data_), nullptr);
  TrainingFolder in_use(data_);
  in_use.add("oak", "1.png", "x");
  leave_a_folder_behind(data_);
  { TrainingFolder(data_).add("elm", "2.png", "xyz"); }
  for (const char* other : {"waiting-x", "leaves/oak", "models/waiting"}) {
    fs::create_directories(data_ / other);
    temporary_.write("data/" + std::string(other) + "/precious.png", "y");
  }
  const auto visible = [&] {  // a killed server also leaves its lock
    std::set<std::string> files = files_in(data_);
    std::erase_if(files, [](const std::string& file) { return file.starts_with('.'); });
    return files;
  };
  std::set<std::string> after = visible();
  {
    const auto first = TrainingFolder::left_in(data_), second = TrainingFolder::left_in(data_);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(TrainingFolder::left_in(data_), nullptr);
    EXPECT_EQ(first->counts().species, std::vector<std::string>{"oak"});
    EXPECT_EQ(second->counts().species, std::vector<std::string>{"elm"});
    EXPECT_EQ(second->counts().photographs, 1U);
    second->add("elm", "2.png", "a");
    second->add("elm", "2.png", "b");
    EXPECT_EQ(second->counts().of_each.front(), 3U);
    second->discard();
  }
  std::erase_if(after, [](const std::string& file) { return file.ends_with("elm/2.png"); });
  EXPECT_EQ(visible(), after);
}

// mechanics: names of species come from a species.csv, wherever it is in the archive; lines for
// species that were not sent are left out.
TEST_F(TrainingFolderTest, SpeciesKeepTheNamesThatWereSent) {
  TrainingFolder folder(data_);
  EXPECT_EQ(folder.add_archive(zip_of(
                {{"set/species.csv",
                  "folder,chinese_name,note,common_name\nQuercus/robur,夏栎,x,\"oak, common\"\n"
                  "elm,榆,,\nrobur,x,,twice\n"},
                 {"set/Quercus/robur/1.png", "a"},
                 {"set/beech/1.png", "b"}})),
            2U);
  EXPECT_EQ(folder.counts().others.count, 0U);
  EXPECT_EQ(read_file(folder.finish()),
            "folder,common_name,chinese_name\nrobur,\"oak, common\",夏栎\n");
  EXPECT_THROW(folder.add_names("name\nx\n"), InputError);
  EXPECT_THROW(folder.add_names("folder,chinese_name\nx\n"), InputError);
  EXPECT_THROW(folder.add_names(""), InputError);
  folder.discard();
}

// regression: folders called "waiting" were taken for the page's own and removed, with whatever was
// in them. mechanics: without a mark that parses nothing is counted or removed, at any depth.
TEST_F(TrainingFolderTest, AFolderWithoutAMarkIsNotOurs) {
  const std::string head = WaitingList::empty_list();
  const std::vector<std::pair<std::string, std::string>> others = {
      {"waiting/novel.txt", "years of work"},
      {"waiting/letters/2025/photo.png", "x"},
      {"waiting-2/draft.doc", "x"},
      {"waiting-3/oak/a.png", "x"},
      {"waiting-4/.leafglyph-waiting", "{}\n"},
      {"waiting-4/oak/a.png", "x"},
      {"waiting-5/.leafglyph-waiting", head + "oak/a.png\n"},
      {"waiting-5/oak/a.png", "x"},
      {"waiting-6/.leafglyph-waiting/oak/a.png", "x"}};
  for (const auto& [name, content] : others) {
    fs::create_directories((data_ / name).parent_path());
    temporary_.write("data/" + name, content);
  }
  EXPECT_EQ(TrainingFolder::left_in(data_), nullptr);
  const EarlierPhotographs earlier = TrainingFolder::earlier_in(data_);
  EXPECT_EQ(earlier.photographs, std::vector<fs::path>{data_ / "waiting-3/oak/a.png"});
  EXPECT_EQ(earlier.folders, std::vector<fs::path>{data_ / "waiting-3"});
  {
    TrainingFolder folder(data_);
    EXPECT_EQ(folder.path(), data_ / "waiting-7");
    folder.add("oak", "a.png", "x");
    folder.discard();
  }
  EXPECT_FALSE(fs::exists(data_ / "waiting-7"));
  for (const auto& [name, content] : others) EXPECT_EQ(read_file(data_ / name), content) << name;
}

// regression: files beside waiting photographs were removed with them. mechanics: what was not sent
// stays when the photographs are discarded, is not counted, and is not learnt.
TEST_F(TrainingFolderTest, WhatWasNotSentStays) {
  fs::path path;
  const std::vector<std::string> others = {"thesis.txt", "oak/notes.txt", "oak/deep/a.png",
                                           "elm/b.png"};
  temporary_.write("precious.png", "x");
  {
    TrainingFolder folder(data_);
    folder.add("oak", "1.png", "1");
    folder.add("beech", "1.png", "1");
    folder.add("ash", "1.png", "1");
    path = folder.path();
    for (const std::string& name : others) {
      fs::create_directories((path / name).parent_path());
      temporary_.write("data/waiting/" + name, "mine");
    }
    // A folder that was exchanged for a link to one of the user's, with a file of the same name.
    fs::create_directory(temporary_.path() / "pictures");
    temporary_.write("pictures/1.png", "mine");
    fs::remove_all(path / "ash");
    fs::create_directory_symlink(temporary_.path() / "pictures", path / "ash");
    EXPECT_EQ(folder.counts().photographs, 3U);
    EXPECT_TRUE(refuses([&] { folder.finish(); }, "elm/b.png"));
    folder.discard();
  }
  for (const std::string& name : others) EXPECT_EQ(read_file(path / name), "mine") << name;
  EXPECT_EQ(read_file(temporary_.path() / "pictures/1.png"), "mine");
  EXPECT_FALSE(fs::exists(path / "oak/1.png"));
  EXPECT_FALSE(fs::exists(path / "beech"));
  EXPECT_FALSE(fs::exists(path / WaitingList::kName));
  EXPECT_EQ(TrainingFolder::left_in(data_), nullptr);
}

// mechanics: a list whose writer was killed in the middle of a line goes on after the line before.
TEST_F(TrainingFolderTest, AnUnfinishedLineIsDropped) {
  const auto list = [&] { return read_file(data_ / "waiting" / WaitingList::kName); };
  { TrainingFolder(data_).add("oak", "1.png", "1"); }
  const std::string whole = list();
  for (std::size_t cut = 1; cut + 1 < std::string_view("\"oak/1.png\"").size(); ++cut) {
    temporary_.write("data/waiting/.leafglyph-waiting",
                     whole + whole.substr(whole.rfind('"', whole.size() - 3), cut));
    const auto folder = TrainingFolder::left_in(data_);
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->counts().photographs, 1U);
  }
  {
    const auto folder = TrainingFolder::left_in(data_);
    folder->add("oak", "2.png", "1");
  }
  EXPECT_EQ(list(), whole + "\"oak/2.png\"\n");
  EXPECT_EQ(TrainingFolder::left_in(data_)->counts().photographs, 2U);
}

// mechanics: a place where nothing can be created is named.
TEST_F(TrainingFolderTest, APlaceThatCannotBeWrittenIsNamed) {
  temporary_.write("data", "a file");
  EXPECT_TRUE(refuses([&] { const TrainingFolder folder(data_); }, data_.string()));
}

}  // namespace
}  // namespace leafglyph
