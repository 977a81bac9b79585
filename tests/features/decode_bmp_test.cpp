// Every kind of BMP file, written byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"

namespace leafglyph {
namespace {

using testing::refuses;
using testing::TemporaryFolder;
using testing::write_bytes;

// A BMP file with a 40-byte header and the data after it.
struct Bitmap {
  int width = 0;
  int height = 0;  // negative: rows from the top
  int bits = 24;
  int compression = 0;
  std::vector<std::uint32_t> table;  // masks or palette
  std::vector<std::uint8_t> rows;    // padded to 4 bytes each, in file order
  int header_bytes = 40;

  std::vector<char> bytes() const {
    std::vector<char> file = {'B', 'M'};
    const auto put = [&](std::uint32_t value, int count) {
      for (int i = 0; i < count; ++i, value >>= 8) file.push_back(static_cast<char>(value));
    };
    const auto masks = static_cast<int>(4 * table.size());
    const int extra = header_bytes - 40;  // longer headers contain the masks
    const int at = 54 + std::max(masks, extra);
    put(static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(rows.size()), 4);
    put(0, 4);
    put(static_cast<std::uint32_t>(at), 4);
    put(static_cast<std::uint32_t>(header_bytes), 4);
    put(static_cast<std::uint32_t>(width), 4);
    put(static_cast<std::uint32_t>(height), 4);
    put(1, 2);
    put(static_cast<std::uint32_t>(bits), 2);
    put(static_cast<std::uint32_t>(compression), 4);
    put(0, 12);
    put(bits <= 8 ? static_cast<std::uint32_t>(table.size()) : 0, 4);
    put(0, 4);
    for (const std::uint32_t entry : table) put(entry, 4);
    for (int i = masks; i < extra; ++i) file.push_back(0);
    file.insert(file.end(), rows.begin(), rows.end());
    return file;
  }
};

// oracle: every supported kind of BMP file, checked bit by bit.
TEST(DecodeBmp, EveryKindIsRead) {
  const TemporaryFolder folder;
  const auto decoded = [&](const Bitmap& bitmap) {
    write_bytes(folder / "a.bmp", bitmap.bytes());
    return decode_samples(folder / "a.bmp");
  };
  // two rows of two pixels, the lower one first
  const Bitmap plain{2, 2, 24, 0, {}, {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}};
  EXPECT_EQ(values_of(decoded(plain)),
            (std::vector<double>{9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4}));
  Bitmap from_top = plain;
  from_top.height = -2;
  EXPECT_EQ(values_of(decoded(from_top)),
            (std::vector<double>{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
  const Bitmap mono{10, 1, 1, 0, {0x000000, 0xffffff}, {0b10110000, 0b01000000, 0, 0}};
  EXPECT_EQ(values_of(decoded(mono)), (std::vector<double>{255, 0, 255, 255, 0, 0, 0, 0, 0, 255}));
  const Bitmap four{3, 1, 4, 0, {0x102030, 0x405060, 0x708090}, {0x21, 0x00, 0, 0}};
  EXPECT_EQ(values_of(decoded(four)),
            (std::vector<double>{0x70, 0x80, 0x90, 0x40, 0x50, 0x60, 0x10, 0x20, 0x30}));
  const Bitmap eight{2, 1, 8, 0, {0x070707, 0xfafafa}, {1, 0, 0, 0}};
  EXPECT_EQ(decoded(eight).channels, 1);
  EXPECT_EQ(values_of(decoded(eight)), (std::vector<double>{0xfa, 7}));
  // 5 bits each: 31, 16, 0; then white
  const Bitmap five{2, 1, 16, 0, {}, {0x00, 0x7e, 0xff, 0x7f}};
  EXPECT_EQ(values_of(decoded(five)), (std::vector<double>{255, 132, 0, 255, 255, 255}));
  // 5, 6 and 5 bits: 31, 32, 1
  const Bitmap six{1, 1, 16, 3, {0xf800, 0x07e0, 0x001f}, {0x01, 0xfc, 0, 0}};
  EXPECT_EQ(values_of(decoded(six)), (std::vector<double>{255, 130, 8}));
  // red in the lowest byte; the highest byte has no meaning
  const Bitmap fields{1, 1, 32, 3, {0xff, 0xff00, 0xff0000}, {1, 2, 3, 99}};
  EXPECT_EQ(values_of(decoded(fields)), (std::vector<double>{1, 2, 3}));
  Bitmap alpha{1, 1, 32, 3, {0xff0000, 0xff00, 0xff, 0xff000000}, {0, 0, 100, 51}};
  alpha.header_bytes = 56;
  EXPECT_EQ(values_of(decoded(alpha)), (std::vector<double>{224, 204, 204}));
  const Bitmap unused{1, 1, 32, 0, {}, {1, 2, 3, 0}};
  EXPECT_EQ(values_of(decoded(unused)), (std::vector<double>{3, 2, 1}));
}

// mechanics: unsupported kinds of BMP are named, and damaged files are refused.
TEST(DecodeBmp, OtherKindsAreRefused) {
  const TemporaryFolder folder;
  const auto expect = [&](const Bitmap& bitmap, const std::string& words) {
    write_bytes(folder / "a.bmp", bitmap.bytes());
    EXPECT_TRUE(refuses<InputError>([&] { decode_samples(folder / "a.bmp"); }, words));
  };
  expect({2, 1, 8, 1, {0, 1}, {2, 1, 0, 1}}, "run-length");
  expect({2, 1, 4, 2, {0, 1}, {2, 1, 0, 1}}, "run-length");
  expect({1, 1, 24, 4, {}, {0, 0, 0, 0}}, "compression 4");
  expect({1, 1, 3, 0, {}, {0, 0, 0, 0}}, "3 bits a pixel");
  expect({1, 1, 32, 3, {0x3ff00000, 0xffc00, 0x3ff}, {0, 0, 0, 0}}, "more than 8 bits");
  expect({1, 1, 32, 3, {0xf0f, 0xf000, 0xf0000}, {0, 0, 0, 0}}, "damaged");
  expect({1, 1, 32, 3, {0, 0xff00, 0xff}, {0, 0, 0, 0}}, "damaged");
  expect({2, 1, 8, 0, {0, 1}, {0, 2, 0, 0}}, "damaged");  // index 2 into a palette of 2
  expect({2, 2, 24, 0, {}, {0, 0, 0, 0, 0, 0, 0, 0}}, "truncated");
  expect({0, 1, 24, 0, {}, {0, 0, 0, 0}}, "damaged");
  expect({9000, -9000, 24, 0, {}, {}}, "larger than 64 million");
  Bitmap old{1, 1, 24, 0, {}, {0, 0, 0, 0}};
  old.header_bytes = 12;
  expect(old, "OS/2");
}

}  // namespace
}  // namespace leafglyph
