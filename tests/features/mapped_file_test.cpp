// Files mapped into memory.

#include <gtest/gtest.h>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

// mechanics: the bytes of a file, also of an empty one; anything but a regular file is refused.
TEST(MappedFile, HoldsTheBytes) {
  const TemporaryFolder folder;
  const std::string content(100'000, 'x');
  EXPECT_EQ(MappedFile(folder.write("a", content)).bytes(), content);
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
  EXPECT_THROW(MappedFile(folder / "none"), InputError);
  EXPECT_THROW(MappedFile(folder.path()), InputError);
}

// mechanics: replacing or removing the file does not change the mapping.
TEST(MappedFile, StaysWhenTheFileIsReplaced) {
  const TemporaryFolder folder;
  const std::string content(100'000, 'x');
  const std::filesystem::path file = folder.write("a", content);
  const MappedFile mapped(file);
  write_file(file, "y");
  EXPECT_EQ(mapped.bytes(), content);
  std::filesystem::remove(file);
  EXPECT_EQ(mapped.bytes(), content);
}

}  // namespace
}  // namespace leafglyph
