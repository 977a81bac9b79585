#include "features/moments/moment_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "features/base/errors.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

MomentFile example() {
  MomentFile file;
  file.spec = {Family::kPseudoZernike, 3, Method::kSubregion, 5};
  file.image_size = 20;
  file.width = 20;
  file.height = 11;
  file.rows = {"a: b, c.png:red", "a: b, c.png:green"};
  for (std::size_t i = 0; i < 2 * file.moment_count(); ++i) {
    file.values.emplace_back(1.0 / (static_cast<double>(i) + 3.0),
                             -1e-300 * static_cast<double>(i));
  }
  return file;
}

void put(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

void expect_same(const MomentFile& a, const MomentFile& b) {
  EXPECT_EQ(a.spec, b.spec);
  EXPECT_EQ(a.image_size, b.image_size);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.height, b.height);
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.values, b.values);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

// mechanics: what is written comes back, to the last bit
TEST(MomentFile, ComesBackFromBothFormats) {
  const TemporaryFolder folder;
  const MomentFile file = example();
  put(folder.path() / "m.csv", moment_csv(file));
  expect_same(read_moment_file(folder.path() / "m.csv"), file);
  const fs::path npy = folder.path() / "m.npy";
  put(npy, moment_npy(file));
  put(header_path(npy), moment_side_file(file, moment_npy(file)));
  expect_same(read_moment_file(npy), file);
  MomentFile weighted = example();
  weighted.spec = {Family::kJacobi, 3, Method::kExact, 1, {0.3, -0.7}};
  put(folder.path() / "w.csv", moment_csv(weighted));
  expect_same(read_moment_file(folder.path() / "w.csv"), weighted);
}

// mechanics: every damage is named, none is read as something else
TEST(MomentFile, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  const MomentFile file = example();
  const std::string csv = moment_csv(file);
  const fs::path path = folder.path() / "m.csv";
  const std::vector<std::pair<std::string, std::string>> damages{
      {"leafglyph-moments-1", "leafglyph-moments-9"},
      {"textbook", "area"},
      {"family: pseudo-zernike", "family: zernike"},
      {"family: pseudo-zernike", "family: hu"},
      {"# order: 3", "# order: 4"},
      {"# order: 3", "# order: 2"},
      {"# order: 3", "# order: -3"},
      {"# order: 3", "# orders"},
      {"# order: 3\n", ""},
      {"# points: 5", "# points: 0"},
      {"# method: sub-regions", "# method: exact"},
      {"# size: 20", "# size: 21"},
      {"row,n,m,re", "n,m,re"},
      {"0,1,1,", "0,1,2,"},
      {"0,2,0,0.", "0,2,0,x."},
      {"\n1,3,3,", "\n1,3,3,0,"},
  };
  for (const auto& [from, to] : damages) {
    put(path, replaced(csv, from, to));
    EXPECT_THROW(read_moment_file(path), FormatError) << from << " -> " << to;
  }
  put(path, csv.substr(0, csv.size() - 80));
  EXPECT_THROW(read_moment_file(path), FormatError);
  put(path, csv + "1,4,0,0,0,0\n");
  EXPECT_THROW(read_moment_file(path), FormatError);
  put(path, "");
  EXPECT_THROW(read_moment_file(path), FormatError);

  const fs::path npy = folder.path() / "m.npy";
  put(npy, moment_npy(file));
  EXPECT_THROW(read_moment_file(npy), InputError);  // no side file
  const std::string side = moment_side_file(file, moment_npy(file));
  for (const auto& [from, to] :
       {std::pair{"order: 3", "order: 4"}, std::pair{"moments-2", "moments-1"},
        std::pair{"sha256: ", "sha1: "}}) {
    put(header_path(npy), replaced(side, from, to));
    EXPECT_THROW(read_moment_file(npy), FormatError) << from << " -> " << to;
  }
  EXPECT_THROW(read_moment_file(folder.path() / "none.csv"), InputError);
  EXPECT_THROW(read_moment_file(folder.path() / "m.txt"), UsageError);
}

// regression: of two writers, or one that was killed, the array of one image stayed with the header
// of another
TEST(MomentFile, AnArrayWithTheHeaderOfAnotherIsRefused) {
  const TemporaryFolder folder;
  const fs::path npy = folder.path() / "m.npy";
  const MomentFile file = example();
  MomentFile other = example();
  other.values[5] += 1e-9;
  put(npy, moment_npy(other));
  put(header_path(npy), moment_side_file(file, moment_npy(file)));
  try {
    read_moment_file(npy);
    ADD_FAILURE() << "was taken";
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("again"), std::string::npos) << error.what();
  }
  put(header_path(npy), moment_side_file(other, moment_npy(other)));
  expect_same(read_moment_file(npy), other);
}

// mechanics: a name with a newline in it stays one line of the header
TEST(MomentFile, RowsAreLines) {
  const TemporaryFolder folder;
  MomentFile file = example();
  file.rows = {"a\nb.png:red", "a\r\nb.png:green"};
  put(folder.path() / "m.csv", moment_csv(file));
  EXPECT_EQ(read_moment_file(folder.path() / "m.csv").rows,
            (std::vector<std::string>{"a b.png:red", "a  b.png:green"}));
}

}  // namespace
}  // namespace leafglyph
