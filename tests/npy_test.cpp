#include "features/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "features/errors.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

// A file that goes away with the test.
class Npy : public ::testing::Test {
 protected:
  ~Npy() override { fs::remove(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  fs::path path_ = fs::temp_directory_path() / ("leafglyph-" + std::to_string(::getpid()) + ".npy");
};

const std::array<std::size_t, 2> kShape = {2, 3};

TEST_F(Npy, ValuesAndShapeComeBack) {
  const std::vector<double> values = {1, -2.5, 3e300, 4, 5, 6};
  write(npy_bytes<double>(values, kShape));
  const auto read = read_npy<double>(path_);
  EXPECT_EQ(read.values, values);
  EXPECT_EQ(read.shape, (std::vector<std::size_t>{2, 3}));
  const std::vector<std::complex<double>> moments(6, {1, -1});
  write(npy_bytes<std::complex<double>>(moments, kShape));
  EXPECT_EQ(read_npy<std::complex<double>>(path_).values, moments);
}

// oracle: the bytes that NumPy 1.x writes for np.array([1, 2], dtype=np.uint8)
TEST_F(Npy, ReadsWhatNumpyWrites) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }";
  header.append(118 - header.size() - 1, ' ');
  header += '\n';
  write(std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\x01\x02");
  EXPECT_EQ(read_npy<std::uint8_t>(path_).values, (std::vector<std::uint8_t>{1, 2}));
  EXPECT_EQ(read_npy<float>(path_).values, (std::vector<float>{1, 2}));
}

TEST_F(Npy, TheDataStandsAlignedAsTheFormatAsks) {
  const std::string bytes = npy_bytes<double>(std::vector<double>(6, 0.0), kShape);
  EXPECT_EQ((bytes.size() - 6 * sizeof(double)) % 64, 0U);
}

TEST_F(Npy, DamagedAndForeignFilesAreRefused) {
  EXPECT_THROW(read_npy<double>(path_), InputError);
  const std::string good = npy_bytes<double>(std::vector<double>(6, 1.0), kShape);
  for (const std::string& bad :
       {std::string(), std::string("PNG"), good.substr(0, 5), good.substr(0, 40),
        good.substr(0, good.size() - 1), good + "x", std::string("\x93NUMPY\x03\x00", 8) + good}) {
    write(bad);
    EXPECT_THROW(read_npy<double>(path_), FormatError) << bad.size();
  }
  write(good);
  EXPECT_THROW(read_npy<std::complex<double>>(path_), FormatError);
  std::string fortran = good;
  fortran.replace(fortran.find("False"), 5, "True ");
  write(fortran);
  EXPECT_THROW(read_npy<double>(path_), FormatError);
  std::string huge = good;
  huge.replace(huge.find("(2,3,), }"), 9, "(99999999");
  write(huge);
  EXPECT_THROW(read_npy<double>(path_), FormatError);
  EXPECT_THROW(npy_bytes<double>(std::vector<double>(5, 0.0), kShape), UsageError);
}

}  // namespace
}  // namespace leafglyph
