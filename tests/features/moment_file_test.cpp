#include "features/moments/moment_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "features/base/errors.h"
#include "features/base/npy.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

namespace fs = std::filesystem;

MomentFile example() {
  MomentFile file;
  file.spec = {Family::kPseudoZernike, 3, Method::kSubregion, 5};
  file.size = 20;
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
  EXPECT_EQ(a.size, b.size);
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

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string without_line(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key), end = text.find('\n', at) + 1;
  EXPECT_NE(at, text.npos) << key;
  return text.substr(0, at) + text.substr(end);
}

// A header in version 3 of the format, without a checksum of its own.
std::string older_header(const std::string& text) {
  return replaced(without_line(text, "header sha256"), "moments-4", "moments-3");
}

// The moments of a volume, which are real.
MomentFile volume_example() {
  MomentFile file;
  file.spec = {Family::kJacobi, 3, Method::kExact, 1, {0.3, -0.7}};
  file.size = {5, 6, 7};
  file.width = 5;
  file.height = 6;
  file.range = {SampleDepth::kFloat, 0.1};
  file.rows = {"scan:grey"};
  for (std::size_t i = 0; i < file.moment_count(); ++i) {
    file.values.emplace_back(1.0 / (static_cast<double>(i) + 3.0), 0.0);
  }
  return file;
}

// mechanics: moments of every family read back as written, to the last bit
TEST(MomentFile, ComesBack) {
  const TemporaryFolder folder;
  MomentFile square = volume_example();
  square.size = 6;
  square.values.resize(square.moment_count());
  MomentFile masked = example();
  masked.spec.mask = Mask::kWhole;
  MomentFile unequal = example();
  unequal.spec = {Family::kBesselFourier, 2, Method::kAdaptive, 1, {}, {}, 4};
  unequal.values.resize(2 * unequal.moment_count());
  MomentFile complex = example();  // with orders below 0
  complex.spec = {Family::kExponentFourier, 2, Method::kSubregion, 3};
  complex.values.resize(2 * complex.moment_count());
  MomentFile weighted = example();
  weighted.spec = {Family::kJacobiFourier, 2, Method::kSubregion, 1, {2, 1.5}};
  weighted.values.resize(2 * weighted.moment_count());
  MomentFile foreign = example();
  foreign.spec = {Family::kZernike, 4};
  foreign.values.resize(2 * foreign.moment_count());
  foreign.spec.convention = convention_from_text("mahotas", "3.25,-4", "12.5");
  MomentFile placed = example();
  placed.spec.convention = convention_from_text("textbook", "centroid", "enclosing");
  for (const MomentFile& file :
       {example(), volume_example(), square, masked, unequal, complex, weighted, foreign, placed}) {
    write_moment_file(folder.path() / "m.npy", file);
    expect_same(read_moment_file(folder.path() / "m.npy"), file);
  }
  write_moment_file(folder.path() / "e.npy", complex);
  EXPECT_NE(text_of(folder.path() / "e.npy.txt").find("(-n, -m) is the complex conjugate"),
            std::string::npos);
}

// mechanics: files that predate the circle of a convention
TEST(MomentFile, WithoutACircleIsOfTheInscribedOne) {
  const TemporaryFolder folder;
  const fs::path npy = folder.path() / "m.npy", header = npy.string() + ".txt";
  write_moment_file(npy, example());
  put(header, replaced(older_header(text_of(header)), "centre: image\nradius: inscribed\n", ""));
  expect_same(read_moment_file(npy), example());
}

// mechanics: the columns beside the array are the stored moments, and the header is correct
TEST(MomentFile, ColumnsAndHeaderSayWhatIsThere) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "m.npy";
  write_moment_file(path, example());
  EXPECT_EQ(moment_file_parts(path),
            (std::vector<fs::path>{path, folder.path() / "m.columns.npy", path.string() + ".txt"}));
  const auto columns = read_npy<double>(folder.path() / "m.columns.npy");
  EXPECT_EQ(columns.type, "<i4");
  EXPECT_EQ(columns.shape, (std::vector<std::size_t>{10, 2}));
  const auto indices = moment_indices(Family::kPseudoZernike, 3);
  for (std::size_t c = 0; c < indices.size(); ++c) {
    EXPECT_EQ(columns.values[2 * c], indices[c].n);
    EXPECT_EQ(columns.values[2 * c + 1], indices[c].m);
  }
  const std::string header = text_of(path.string() + ".txt");
  EXPECT_NE(header.find("convention: textbook\ncentre: image\nradius: inscribed\n"), header.npos)
      << header;
  EXPECT_NE(header.find("mask: centre\n"), header.npos);
  EXPECT_NE(header.find("complex conjugate of (n, m)"), header.npos);
  write_moment_file(path, volume_example());
  const auto degrees = read_npy<double>(folder.path() / "m.columns.npy");
  EXPECT_EQ(degrees.shape, (std::vector<std::size_t>{20, 3}));
  for (std::size_t c = 0; c < 20; ++c) {
    EXPECT_EQ(volume_moment_position(static_cast<int>(degrees.values[3 * c]),
                                     static_cast<int>(degrees.values[3 * c + 1]),
                                     static_cast<int>(degrees.values[3 * c + 2])),
              c);
  }
  EXPECT_EQ(read_npy<double>(path).type, "<f8");
  const std::string of_volume = text_of(path.string() + ".txt");
  EXPECT_NE(of_volume.find("convention: orthonormal\n"), of_volume.npos) << of_volume;
  EXPECT_NE(of_volume.find("mask: all\n"), of_volume.npos);
}

// mechanics: all damage of a header without a checksum is reported, and none is read as something
// else
TEST(MomentFile, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  const MomentFile file = example();
  const fs::path path = folder.path() / "m.npy", header = path.string() + ".txt";
  write_moment_file(path, file);
  const std::string text = older_header(text_of(header));
  put(header, text);
  EXPECT_EQ(read_moment_file(path).values, file.values);
  const std::vector<std::pair<std::string, std::string>> damages{
      {"leafglyph-moments-3", "leafglyph-moments-9"},
      {"textbook", "area"},
      {"textbook", "orthonormal"},
      {"textbook", "nyxus"},
      {"centre: image", "centre: middle"},
      {"radius: inscribed", "radius: 0"},
      {"family: pseudo-zernike", "family: zernike"},
      {"family: pseudo-zernike", "family: hu"},
      {"order: 3", "order: 4"},
      {"order: 3", "order: 2"},
      {"order: 3", "order: -3"},
      {"order: 3", "order: 10000"},
      {"order: 3", "orders"},
      {"order: 3\n", ""},
      {"points: 5", "points: 0"},
      {"method: sub-regions", "method: exact"},
      {"mask: centre", "mask: all"},
      {"padded width: 20", "padded width: 21"},
      {"slices: 0", "slices: 2"},
      {"depth: 8-bit", "depth: 9-bit"},
      {"peak: 255", "peak: -1"},
  };
  for (const auto& [from, to] : damages) {
    put(header, replaced(text, from, to));
    EXPECT_THROW(read_moment_file(path), FormatError) << from << " -> " << to;
  }
  put(header, "");
  EXPECT_THROW(read_moment_file(path), FormatError);
  EXPECT_THROW(read_moment_file(folder.path() / "none.npy"), InputError);
  for (const char* name : {"m.txt", "m.csv"}) {
    EXPECT_THROW(read_moment_file(folder.path() / name), UsageError);
  }
  EXPECT_THROW(write_moment_file(folder.path() / "m.txt", file), UsageError);
}

// mechanics: the same for the array and its header
TEST(MomentFile, DamagedHeadersAreRefused) {
  const TemporaryFolder folder;
  for (const MomentFile& file : {example(), volume_example()}) {
    const fs::path npy = folder.path() / "m.npy";
    write_moment_file(npy, file);
    const fs::path header = npy.string() + ".txt";
    const std::string text = text_of(header);
    for (const auto& [from, to] :
         {std::pair{"order: 3", "order: 4"}, std::pair{"moments-4", "moments-2"},
          std::pair{"sha256: ", "sha1: "}, std::pair{"row: ", "rows: "}}) {
      put(header, replaced(text, from, to));
      EXPECT_THROW(read_moment_file(npy), FormatError) << from << " -> " << to;
    }
    fs::remove(header);
    EXPECT_THROW(read_moment_file(npy), InputError);
  }
}

// mechanics: files of version 3, which has no checksum of the header, can be read.
TEST(MomentFile, FilesOfTheVersionBeforeAreRead) {
  const TemporaryFolder folder;
  const fs::path npy = folder.path() / "m.npy", header = npy.string() + ".txt";
  for (const MomentFile& file : {example(), volume_example()}) {
    write_moment_file(npy, file);
    put(header, older_header(text_of(header)));
    expect_same(read_moment_file(npy), file);
  }
}

// regression: after two concurrent writers, or one that was killed, the array of one image stayed
// with the header of another
TEST(MomentFile, AnArrayWithTheHeaderOfAnotherIsRefused) {
  const TemporaryFolder folder;
  const fs::path npy = folder.path() / "m.npy";
  const fs::path other_npy = folder.path() / "o.npy";
  MomentFile other = example();
  other.values[5] += 1e-9;
  write_moment_file(npy, example());
  write_moment_file(other_npy, other);
  fs::copy_file(other_npy, npy, fs::copy_options::overwrite_existing);
  EXPECT_TRUE(refuses<FormatError>([&] { read_moment_file(npy); }, "again"));
  expect_same(read_moment_file(other_npy), other);
}

// mechanics: a name that contains a newline stays on one line of the header
TEST(MomentFile, RowsAreLines) {
  const TemporaryFolder folder;
  MomentFile file = example();
  file.rows = {"a\nb.png:red", "a\r\nb.png:green"};
  write_moment_file(folder.path() / "m.npy", file);
  EXPECT_EQ(read_moment_file(folder.path() / "m.npy").rows,
            (std::vector<std::string>{"a b.png:red", "a  b.png:green"}));
}

}  // namespace
}  // namespace leafglyph
