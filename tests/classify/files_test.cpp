#include "features/base/files.h"
#include "features/base/write_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "classify/support/progress.h"
#include "features/base/errors.h"
#include "tests/support/refusal.h"

namespace {
bool file_system_exchanges_names = true;
}

// Overrides the C library's function, to imitate a file system without such renames.
extern "C" int renameat2(int old_folder, const char* old_name, int new_folder, const char* new_name,
                         unsigned flags) noexcept {
  if (!file_system_exchanges_names) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(
      ::syscall(SYS_renameat2, old_folder, old_name, new_folder, new_name, flags));
}

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// A fresh folder that is removed after the test.
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

using GivenNames = std::vector<std::string>;
GivenNames a_and_b(const fs::path&) { return {"a", "b"}; }
GivenNames none(const fs::path&) { return {}; }

// How a process that runs `work` ends.
template <class Function>
int status_of_child(const Function& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

// mechanics: the old file is replaced, and nothing else remains.
TEST_F(Files, WritingReplacesAndLeavesNothingBeside) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");
  EXPECT_EQ(read_file(folder_ / "a"), "two");
  EXPECT_EQ(entries(), 1U);
}

// mechanics: a failed write leaves the old file as it was.
TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  EXPECT_THROW(write_file(folder_ / "none" / "a", "one"), Error);
  fs::create_directory(folder_ / "dir");
  EXPECT_THROW(write_file(folder_ / "dir", "one"), Error);
  EXPECT_EQ(entries(), 1U);
  EXPECT_THROW(read_file(folder_ / "missing"), InputError);
  EXPECT_THROW(read_file(folder_ / "dir"), InputError);
}

// mechanics: a full disk is an error, not a short file.
TEST_F(Files, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_file("/dev/full", "one"), Error);
}

// mechanics: a folder appears with all its files or not at all.
TEST_F(Files, AStagedFolderAppearsWholeOrNotAtAll) {
  const fs::path target = folder_ / "sub" / "model";
  {
    StagedFolder staged(target, none);
    staged.write("a", "one");
  }
  EXPECT_FALSE(fs::exists(target));
  {
    StagedFolder staged(target, none);
    staged.write("a", "one");
    staged.commit();
  }
  EXPECT_EQ(read_file(target / "a"), "one");
  fs::permissions(target, fs::perms::owner_all);
  {
    StagedFolder staged(target, a_and_b);
    staged.write("b", "two");
    staged.commit();
  }
  EXPECT_FALSE(fs::exists(target / "a"));
  EXPECT_EQ(read_file(target / "b"), "two");
  EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_all);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "sub"), {}), 1);
}

// mechanics: the same on file systems that cannot exchange names
TEST_F(Files, AFolderIsReplacedByTwoRenames) {
  file_system_exchanges_names = false;
  const fs::path target = folder_ / "model";
  for (const std::string content : {"one", "two"}) {
    StagedFolder staged(target, a_and_b);
    staged.write("a", content);
    staged.commit();
    EXPECT_EQ(read_file(target / "a"), content);
  }
  EXPECT_EQ(entries(), 1U);
  write_file(target / "notes", "mine");
  EXPECT_THROW(StagedFolder(target, a_and_b), Error);
  file_system_exchanges_names = true;
}

// mechanics: anything in the way of a folder is named and kept, even beside our own files
TEST_F(Files, AFolderOfSomethingElseIsNotReplaced) {
  write_file(folder_ / "a", "ours");
  write_file(folder_ / "thesis.txt", "years of work");
  const auto expect_refused = [&](const fs::path& target, const NamesOf& names_of,
                                  const std::string& named) {
    for (const bool only_checked : {true, false}) {
      EXPECT_TRUE(testing::refuses(
          [&] {
            if (only_checked) {
              StagedFolder::check(target, names_of);
            } else {
              const StagedFolder staged(target, names_of);
            }
          },
          named));
    }
  };
  expect_refused(folder_, none, "'a'");
  expect_refused(folder_, a_and_b, "'thesis.txt'");
  expect_refused(folder_ / "thesis.txt", a_and_b, "not a folder");
  expect_refused(folder_ / "thesis.txt" / "model", none, "not a folder");
  fs::remove(folder_ / "thesis.txt");
  fs::create_directory(folder_ / "b");
  expect_refused(folder_, a_and_b, "'b'");
  EXPECT_EQ(entries(), 2U);
}

// mechanics: files added to the old folder while the new one is filled are not lost
TEST_F(Files, AFolderThatGetsOtherFilesMeanwhileStays) {
  const fs::path target = folder_ / "model";
  fs::create_directory(target);
  write_file(target / "a", "one");
  {
    StagedFolder staged(target, a_and_b);
    staged.write("a", "two");
    write_file(target / "notes", "mine");
    EXPECT_THROW(staged.commit(), Error);
  }
  EXPECT_EQ(read_file(target / "a"), "one");
  EXPECT_EQ(read_file(target / "notes"), "mine");
  EXPECT_EQ(entries(), 1U);
}

// mechanics: a link is replaced; its target is kept
TEST_F(Files, LinksAreReplacedNotFollowed) {
  write_file(folder_ / "precious", "one");
  fs::create_symlink("precious", folder_ / "link");
  write_file(folder_ / "link", "two");
  EXPECT_EQ(read_file(folder_ / "precious"), "one");
  EXPECT_EQ(read_file(folder_ / "link"), "two");
  fs::create_directory(folder_ / "model");
  write_file(folder_ / "model" / "a", "one");
  fs::create_directory_symlink("model", folder_ / "current");
  StagedFolder staged(folder_ / "current", a_and_b);
  staged.write("a", "two");
  staged.commit();
  EXPECT_EQ(read_file(folder_ / "model" / "a"), "one");
  EXPECT_EQ(read_file(folder_ / "current" / "a"), "two");
  EXPECT_EQ(entries(), 4U);
}

// regression: names beside the target were predictable, and a link planted there was followed
TEST_F(Files, APlantedLinkIsNotWrittenThrough) {
  write_file(folder_ / "precious", "one");
  fs::create_symlink("precious", folder_ / (".out.partial-" + std::to_string(::getpid())));
  write_file(folder_ / "out", "two");
  EXPECT_EQ(read_file(folder_ / "precious"), "one");
  EXPECT_FALSE(fs::is_symlink(folder_ / "out"));
}

// mechanics: a replaced file keeps its permissions.
TEST_F(Files, TheModeOfAnOldFileIsKept) {
  const auto readable = fs::perms::owner_read | fs::perms::owner_write;
  write_file(folder_ / "a", "one");
  fs::permissions(folder_ / "a", readable);
  write_file(folder_ / "a", "two");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), readable);
  const mode_t mask = ::umask(027);
  write_file(folder_ / "new", "one");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder_ / "new").permissions(), readable | fs::perms::group_read);
}

// regression: the temporary name beside the target was longer than a name may be
TEST_F(Files, ALongNameIsWritten) {
  const std::string name(255, 'n');
  write_file(folder_ / name, "one");
  write_file(folder_ / name, "two");
  EXPECT_EQ(read_file(folder_ / name), "two");
  EXPECT_THROW(write_file(folder_ / (name + "n"), "one"), Error);
  EXPECT_THROW(check_can_write_file(folder_ / (name + "n")), Error);
  EXPECT_EQ(entries(), 1U);
}

// mechanics: the next writer removes the leftovers of a killed one, but not the work in progress of
// others
TEST_F(Files, LeftoversGoWithTheNextWriter) {
  const fs::path target = folder_ / "model";
  const int status = status_of_child([&] {
    StagedFolder staged(target, none);
    staged.write("a", "half");
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_EQ(entries(), 1U);
  StagedFolder staged(target, none);
  staged.write("a", "whole");
  EXPECT_EQ(entries(), 1U);
  StagedFolder at_once(target, none);  // the first one is in progress
  staged.commit();
  EXPECT_EQ(read_file(target / "a"), "whole");

  const fs::path stale = folder_ / ".out.partial-0123456789abcdef";
  const fs::path of_another = folder_ / ".other.partial-0123456789abcdef";
  for (const fs::path& path : {stale, of_another}) std::ofstream(path) << "half";
  const int in_work = ::open(stale.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(in_work, LOCK_EX), 0);
  write_file(folder_ / "out", "one");
  EXPECT_TRUE(fs::exists(stale));
  ::close(in_work);
  write_file(folder_ / "out", "two");
  EXPECT_FALSE(fs::exists(stale));
  EXPECT_TRUE(fs::exists(of_another));
  FileSeries(folder_).write("out", "three");
  EXPECT_FALSE(fs::exists(of_another));
}

// mechanics: a writer that reads, changes and replaces is alone; writers that only add may work
// together; a killed holder holds nothing, and a lock leaves nothing behind.
TEST_F(Files, ALockKeepsOtherWritersAway) {
  using Kind = WriteLock::Kind;
  const fs::path target = folder_ / "new" / "deep" / "model";
  {
    const WriteLock alone(target);
    EXPECT_THROW(WriteLock{target}, Error);
    EXPECT_THROW(WriteLock(target, Kind::kTogether), Error);
    EXPECT_FALSE(WriteLock::if_free(target));
    const WriteLock another(folder_ / "new" / "deep" / "other");
  }
  EXPECT_EQ(entries(), 0U);
  {
    const WriteLock one(target, Kind::kTogether);
    {
      const WriteLock two(target, Kind::kTogether);
      EXPECT_THROW(WriteLock{target}, Error);
    }
    EXPECT_THROW(WriteLock{target}, Error);
  }
  EXPECT_TRUE(WriteLock::if_free(target));
  EXPECT_EQ(entries(), 0U);
  const int status = status_of_child([&] {
    const WriteLock lock(folder_ / "model");
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(), 1U);
  EXPECT_TRUE(WriteLock::if_free(folder_ / "model"));
  EXPECT_EQ(entries(), 0U);
  const int exited = status_of_child([&] {
    const WriteLock lock(folder_ / "model");
    std::exit(1);
  });
  ASSERT_TRUE(WIFEXITED(exited));
  EXPECT_EQ(entries(), 0U);
}

// mechanics: if a library ends the process, its unfinished outputs are removed; a forked child
// keeps those of its parent
TEST_F(Files, ExitRemovesWhatIsUnfinished) {
  StagedFolder of_parent(folder_ / "parent", none);
  of_parent.write("a", "half");
  const int status = status_of_child([&] {
    StagedFolder staged(folder_ / "model", none);
    staged.write("a", "half");
    write_file_by_parts(folder_ / "out", [](const PutText&) { std::exit(1); });
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(entries(), 1U);
  of_parent.commit();
  EXPECT_EQ(read_file(folder_ / "parent" / "a"), "half");
}

// mechanics: concurrent writers do not hinder each other, and a reader sees the whole file of one
// of them
TEST_F(Files, ManyWritersOfOneFile) {
  constexpr int kWriters = 8;
  constexpr int kTimes = 40;
  const auto content = [](int writer) {
    return std::string(5000, static_cast<char>('a' + writer));
  };
  const fs::path path = folder_ / "out";
  write_file(path, content(0));
  std::atomic<int> failed{0};
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kTimes; ++i) {
        try {
          write_file(path, content(w));
          const std::string seen = read_file(path);
          if (seen.size() != 5000U || seen != content(seen[0] - 'a')) ++failed;
        } catch (const Error& error) {
          ++failed;
          ADD_FAILURE() << error.what();
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(entries(), 1U);
}

// mechanics: the same for folders; one exists at every moment
TEST_F(Files, ManyWritersOfOneFolder) {
  const fs::path target = folder_ / "model";
  std::vector<std::thread> writers;
  writers.reserve(4);
  std::atomic<int> done{0};
  std::atomic<int> missing{0};
  const auto write = [&](const std::string& content) {
    try {
      StagedFolder staged(target, a_and_b);
      staged.write("a", content);
      staged.write("b", content);
      staged.commit();
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  };
  for (int w = 0; w < 4; ++w) {  // the first of them find nothing there
    writers.emplace_back([&, w] {
      for (int i = 0; i < 20; ++i) write(std::to_string(w));
      ++done;
    });
  }
  while (!fs::exists(target)) std::this_thread::yield();
  while (done < 4) missing += fs::exists(target) ? 0 : 1;
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(read_file(target / "a"), read_file(target / "b"));
  EXPECT_EQ(entries(), 1U);
}

// mechanics: foreseeable errors are found before writing, and the check changes nothing
TEST_F(Files, TheTrialLeavesEverythingAsItIs) {
  const fs::path old = folder_ / "old";
  write_file(old, "one");
  const auto time = fs::last_write_time(old);
  check_can_write_file(old);
  check_can_write_file(folder_ / "new");
  check_can_make_folder(folder_ / "x" / "y");
  check_can_make_folder(folder_);
  StagedFolder::check(folder_ / "x" / "model", none);
  EXPECT_THROW(check_can_write_file(folder_), Error);
  EXPECT_THROW(check_can_write_file(folder_ / "none" / "new"), Error);
  EXPECT_THROW(check_can_write_file(old / "new"), Error);
  EXPECT_THROW(check_can_write_file(""), UsageError);
  EXPECT_THROW(check_can_make_folder(old), Error);
  EXPECT_THROW(check_can_make_folder(old / "x" / "y"), Error);
  EXPECT_THROW(check_can_make_folder("/proc/x"), Error);
  EXPECT_EQ(read_file(old), "one");
  EXPECT_EQ(fs::last_write_time(old), time);
  EXPECT_EQ(entries(), 1U);
}

// mechanics: /dev/stdout and the like stand for a file that is already open
TEST_F(Files, ALinkToAnOpenFileIsWrittenThrough) {
  const fs::path path = folder_ / "out";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  const std::string link = "/dev/fd/" + std::to_string(file);
  check_can_write_file(link);
  write_file(link, "one");
  ::close(file);
  EXPECT_EQ(read_file(path), "one");
}

// mechanics: a terminal that closes stops the work like Ctrl-C, but not under nohup
TEST(Interruption, HangingUpIsOne) {
  const auto after_hanging_up = [](auto disposition) {
    return status_of_child([disposition] {
      std::signal(SIGHUP, disposition);
      catch_interruptions();
      std::raise(SIGHUP);
      ::_exit(interrupted() ? 1 : 2);
    });
  };
  EXPECT_EQ(WEXITSTATUS(after_hanging_up(SIG_DFL)), 1);
  EXPECT_EQ(WEXITSTATUS(after_hanging_up(SIG_IGN)), 2);
}

}  // namespace
}  // namespace leafglyph
