// Folders that this program made: only they are replaced and removed, file by file.
#include "features/base/owned_folder.h"

#include <gtest/gtest.h>
#include <sys/mount.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

class OwnedFolders : public ::testing::Test {
 protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

std::vector<std::string> nothing(const fs::path&) { return {}; }

// A folder of a kind whose mark is the file "mark": it lists the other files, a line each.
std::vector<std::string> marked(const fs::path& folder) {
  if (!fs::is_regular_file(folder / "mark")) return {};
  std::istringstream lines(read_file(folder / "mark"));
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  names.emplace_back("mark");
  return names;
}

// mechanics: of a folder only what its mark lists is removed, at any depth, never through a link or
// outside; the mark goes last, and stays beside what is of others.
TEST_F(OwnedFolders, OnlyListedFilesAreRemoved) {
  const fs::path folder = folder_ / "ours";
  const auto fill = [&] {
    for (const std::string name : {"x/y/1", "x/2", "mark", "other/1"}) {
      fs::create_directories((folder / name).parent_path());
      write_file(folder / name, "x/y/1\nx/2\n../precious\nother/1\n");
    }
  };
  fill();
  write_file(folder_ / "precious", "mine");
  EXPECT_FALSE(OwnedFolder(folder, marked).first_other(folder));
  EXPECT_TRUE(OwnedFolder(folder, marked).remove());
  EXPECT_FALSE(fs::exists(folder));
  fill();
  fs::remove_all(folder / "other");
  fs::create_directory(folder_ / "elsewhere");
  write_file(folder_ / "elsewhere" / "1", "mine");
  fs::create_directory_symlink(folder_ / "elsewhere", folder / "other");
  write_file(folder / "x/y/notes", "mine");
  EXPECT_EQ(OwnedFolder(folder, marked).first_other(folder), "other");
  EXPECT_FALSE(OwnedFolder(folder, marked).remove());
  EXPECT_TRUE(fs::exists(folder / "mark"));
  EXPECT_FALSE(fs::exists(folder / "x/2"));
  EXPECT_THROW(OwnedFolder(folder, marked).remove_at_once(), Error);
  EXPECT_FALSE(OwnedFolder(folder, marked).remove(OwnedFolder::Others::kGiveUp));
  EXPECT_FALSE(fs::exists(folder / "mark"));
  EXPECT_EQ(read_file(folder / "x/y/notes"), "mine");
  EXPECT_EQ(read_file(folder_ / "elsewhere/1"), "mine");
  EXPECT_EQ(read_file(folder_ / "precious"), "mine");
  fs::remove_all(folder);
  fill();
  OwnedFolder(folder, marked).remove_at_once();
  EXPECT_EQ(entries(), 2U);
}

// mechanics: of a link to a folder the link goes, and what it leads to stays
TEST_F(OwnedFolders, ALinkIsRemovedAndNotFollowed) {
  fs::create_directory(folder_ / "real");
  for (const char* name : {"mark", "a"}) write_file(folder_ / "real" / name, "a\n");
  for (const bool at_once : {true, false}) {
    fs::create_directory_symlink(folder_ / "real", folder_ / "link");
    const OwnedFolder link(folder_ / "link", marked);
    if (at_once) {
      link.remove_at_once();
    } else {
      EXPECT_TRUE(link.remove());
    }
    EXPECT_FALSE(fs::is_symlink(folder_ / "link"));
  }
  EXPECT_EQ(read_file(folder_ / "real" / "a"), "a\n");
  EXPECT_EQ(entries(), 1U);
}

// mechanics: a folder that a killed writer had replaced goes only if it holds nothing of others
TEST_F(OwnedFolders, AReplacedFolderWithFilesOfOthersStays) {
  const fs::path left = folder_ / ".model.partial-0123456789abcdef";
  fs::create_directory(left);
  for (const char* name : {"mark", "a"}) write_file(left / name, "a\n");
  write_file(left / "notes", "mine");
  { const StagedFolder staged(folder_ / "model", marked); }
  EXPECT_EQ(read_file(left / "notes"), "mine");
  fs::remove(left / "notes");
  { const StagedFolder staged(folder_ / "model", marked); }
  EXPECT_EQ(entries(), 0U);
}

// mechanics: a replacement that a killed writer left between two steps is finished by the next
TEST_F(OwnedFolders, AnInterruptedReplacementIsFinished) {
  const fs::path target = folder_ / "model";
  const auto folder_with = [&](const fs::path& path, const std::string& content) {
    fs::create_directory(path);
    write_file(path / "a", content);
    write_file(path / "mark", "a\n");
  };
  const fs::path left = folder_ / ".model.partial-0123456789abcdef";
  folder_with(left.string() + "-old", "old");  // two renames: between them
  StagedFolder::check(target, marked);
  EXPECT_EQ(read_file(target / "a"), "old");
  folder_with(left.string() + "-old", "older");  // after them
  StagedFolder::check(target, marked);
  EXPECT_EQ(read_file(target / "a"), "old");
  EXPECT_EQ(entries(), 1U);
  folder_with(left.string() + "-new", "new");  // emptying: the mark is still there
  fs::remove(target / "a");
  StagedFolder::check(target, marked);
  EXPECT_EQ(read_file(target / "a"), "new");
  folder_with(left.string() + "-new", "newer");  // emptied
  for (const char* name : {"a", "mark"}) fs::remove(target / name);
  StagedFolder::check(target, marked);
  EXPECT_EQ(read_file(target / "a"), "newer");
  EXPECT_EQ(entries(), 1U);
}

// Mounts an overlay with `lower` below and returns where; empty if this process may not.
fs::path overlay_of(const fs::path& lower, const fs::path& work) {
  for (const char* name : {"upper", "work", "merged"}) fs::create_directories(work / name);
  const std::string options = "lowerdir=" + lower.string() +
                              ",upperdir=" + (work / "upper").string() +
                              ",workdir=" + (work / "work").string();
  const fs::path merged = work / "merged";
  const bool mounted = ::mount("overlay", merged.c_str(), "overlay", 0, options.c_str()) == 0;
  return mounted ? merged : fs::path();
}

// regression: in a container a folder that came with the image could not be replaced
TEST_F(OwnedFolders, AFolderOfAnImageIsReplaced) {
  const fs::path lower = folder_ / "lower", work = folder_ / "tmpfs";
  fs::create_directories(lower / "model");
  fs::create_directory(work);
  write_file(lower / "model" / "a", "old");
  write_file(lower / "model" / "mark", "a\n");
  // On a file system of its own: an overlay may not be the upper layer of another.
  if (::mount("tmpfs", work.c_str(), "tmpfs", 0, "") != 0) GTEST_SKIP() << "needs root";
  const fs::path merged = overlay_of(lower, work);
  const bool has_overlay = !merged.empty();
  if (has_overlay) {
    const fs::path target = merged / "model";
    const auto replace = [&](const std::string& content) {
      StagedFolder::check(target, marked);
      StagedFolder staged(target, marked);
      staged.write("a", content);
      staged.write("mark", "a\n");
      staged.commit();
      EXPECT_EQ(read_file(target / "a"), content);
    };
    replace("new");
    replace("newer");
    EXPECT_EQ(std::distance(fs::directory_iterator(merged), {}), 1);
    OwnedFolder(target, marked).remove_at_once();
    EXPECT_TRUE(fs::is_empty(merged));
    EXPECT_EQ(read_file(lower / "model" / "a"), "old");
    EXPECT_TRUE(testing::refuses([&] { StagedFolder::check(work, nothing); }, "'merged'"));
    ::umount(merged.c_str());
  }
  ::umount2(work.c_str(), MNT_DETACH);
  // A folder where something is mounted cannot be replaced, which is said before the work.
  ASSERT_EQ(::mount("tmpfs", work.c_str(), "tmpfs", 0, ""), 0);
  EXPECT_TRUE(testing::refuses([&] { StagedFolder::check(work, nothing); }, "mounted"));
  ::umount(work.c_str());
  if (!has_overlay) GTEST_SKIP() << "no overlay can be mounted here";
}

}  // namespace
}  // namespace leafglyph
