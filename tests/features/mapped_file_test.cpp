// Files mapped into memory, and files that are cut while they are mapped.
#include "features/base/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::refuses;

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() { guard_mapped_files(); }

  static std::size_t sum_of(const MappedFile& mapped) {
    return std::accumulate(mapped.bytes().begin(), mapped.bytes().end(), std::size_t{0});
  }
  static void expect_cut(const MappedFile& mapped) {
    EXPECT_TRUE(refuses<FormatError>([&] { mapped.check(); },
                                     "was cut or changed while it was read; make it again"));
  }

  TemporaryFolder folder_;
  const std::string content_ = std::string(1'000'000, 'x');
  const fs::path file_ = folder_.write("a", content_);
};

// mechanics: the bytes of a file, also of an empty one; anything but a regular file is refused.
TEST_F(MappedFileTest, HoldsTheBytes) {
  EXPECT_EQ(MappedFile(file_, "").bytes(), content_);
  const MappedFile empty(folder_.write("empty", ""), "");
  EXPECT_TRUE(empty.bytes().empty());
  EXPECT_NO_THROW(empty.check());
  EXPECT_THROW(MappedFile(folder_ / "none", ""), InputError);
  EXPECT_THROW(MappedFile(folder_.path(), ""), InputError);
}

// mechanics: replacing or removing the file does not change the mapping, nor does it count as
// damage.
TEST_F(MappedFileTest, StaysWhenTheFileIsReplaced) {
  const MappedFile mapped(file_, "");
  write_file(file_, "y");
  EXPECT_EQ(mapped.bytes(), content_);
  EXPECT_NO_THROW(mapped.check());
  fs::remove(file_);
  EXPECT_EQ(mapped.bytes(), content_);
  EXPECT_NO_THROW(mapped.check());
}

// mechanics: a file that is cut before, between or after readings is damaged, to whatever size, and
// other files are not.
TEST_F(MappedFileTest, IsDamagedWhenTheFileIsCut) {
  const MappedFile other(folder_.write("b", content_), "");
  for (const std::size_t left : {0U, 1U, 4096U, 500'000U, 999'424U, 999'999U}) {
    for (const bool read_before : {false, true}) {
      const MappedFile mapped(folder_.write("c", content_), "make it again");
      if (read_before) {
        EXPECT_EQ(sum_of(mapped), content_.size() * 'x');
      }
      EXPECT_NO_THROW(mapped.check());
      fs::resize_file(folder_ / "c", left);
      EXPECT_EQ(sum_of(mapped), left * 'x') << left;
      expect_cut(mapped);
    }
  }
  EXPECT_EQ(sum_of(other), content_.size() * 'x');
  EXPECT_NO_THROW(other.check());
}

// mechanics: what is written over a file in place, also if it is as long, is damage; so is a file
// that was cut and then removed.
TEST_F(MappedFileTest, IsDamagedWhenTheFileIsOverwritten) {
  const auto old = fs::last_write_time(file_) - std::chrono::hours(1);
  fs::last_write_time(file_, old);
  const MappedFile mapped(file_, "make it again");
  std::ofstream(file_) << content_;
  expect_cut(mapped);
  const MappedFile again(file_, "make it again");
  fs::resize_file(file_, 10);
  EXPECT_EQ(sum_of(again), 10U * 'x');
  fs::remove(file_);
  expect_cut(again);
}

// mechanics: several threads touch what is gone from several files, while others are mapped.
TEST_F(MappedFileTest, IsDamagedOnAnyThread) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const fs::path file = folder_.write(std::to_string(t), content_);
        const MappedFile mapped(file, "make it again");
        const bool cut = (i + t) % 2 == 0;
        if (cut) fs::resize_file(file, 4096);
        EXPECT_EQ(sum_of(mapped), (cut ? 4096 : content_.size()) * 'x');
        if (cut) {
          expect_cut(mapped);
        } else {
          EXPECT_NO_THROW(mapped.check());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// mechanics: checked_use gives the result if the files are as they were, and else their damage
// instead of the result or of another error.
TEST_F(MappedFileTest, CountsOnlyIfTheFileWasWhole) {
  const auto mapped = std::make_shared<const MappedFile>(file_, "make it again");
  const MappedFiles files{{mapped}};
  EXPECT_EQ(checked_use(files, [&] { return sum_of(*mapped); }), content_.size() * 'x');
  EXPECT_THROW(checked_use(files, [] { throw UsageError("another"); }), UsageError);
  const auto cut = [&] { fs::resize_file(file_, 1); };
  EXPECT_THROW(checked_use(files, [&] { return cut(), sum_of(*mapped); }), FormatError);
  EXPECT_THROW(checked_use(*mapped, [] { throw UsageError("another"); }), FormatError);
}

// mechanics: SIGBUS that does not concern a mapped file of ours still ends the process.
TEST_F(MappedFileTest, LeavesOtherMappingsAlone) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        guard_mapped_files();
        const int file = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
        const auto* bytes = static_cast<const volatile char*>(
            ::mmap(nullptr, content_.size(), PROT_READ, MAP_PRIVATE, file, 0));
        fs::resize_file(file_, 0);
        static_cast<void>(bytes[content_.size() - 1]);
      },
      "");
}

}  // namespace
}  // namespace leafglyph
