#include "classify/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "features/errors.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// A fresh folder that goes away with the test.
class Files : public ::testing::Test {
 protected:
  Files() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("leafglyph-" + std::string(info->name()) + "-" + std::to_string(::getpid()));
    fs::create_directory(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

bool always(const fs::path&) { return true; }
bool never(const fs::path&) { return false; }

TEST_F(Files, WritingReplacesAndLeavesNothingBeside) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");
  EXPECT_EQ(read_file(folder_ / "a"), "two");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  EXPECT_THROW(write_file(folder_ / "none" / "a", "one"), Error);
  fs::create_directory(folder_ / "dir");
  EXPECT_THROW(write_file(folder_ / "dir", "one"), Error);
  EXPECT_EQ(entries(), 1U);
  EXPECT_THROW(read_file(folder_ / "missing"), InputError);
  EXPECT_THROW(read_file(folder_ / "dir"), InputError);
}

TEST_F(Files, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_file("/dev/full", "one"), Error);
}

TEST_F(Files, AStagedFolderAppearsWholeOrNotAtAll) {
  const fs::path target = folder_ / "sub" / "model";
  {
    StagedFolder staged(target, never);
    write_file(staged.path() / "a", "one");
  }
  EXPECT_FALSE(fs::exists(target));
  {
    StagedFolder staged(target, never);
    write_file(staged.path() / "a", "one");
    staged.commit();
  }
  EXPECT_EQ(read_file(target / "a"), "one");
  {
    StagedFolder staged(target, always);
    write_file(staged.path() / "b", "two");
    staged.commit();
  }
  EXPECT_FALSE(fs::exists(target / "a"));
  EXPECT_EQ(read_file(target / "b"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "sub"), {}), 1);
}

TEST_F(Files, AFolderOfSomethingElseIsNotReplaced) {
  write_file(folder_ / "thesis.txt", "years of work");
  EXPECT_THROW(StagedFolder(folder_, never), Error);
  EXPECT_THROW(StagedFolder(folder_ / "thesis.txt", always), Error);
  EXPECT_EQ(read_file(folder_ / "thesis.txt"), "years of work");
}

// oracle: FIPS 180-4's examples
TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace leafglyph
