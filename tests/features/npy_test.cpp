#include "features/base/npy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;

namespace fs = std::filesystem;

// A file that is removed after the test.
class Npy : public ::testing::Test {
 protected:
  ~Npy() override { fs::remove(path_); }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  fs::path path_ = fs::temp_directory_path() / ("leafglyph-" + std::to_string(::getpid()) + ".npy");
};

const std::array<std::size_t, 2> kShape = {2, 3};

// mechanics: values and shape read back as written.
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

// The bytes of a file with `count` elements of a type, as NumPy 1.x writes them.
std::string numpy_file(const std::string& type, std::size_t count, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
  header.append(118 - header.size() - 1, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" + data;
}

template <class Integer>
std::string bytes_of(const std::vector<Integer>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Integer)};
}

// oracle: integers of every width, including their extremes, are read as the same numbers.
TEST_F(Npy, IntegersAreReadExactly) {
  const auto expect_exact = [&]<class Integer>(const std::string& type, Integer low, Integer high) {
    const std::vector<Integer> values = {low, Integer{0}, Integer{1}, high};
    write(numpy_file(type, values.size(), bytes_of(values)));
    const auto read = read_npy<double>(path_);
    EXPECT_EQ(read.type, type);
    ASSERT_EQ(read.values.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(static_cast<Integer>(read.values[i]), values[i]) << type;
    }
  };
  expect_exact("|u1", std::uint8_t{0}, std::uint8_t{255});
  expect_exact("|i1", std::int8_t{-128}, std::int8_t{127});
  expect_exact("<u2", std::uint16_t{0}, std::uint16_t{65535});
  expect_exact("<i2", std::int16_t{-32768}, std::int16_t{32767});
  expect_exact("<u4", std::uint32_t{0}, std::uint32_t{4294967295U});
  expect_exact("<i4", std::int32_t{-2147483647 - 1}, std::int32_t{2147483647});
  const std::int64_t digits = std::int64_t{1} << 53;
  expect_exact("<i8", -digits, digits);
  expect_exact("<u8", std::uint64_t{0}, static_cast<std::uint64_t>(digits));
  // For float the limit is 2^24.
  write(numpy_file("<i4", 1, bytes_of<std::int32_t>({1 << 24})));
  EXPECT_EQ(read_npy<float>(path_).values, std::vector<float>{16777216.0F});
}

// oracle: the other byte order, truth values and half precision, as NumPy writes them, are the
// numbers that NumPy reads.
TEST_F(Npy, OtherOrdersAndTypesAreRead) {
  const auto expect = [&](const std::string& type, const std::string& data,
                          const std::vector<double>& values) {
    write(numpy_file(type, values.size(), data));
    EXPECT_EQ(read_npy<double>(path_).values, values) << type;
  };
  expect(">f4", std::string("\x3f\x80\0\0\xc0\x20\0\0", 8), {1, -2.5});
  expect(">f8", std::string("\x3f\xf8\0\0\0\0\0\0", 8), {1.5});
  expect(">i2", std::string("\xff\xfe\x01\x00", 4), {-2, 256});
  expect(">u4", std::string("\x80\0\0\1", 4), {2147483649.0});
  expect("|b1", std::string("\0\1\1", 3), {0, 1, 1});
  // 1, -2, the largest, the smallest above 0.
  expect("<f2", std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8),
         {1, -2, 65504, std::ldexp(1, -24)});
  expect(">f2", std::string("\x3c\x00", 2), {1});
  write(numpy_file("<f2", 3, std::string("\x00\x7c\x00\xfc\x01\x7e", 6)));
  const std::vector<double> values = read_npy<double>(path_).values;
  EXPECT_EQ(values[0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(values[1], -values[0]);
  EXPECT_TRUE(std::isnan(values[2]));
  // What is used in place has our own order.
  const float two[] = {1, 2};
  const std::string own = npy_bytes<float>(two, std::vector<std::size_t>{2});
  for (const auto& [from, to] : {std::pair{"<f4", ">f4"}, {"False", "True "}}) {
    std::string file = own;
    file.replace(file.find(from), std::string(from).size(), to);
    EXPECT_NE(refusal<FormatError>([&] {
                npy_place<float>(file, file.size(), "a");
              }).find("another order"),
              std::string::npos);
  }
}

// oracle: an array in Fortran order has its values where their indices are.
TEST_F(Npy, FortranOrderIsPutIntoCOrder) {
  const std::vector<std::size_t> shape = {2, 3, 4};
  std::vector<double> stored(24), expected(24);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 4; ++k) {
        stored[i + 2 * (j + 3 * k)] = expected[(i * 3 + j) * 4 + k] =
            static_cast<double>(100 * i + 10 * j + k);
      }
    }
  }
  std::string file = npy_bytes<double>(stored, shape);
  file.replace(file.find("False"), 5, "True ");
  write(file);
  EXPECT_EQ(read_npy<double>(path_).values, expected);
  EXPECT_EQ(read_npy<double>(path_).shape, shape);
}

// mechanics: an integer that would be rounded and an unsupported type are named.
TEST_F(Npy, RoundedIntegersAndOtherTypesAreNamed) {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  write(numpy_file("<i8", 1, bytes_of<std::int64_t>({odd})));
  EXPECT_NE(refusal<FormatError>([&] { read_npy<double>(path_); }).find("9007199254740993"),
            std::string::npos);
  write(numpy_file("<i8", 1, bytes_of<std::int64_t>({std::numeric_limits<std::int64_t>::min()})));
  EXPECT_NE(refusal<FormatError>([&] { read_npy<double>(path_); }).find("-9223372036854775808"),
            std::string::npos);
  write(numpy_file("<i4", 1, bytes_of<std::int32_t>({(1 << 24) + 1})));
  EXPECT_NE(refusal<FormatError>([&] { read_npy<float>(path_); }).find("16777217"),
            std::string::npos);
  for (const char* type : {"<U3", "<c8", "<f3"}) {
    write(numpy_file(type, 2, std::string(16, 'x')));
    EXPECT_NE(
        refusal<FormatError>([&] { read_npy<double>(path_); }).find(std::string("'") + type + "'"),
        std::string::npos);
  }
}

// mechanics: the data starts at a multiple of 64 bytes.
TEST_F(Npy, TheDataStandsAlignedAsTheFormatAsks) {
  const std::string bytes = npy_bytes<double>(std::vector<double>(6, 0.0), kShape);
  EXPECT_EQ((bytes.size() - 6 * sizeof(double)) % 64, 0U);
}

// mechanics: values are used in place, in the bytes of a file; what is refused.
TEST_F(Npy, AViewIsOfTheBytesThemselves) {
  const std::vector<float> values = {1, -2.5, 3e30F, 4, 5, 6};
  const std::string good = npy_bytes<float>(values, kShape);
  const NpyView<float> view = view_npy<float>(good, path_);
  EXPECT_TRUE(std::equal(view.values.begin(), view.values.end(), values.begin(), values.end()));
  EXPECT_EQ(view.shape, std::vector<std::size_t>(kShape.begin(), kShape.end()));
  EXPECT_EQ(reinterpret_cast<const char*>(view.values.data() + view.values.size()),
            good.data() + good.size());
  for (const std::string& bad : {std::string(), good.substr(0, 40), good.substr(0, good.size() - 1),
                                 good + "x", npy_bytes<double>(std::vector<double>(6), kShape)}) {
    EXPECT_THROW(view_npy<float>(bad, path_), FormatError) << bad.size();
  }
  const std::string moved = "x" + good;
  EXPECT_THROW(view_npy<float>(std::string_view(moved).substr(1), path_), FormatError);
}

// mechanics: what is refused, and how.
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
  std::string huge = good;
  huge.replace(huge.find("(2,3,), }"), 9, "(99999999");
  write(huge);
  EXPECT_THROW(read_npy<double>(path_), FormatError);
  EXPECT_THROW(npy_bytes<double>(std::vector<double>(5, 0.0), kShape), UsageError);
}

}  // namespace
}  // namespace leafglyph
