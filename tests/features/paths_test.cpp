// Questions about paths work for any path.

#include <gtest/gtest.h>

#include "features/base/errors.h"
#include "features/base/files.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

struct Answers {
  bool there, folder, regular, link;
  bool operator==(const Answers&) const = default;
};
Answers answers(const fs::path& path) {
  return {is_there(path), is_folder(path), is_regular(path), is_link(path)};
}

// mechanics: files, folders, devices, links to them and dangling links.
TEST(Paths, KindsAreDistinguished) {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "x");
  fs::create_symlink(folder.path() / "file", folder.path() / "to-file");
  fs::create_symlink(folder.path() / "nothing", folder.path() / "to-nothing");
  EXPECT_EQ(answers(folder.path()), (Answers{true, true, false, false}));
  EXPECT_EQ(answers(folder.path() / "file"), (Answers{true, false, true, false}));
  EXPECT_EQ(answers("/dev/null"), (Answers{true, false, false, false}));
  EXPECT_EQ(answers(folder.path() / "to-file"), (Answers{true, false, true, true}));
  EXPECT_EQ(answers(folder.path() / "to-nothing"), (Answers{false, false, false, true}));
  EXPECT_EQ(answers(folder.path() / "none"), (Answers{}));
}

// regression: std::filesystem throws for a name that is too long, and for a name inside a file.
TEST(Paths, WhatCannotBeLookedAtIsNotThere) {
  const TemporaryFolder folder;
  write_file(folder.path() / "file", "x");
  EXPECT_EQ(answers(folder.path() / std::string(5000, 'd')), (Answers{}));
  EXPECT_EQ(answers(folder.path() / "file" / "inside"), (Answers{}));
  EXPECT_EQ(answers(""), (Answers{}));
}

// mechanics: names are sorted and hidden ones left out; a folder that cannot be read is refused.
TEST(Paths, NamesInFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"b", ".hidden", "a"}) write_file(folder.path() / name, "x");
  fs::create_directory(folder.path() / "c");
  EXPECT_EQ(names_in_folder(folder.path()), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_THROW(names_in_folder(folder.path() / "none"), InputError);
  EXPECT_THROW(names_in_folder(folder.path() / "a"), InputError);
}

}  // namespace
}  // namespace leafglyph
