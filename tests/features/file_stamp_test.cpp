// A file's stamp changes with the file.
#include "features/base/files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "features/base/input_file.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

FileStamp stamp_at(const fs::path& path) { return stamp_of(open_input(path).get()); }

// invariant: reading a file keeps its stamp; another size, another time and another file in its
// place each change it.
TEST(FileStamp, ChangesWithTheFile) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("a", "content");
  const fs::file_time_type time = fs::last_write_time(file) - std::chrono::hours(1);
  fs::last_write_time(file, time);
  const FileStamp before = stamp_at(file);
  read_file(file);
  EXPECT_EQ(stamp_at(file), before);
  EXPECT_EQ(stamp_text(stamp_at(file)), stamp_text(before));
  const auto expect_other = [&](const FileStamp& now, const char* what) {
    EXPECT_NE(now, before) << what;
    EXPECT_NE(stamp_text(now), stamp_text(before)) << what;
  };
  folder.write("a", "content!");
  fs::last_write_time(file, time);
  EXPECT_NE(stamp_at(file).size, before.size);
  expect_other(stamp_at(file), "size");
  folder.write("a", "Content");
  EXPECT_EQ(stamp_at(file).size, before.size);
  EXPECT_NE(stamp_at(file).modified, before.modified);
  expect_other(stamp_at(file), "time");
  fs::rename(folder.write("b", "content"), file);
  fs::last_write_time(file, time);
  EXPECT_NE(stamp_at(file).inode, before.inode);
  expect_other(stamp_at(file), "file");
}

// oracle: lasting means changed at least 2 seconds ago, the resolution of the slowest file system's
// clock.
TEST(FileStamp, LastsOnceTheClockHasGoneOn) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  FileStamp stamp;
  stamp.modified = 5 * kSecond;
  stamp.changed = 10 * kSecond;
  EXPECT_FALSE(is_lasting(stamp, 10 * kSecond));
  EXPECT_FALSE(is_lasting(stamp, 12 * kSecond - 1));
  EXPECT_TRUE(is_lasting(stamp, 12 * kSecond));
  stamp.modified = 20 * kSecond;  // a clock that was ahead
  EXPECT_FALSE(is_lasting(stamp, 12 * kSecond));
}

}  // namespace
}  // namespace leafglyph
