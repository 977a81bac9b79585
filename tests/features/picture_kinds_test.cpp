// Pictures as other programs write them: every kind of sample, range of values, page and shape of
// pixels is read for leaves and for moments, which agree. The files are written byte by byte.
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "features/base/errors.h"
#include "features/base/npy.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "features/image_io/image_file.h"
#include "features/image_io/volume_file.h"
#include "features/leaf/label_image.h"
#include "features/leaf/preprocess.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"
#include "tests/support/small_files.h"

namespace leafglyph {
namespace {

using testing::fits_bytes;
using testing::nifti_bytes;
using testing::refusal;
using testing::refuses;
using testing::SampleStore;
using testing::TemporaryFolder;
using testing::tiff_bytes;
using testing::TiffPage;

constexpr int kWidth = 17, kHeight = 16;

// Grey values that cover 0 to 255.
std::vector<double> greys() {
  std::vector<double> values;
  for (int i = 0; i < kWidth * kHeight; ++i) values.push_back((i * 7) % 256);
  return values;
}

// A kind of sample and the values that stand for a grey value in it.
struct Kind {
  const char* name;
  SampleStore store;
  double per_grey, black;  // value = black + per_grey * grey
};

const Kind kKinds[] = {
    {"u8", {SampleStore::kUnsigned, 8}, 1, 0},
    {"u16", {SampleStore::kUnsigned, 16}, 257, 0},
    {"u32", {SampleStore::kUnsigned, 32}, 16843009, 0},
    {"s8", {SampleStore::kSigned, 8}, 1, -128},
    {"s16", {SampleStore::kSigned, 16}, 257, -32768},
    {"s32", {SampleStore::kSigned, 32}, 16843009, -2147483648.0},
    {"f16", {SampleStore::kFloat, 16}, 1 / 256.0, 0},
    {"f32", {SampleStore::kFloat, 32}, 1 / 255.0, 0},
    {"f64", {SampleStore::kFloat, 64}, 1 / 255.0, 0},
};

TiffPage page_of(const Kind& kind) {
  TiffPage page{kWidth, kHeight, kind.store, greys()};
  for (double& value : page.values) value = kind.black + kind.per_grey * value;
  return page;
}

// The name of a string would be that of a file.
SampleImage samples(std::string_view bytes, const char* name = "a.tif") {
  return decode_samples(bytes, std::filesystem::path(name));
}
std::vector<double> picture(std::string_view bytes, const char* name = "a.tif", int bits = 0) {
  return values_of(decode_picture(bytes, std::filesystem::path(name), 1000, false, nullptr, bits));
}
std::string notes(std::string_view bytes, const char* name = "a.tif") {
  std::string all;
  for (const std::string& note : decode_picture(bytes, std::filesystem::path(name), 1000).notes)
    all += note + "\n";
  return all;
}

// oracle: of every kind of sample in both byte orders, with white at either end, moments get the
// values of the file and leaves the grey values that they stand for.
TEST(PictureKinds, EverySampleIsReadForLeavesAndMoments) {
  for (const Kind& kind : kKinds) {
    for (const bool big_endian : {false, true}) {
      for (const int photometric : {0, 1}) {
        TiffPage page = page_of(kind);
        page.photometric = photometric;
        const std::string file = tiff_bytes({page}, big_endian);
        const std::string what =
            std::string(kind.name) + (big_endian ? " MM " : " II ") + std::to_string(photometric);
        const std::vector<double> values = values_of(samples(file)), grey = picture(file);
        const bool is_float = kind.store.format == SampleStore::kFloat;
        const double sum = is_float ? 1
                           : kind.store.format == SampleStore::kSigned
                               ? -1
                               : std::ldexp(1, kind.store.bits) - 1;
        for (std::size_t i = 0; i < page.values.size(); ++i) {
          const double stored = page.values[i];
          const double value = photometric == 1 ? stored : sum - stored;
          // Numbers are rounded to their precision.
          const double precision = is_float ? std::ldexp(1, -22) : 0;
          ASSERT_NEAR(values[i], value, precision) << what << ", sample " << i;
          const double expected = photometric == 1 ? greys()[i] : 255 - greys()[i];
          // 255 of 256 for half precision, whose values are exact powers.
          ASSERT_NEAR(grey[i], expected, kind.store.bits == 16 && is_float ? 1 : 0.01)
              << what << ", sample " << i;
        }
      }
    }
  }
}

// oracle: values of 8 to 16 bits in deeper samples have the grey values of the same picture in 8
// bits; a note says so. What the file states, and what the user states, counts before that.
TEST(PictureKinds, ValuesAreScaledByTheirBits) {
  const auto file = [](int bits, double highest, std::map<int, double> tags = {},
                       SampleStore store = {SampleStore::kUnsigned, 16}) {
    TiffPage page{kWidth, kHeight, store, greys(), 1, std::move(tags)};
    for (double& value : page.values) value = std::round(value / 255 * highest);
    static_cast<void>(bits);
    return tiff_bytes({page});
  };
  constexpr int kMaxSampleValue = 281;
  for (const int bits : {10, 12, 14, 16}) {
    const double highest = std::ldexp(1, bits) - 1;
    const std::string plain = file(bits, highest);
    const std::vector<double> grey = picture(plain);
    for (std::size_t i = 0; i < grey.size(); ++i) ASSERT_EQ(grey[i], greys()[i]) << bits;
    EXPECT_EQ(notes(plain).find(std::to_string(bits) + " bits") != std::string::npos, bits < 16);
    // Half as bright: no stretch.
    const std::string stated = file(bits, highest / 2, {{kMaxSampleValue, highest}});
    EXPECT_NEAR(picture(stated)[36], greys()[36] / 2, 0.51) << bits;
    EXPECT_EQ(values_of(samples(plain))[36], std::round(greys()[36] / 255 * highest)) << bits;
  }
  // A file that has more than it states is not believed.
  EXPECT_EQ(picture(file(12, 4095, {{kMaxSampleValue, 255}}))[36], greys()[36]);
  // A dark picture of 16 bits stays dark, whether one pixel is bright or the file says so.
  EXPECT_NEAR(picture(file(16, 20000))[36], greys()[36] * 20000 / 65535, 0.51);
  EXPECT_NEAR(picture(file(16, 3000, {{kMaxSampleValue, 65535}}))[36], greys()[36] * 3000 / 65535,
              0.51);
  EXPECT_NEAR(picture(file(16, 3000), "a.tif", 16)[36], greys()[36] * 3000 / 65535, 0.51);
  // Integers of 32 bits and numbers above 1.
  for (const SampleStore& store :
       {SampleStore{SampleStore::kUnsigned, 32}, {SampleStore::kFloat, 32}}) {
    for (const double highest : {255.0, 4095.0, 65535.0}) {
      EXPECT_EQ(picture(file(0, highest, {}, store))[36], greys()[36]) << highest;
    }
  }
}

// mechanics: the largest numbers have grey values, too.
TEST(PictureKinds, HugeNumbersAreScaled) {
  for (const double sign : {1.0, -1.0}) {
    TiffPage page{2, 1, {SampleStore::kFloat, 64}, {sign * 1e308, sign * 1.7e308}};
    const std::vector<double> grey = picture(tiff_bytes({page}));
    EXPECT_EQ(grey[1], sign > 0 ? 255 : 0);
  }
}

// oracle: negative values lie below a black that is as far below 0 as white is above; a little
// noise below 0 is black.
TEST(PictureKinds, NegativeValuesAreBelowTheMiddle) {
  const auto file = [](double per_grey, double black) {
    TiffPage page{kWidth, kHeight, {SampleStore::kSigned, 16}, greys()};
    for (double& value : page.values) value = std::round(black + per_grey * value);
    return tiff_bytes({page});
  };
  // 13 bits with the sign: -4096 to 4095.
  EXPECT_NEAR(picture(file(20, -2040))[36], (greys()[36] * 20 - 2040 + 4096) * 255 / 8191, 0.51);
  EXPECT_NEAR(picture(file(16, -50))[36], (greys()[36] * 16 - 50) * 255 / 4095, 0.51);
}

constexpr int kNewSubfileType = 254;

TiffPage flat_page(int side, double value, std::map<int, double> tags = {}) {
  return {side, side,
          {},   std::vector<double>(static_cast<std::size_t>(side * side), value),
          1,    std::move(tags)};
}

// mechanics: smaller copies and masks are never taken for the picture; which page was taken is
// said; FILE#N names one.
TEST(PictureKinds, ThePageIsThePicture) {
  const TiffPage small = flat_page(4, 9, {{kNewSubfileType, 1}}),
                 mask = flat_page(8, 1, {{kNewSubfileType, 4}});
  TiffPage picture_page = page_of(kKinds[0]), other = flat_page(5, 7);
  const std::string file = tiff_bytes({small, mask, picture_page, other});
  const SampleImage image = samples(file);
  EXPECT_EQ(image.width, kWidth);
  ASSERT_EQ(image.notes.size(), 1U);
  EXPECT_EQ(image.notes[0], "page 3 of 4 was read; FILE#N names page N");
  EXPECT_EQ(samples(file, "a.tif#4").width, 5);
  EXPECT_EQ(samples(file, "a.tif#1").width, 4);
  EXPECT_TRUE(samples(file, "a.tif#4").notes.empty());
  EXPECT_TRUE(refuses<InputError>([&] { samples(file, "a.tif#5"); }, "no such page"));
  EXPECT_TRUE(refuses<InputError>([&] { picture(encode_png(image), "a.png#2"); }, "one page"));
  // All are marked as copies: the largest.
  picture_page.tags[kNewSubfileType] = 1;
  EXPECT_EQ(samples(tiff_bytes({small, picture_page, small})).width, kWidth);
  // The picture is inside a page that is a copy, as in raw files of cameras.
  TiffPage outer = small;
  outer.inside = {page_of(kKinds[1])};
  EXPECT_EQ(samples(tiff_bytes({outer})).width, kWidth);
  EXPECT_EQ(picture(tiff_bytes({outer}, true)), greys());
  // A page that cannot be read does not cost the one before it.
  const std::string cut = tiff_bytes({page_of(kKinds[0]), other});
  EXPECT_EQ(samples(cut.substr(0, cut.size() - 20)).width, kWidth);
  // A blank page is said.
  EXPECT_NE(notes(tiff_bytes({other, picture_page})).find("was read and is blank; FILE#N"),
            std::string::npos);
  const TemporaryFolder folder;
  std::ofstream(folder / "a.tif", std::ios::binary) << file;
  EXPECT_EQ(decode_samples(folder / "a.tif#4").width, 5);
  std::ofstream(folder / "a.tif#4", std::ios::binary) << tiff_bytes({picture_page});
  EXPECT_EQ(decode_samples(folder / "a.tif#4").width, kWidth);  // a file of that name
}

// oracle: an image beyond the limit is reduced by blocks, in every way of reading; moments refuse
// it. All rows are those of one strip.
TEST(PictureKinds, HugeFilesAreReduced) {
  constexpr int kSide = 8300, kRows = 83;
  for (const SampleStore& store : {SampleStore{}, {SampleStore::kUnsigned, 16}}) {
    TiffPage page{kSide, kSide, store, std::vector<double>(std::size_t{kSide} * kRows)};
    for (std::size_t i = 0; i < page.values.size(); ++i) {
      page.values[i] = (i % 4 < 2 ? 40 : 200) * (store.bits == 16 ? 257 : 1);
    }
    std::string file = tiff_bytes({page});
    // The strip's rows, and a table with its place for each of the strips.
    const auto number = [](std::size_t value) {
      std::string bytes;
      for (int bit = 0; bit < 32; bit += 8) bytes += static_cast<char>(value >> bit);
      return bytes;
    };
    const std::size_t size = page.values.size() * static_cast<std::size_t>(store.bits) / 8;
    std::string places, sizes;
    for (int strip = 0; strip < kSide / kRows; ++strip) {
      places += number(8);
      sizes += number(size);
    }
    const auto point_to = [&](int tag, std::size_t count, std::size_t value) {
      const std::string head = {static_cast<char>(tag & 255), static_cast<char>(tag >> 8)};
      for (std::size_t at = file.size() - 4 - 12; at > 8 + size; at -= 12) {
        if (file.substr(at, 2) != head) continue;
        file.replace(at + 4, 8, number(count) + number(value));
        return;
      }
    };
    const std::size_t end = file.size();
    point_to(278, 1, kRows);
    point_to(273, kSide / kRows, end);
    point_to(279, kSide / kRows, end + places.size());
    file += places + sizes;
    const SampleImage image =
        decode_picture(std::string_view(file), std::filesystem::path("a.tif"), 1000);
    EXPECT_EQ(image.width, kSide / 2);
    EXPECT_EQ(image.file_height, kSide);
    const auto& grey = std::get<std::vector<std::uint8_t>>(image.samples);
    EXPECT_EQ(grey[0], 40);
    EXPECT_EQ(grey[1], 200);
    EXPECT_EQ(grey[grey.size() / 2 + 1], 200);
    EXPECT_TRUE(refuses<InputError>([&] { samples(file); }, "million pixels"));
  }
}

std::string chunk(const std::string& type, const std::string& data) {
  const auto number = [](std::size_t value) {
    std::string bytes;
    for (int bit = 24; bit >= 0; bit -= 8) bytes += static_cast<char>(value >> bit);
    return bytes;
  };
  const std::string body = type + data;
  unsigned long crc = 0xffffffff;
  for (const char c : body) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return number(data.size()) + body + number(crc ^ 0xffffffff);
}

// A PNG file with another chunk behind its header.
std::string with_chunk(std::string png, const std::string& type, const std::string& data) {
  constexpr std::size_t kHeaderBytes = 8 + 25;
  return png.insert(kHeaderBytes, chunk(type, data));
}

// oracle: significant bits of a PNG file count; a file that is scaled to all of its bits, as the
// standard asks, is not scaled again.
TEST(PictureKinds, PngStatesItsBits) {
  SampleImage image{kWidth, kHeight, 1, std::vector<std::uint16_t>()};
  auto& values = std::get<std::vector<std::uint16_t>>(image.samples);
  for (const double grey : greys()) values.push_back(static_cast<std::uint16_t>(grey * 4));
  const std::string png = encode_png(image);
  EXPECT_NEAR(picture(png, "a.png")[36], greys()[36] * 4 * 255 / 1023, 0.51);
  EXPECT_NEAR(picture(with_chunk(png, "sBIT", "\x0c"), "a.png")[36], greys()[36] * 4 * 255 / 4095,
              0.51);
  EXPECT_EQ(values_of(samples(png, "a.png"))[36], greys()[36] * 4);
  for (std::uint16_t& value : values) value = static_cast<std::uint16_t>(value / 4 * 257);
  const std::string full = encode_png(image);
  EXPECT_EQ(picture(with_chunk(full, "sBIT", "\x0c"), "a.png"), greys());
  EXPECT_EQ(notes(full, "a.png"), "");
}

// A leaf, as wide as given.
SampleImage leaf_image(int width) {
  constexpr int kRows = 240;
  const double share = width / 320.0;
  const Image<std::uint8_t> leaf =
      testing::ellipse_photograph(width, kRows, 150 * share, 115, 90 * share, 45);
  return {width, kRows, 1, std::vector<std::uint8_t>(leaf.pixels().begin(), leaf.pixels().end())};
}

std::string with_density(std::string jpeg, int across, int down) {
  constexpr std::size_t kUnits = 13;  // of the JFIF segment, which is the first
  const std::string density = {1, static_cast<char>(across >> 8), static_cast<char>(across & 255),
                               static_cast<char>(down >> 8), static_cast<char>(down & 255)};
  return jpeg.replace(kUnits, density.size(), density);
}

// oracle: a leaf scanned with half the pixels across is the leaf of square pixels, in each format
// that states its resolution, and when the user states the shape of the scene; a warning says so.
TEST(PictureKinds, TheShapeOfPixelsIsUndone) {
  const TemporaryFolder folder;
  const auto area_outside = [&](const PreparedLeaf& a, const PreparedLeaf& b) {
    double differ = 0, both = 0;
    for (std::size_t i = 0; i < a.mask.size(); ++i) {
      differ += a.mask.data()[i] != b.mask.data()[i];
      both += a.mask.data()[i] && b.mask.data()[i];
    }
    return differ / both;
  };
  const auto prepared = [&](const std::string& name, const std::string& bytes, double aspect = 0) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
    PrepareSpec spec;
    spec.source_aspect = aspect;
    return prepare_file(folder / name, spec);
  };
  const PreparedLeaf square = prepared("square.png", encode_png(leaf_image(320)));
  EXPECT_TRUE(square.warnings.empty());
  const SampleImage narrow = leaf_image(160);
  TiffPage page{160, 240, {}, values_of(narrow)};
  page.across = 100;
  page.down = 200;
  const std::string per_metre = std::string("\0\0\x0f\x61\0\0\x1e\xc2\1", 9);  // 3937, 7874
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.tif", tiff_bytes({page})},
           {"a.png", with_chunk(encode_png(narrow), "pHYs", per_metre)},
           {"a.jpg", with_density(encode_jpeg(narrow, 98), 100, 200)}}) {
    const PreparedLeaf leaf = prepared(name, bytes);
    // Its outline is that of pixels twice as wide.
    EXPECT_LT(area_outside(leaf, square), 0.04) << name;
    ASSERT_EQ(leaf.warnings.size(), 1U) << name;
    EXPECT_NE(leaf.warnings[0].find("not square"), std::string::npos);
  }
  EXPECT_GT(area_outside(prepared("plain.png", encode_png(narrow)), square), 0.3);
  EXPECT_LT(area_outside(prepared("stated.png", encode_png(narrow), 4.0 / 3), square), 0.04);
  // A density of nothing, and one that is not the shape of a pixel.
  for (const auto& [across, down] : {std::pair{0, 200}, {1, 200}, {200, 199}}) {
    EXPECT_TRUE(prepared("odd.jpg", with_density(encode_jpeg(leaf_image(320), 98), across, down))
                    .warnings.empty());
  }
  // A page on its side has its resolution turned with it.
  page.tags[274] = 6;
  EXPECT_EQ(samples(tiff_bytes({page}), "a.tif").pixel_aspect, 0.5);
}

// mechanics: a refused photograph says how it was read, which may be the reason.
TEST(PictureKinds, ARefusedLeafSaysHowItWasRead) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.tif", std::ios::binary)
      << tiff_bytes({flat_page(40, 250), page_of(kKinds[0])});
  EXPECT_TRUE(refuses<InputError>([&] { prepare_file(folder / "a.tif", PrepareSpec{}); },
                                  "page 1 of 2 was read and is blank; FILE#N names page N"));
}

// oracle: labels of every kind name the regions of those of 8 bits.
TEST(PictureKinds, LabelsOfEveryKind) {
  std::vector<double> values(static_cast<std::size_t>(kWidth * kHeight));
  for (int row = 2; row < 9; ++row) {
    for (int column = 3; column < 7; ++column) {
      values[static_cast<std::size_t>(row * kWidth + column)] = row < 5 ? 1 : 2;
    }
  }
  const auto regions = [](const std::string& bytes, const char* name) {
    std::vector<std::tuple<int, int, std::size_t>> found;
    for (const LabelRegion& region : read_label_image(bytes, name).regions) {
      found.emplace_back(region.label, region.box.top, region.area);
    }
    return found;
  };
  const std::vector<std::tuple<int, int, std::size_t>> expected = {{1, 2, 12}, {2, 5, 16}};
  TiffPage page{kWidth, kHeight, {}, values};
  for (const Kind& kind : kKinds) {
    page.store = kind.store;
    EXPECT_EQ(regions(tiff_bytes({page}), "m.tif"), expected) << kind.name;
    page.photometric = 0;  // numbers stay as they are
    EXPECT_EQ(regions(tiff_bytes({page}, true), "m.tif"), expected) << kind.name;
    page.photometric = 1;
  }
  page.store = {};
  page.photometric = 3;
  EXPECT_EQ(regions(tiff_bytes({page}), "m.tif"), expected);
  const std::vector<std::size_t> shape = {kHeight, kWidth};
  EXPECT_EQ(regions(npy_bytes<double>(values, shape), "m.npy"), expected);
  std::vector<double> large = values;
  for (double& value : large) value = value == 2 ? 1e6 : -value;  // below 0 is background
  EXPECT_EQ(regions(npy_bytes<double>(large, shape), "m.npy"),
            (std::vector<std::tuple<int, int, std::size_t>>{{1000000, 5, 16}}));
  for (const double wrong : {0.5, 3e9, std::nan("")}) {
    large[5] = wrong;
    EXPECT_TRUE(refuses<InputError>(
        [&] { read_label_image(npy_bytes<double>(large, shape), "m.npy"); }, "whole numbers"));
  }
}

// A BMP file of 8 x 8 numbers of a palette of three colours.
std::string palette_bmp(const std::vector<std::uint8_t>& numbers) {
  std::string bytes("BM\0\0\0\0\0\0\0\0\x42\0\0\0\x28\0\0\0\x08\0\0\0\xf8\xff\xff\xff\1\0\x08\0",
                    30);
  bytes += std::string(16, '\0') + std::string("\3\0\0\0\0\0\0\0", 8);
  bytes += std::string("\0\0\0\0\x80\0\0\0\0\x80\0\0", 12);
  return bytes + std::string(numbers.begin(), numbers.end());
}

// oracle: the numbers of a palette are labels, not its colours, in PNG and BMP files.
TEST(PictureKinds, PalettesAreLabels) {
  std::vector<std::uint8_t> numbers(64, 0), colours = {0, 0, 0, 128, 0, 0, 0, 128, 0};
  std::fill_n(numbers.begin() + 9, 5, std::uint8_t{2});
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = 8;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 3;
  const TemporaryFolder folder;
  const auto file = folder / "p.png";
  ASSERT_NE(png_image_write_to_file(&image, file.c_str(), 0, numbers.data(), 0, colours.data()), 0);
  const std::vector<char> bytes = testing::read_bytes(file);
  for (const std::string& picture :
       {std::string(bytes.begin(), bytes.end()), palette_bmp(numbers)}) {
    const LabelImage labels = read_label_image(picture, "p");
    ASSERT_EQ(labels.regions.size(), 1U);
    EXPECT_EQ(labels.regions[0].label, 2);
    EXPECT_EQ(labels.regions[0].area, 5U);
    EXPECT_EQ(labels.regions[0].box.top, 1);
  }
}

// The cards of a FITS image.
std::vector<std::string> cards(int bits, std::vector<int> axes,
                               const std::vector<std::string>& more = {}) {
  std::vector<std::string> cards = {"BITPIX  = " + std::to_string(bits) + " / bits",
                                    "NAXIS   = " + std::to_string(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    cards.push_back("NAXIS" + std::to_string(i + 1) + "  = " + std::to_string(axes[i]));
  }
  cards.insert(cards.end(), more.begin(), more.end());
  return cards;
}

std::string fits_values(const std::vector<double>& values, const SampleStore& store) {
  std::string bytes;
  for (const double value : values) bytes += testing::sample_bytes(value, store);
  return bytes;
}

// oracle: FITS images of every BITPIX have their values for moments and their greys for leaves,
// with scale, zero and blanks.
TEST(PictureKinds, FitsImages) {
  const SampleStore stores[] = {{SampleStore::kUnsigned, 8}, {SampleStore::kSigned, 16},
                                {SampleStore::kSigned, 32},  {SampleStore::kSigned, 64},
                                {SampleStore::kFloat, 32},   {SampleStore::kFloat, 64}};
  for (const SampleStore& store : stores) {
    const int bits = store.format == SampleStore::kFloat ? -store.bits : store.bits;
    const std::string file =
        fits_bytes(cards(bits, {kWidth, kHeight}), fits_values(greys(), store));
    const SampleImage image = samples(file, "a.fits");
    EXPECT_EQ(values_of(image), greys()) << bits;
    EXPECT_EQ(image.depth(), bits == 8 ? SampleDepth::k8Bit : SampleDepth::kFloat);
    EXPECT_EQ(picture(file, "a.fits"), greys()) << bits;
  }
  // Unsigned integers of 16 bits, as the standard stores them.
  std::vector<double> shifted = greys();
  for (double& value : shifted) value = value * 257 - 32768;
  const std::string words = fits_bytes(cards(16, {kWidth, kHeight}, {"BZERO   = 32768"}),
                                       fits_values(shifted, stores[1]));
  EXPECT_EQ(samples(words, "a.fits").depth(), SampleDepth::k16Bit);
  EXPECT_EQ(picture(words, "a.fits"), greys());
  const std::string scaled =
      fits_bytes(cards(32, {2, 2}, {"BSCALE  = 5.0D-1", "BZERO   = +3.0", "BLANK   = -1"}),
                 fits_values({1, 2, -1, 4}, stores[2]));
  const std::vector<double> values = values_of(samples(scaled, "a.fits"));
  EXPECT_EQ(values[0], 3.5);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_TRUE(
      refuses<InputError>([&] { picture(scaled, "a.fits"); }, "row 1, column 0 is not a finite"));
}

// oracle: a cube is a volume, its planes are images, and an image in an extension is found.
TEST(PictureKinds, FitsCubesAndExtensions) {
  const SampleStore store{SampleStore::kFloat, 32};
  std::vector<double> values;
  for (int i = 0; i < 3 * kWidth * kHeight; ++i) values.push_back(i);
  const std::string cube =
      fits_bytes(cards(-32, {kWidth, kHeight, 3, 1}), fits_values(values, store));
  EXPECT_EQ(values_of(samples(cube, "c.fits#2")).front(), kWidth * kHeight);
  EXPECT_TRUE(refuses<FormatError>([&] { samples(cube, "c.fits"); }, "FILE#N names plane N"));
  EXPECT_TRUE(refuses<InputError>([&] { samples(cube, "c.fits#4"); }, "no such plane"));
  const TemporaryFolder folder;
  std::ofstream(folder / "c.fits", std::ios::binary) << cube;
  const VolumeInput volume = read_volume(folder / "c.fits");
  EXPECT_EQ(volume.volume.depth, 3);
  EXPECT_EQ(volume.volume.at(2, 1, 4), values[2 * kWidth * kHeight + kWidth + 4]);
  std::string extension = fits_bytes(cards(-32, {kWidth, kHeight}), fits_values(values, store));
  extension.replace(0, 80, std::string("XTENSION= 'IMAGE   '") + std::string(60, ' '));
  const std::string both = fits_bytes({"BITPIX  = 8", "NAXIS   = 0"}, "") + extension;
  EXPECT_EQ(values_of(samples(both, "e.fits"))[7], 7);
}

// mechanics: damaged FITS files are refused, whatever their headers say.
TEST(PictureKinds, DamagedFitsFilesAreRefused) {
  const std::string none = fits_bytes({"BITPIX  = 8", "NAXIS   = 0"}, "");
  EXPECT_TRUE(refuses<FormatError>([&] { samples(none, "a.fits"); }, "has no image"));
  for (const auto& wrong :
       {cards(12, {4, 4}), cards(16, {-4, 4}), cards(16, {4, 400}),
        cards(16, {2000000000, 2000000000, 2000000000}), cards(16, {4, 4}, {"BZERO   = x"})}) {
    EXPECT_NE(refusal<FormatError>([&] { samples(fits_bytes(wrong, "abc"), "a.fits"); }), "");
  }
  std::string endless = fits_bytes({}, "");
  endless.replace(80, 3, "   ");
  EXPECT_NE(refusal([&] { samples(endless, "a.fits"); }), "");
}

// Volumes of NIfTI.
constexpr int kDepth = 3;
testing::NiftiFile nifti_volume() {
  testing::NiftiFile file;
  file.lengths = {kWidth, kHeight, kDepth};
  for (int i = 0; i < kWidth * kHeight * kDepth; ++i) file.values.push_back(i % 120);
  return file;
}
VolumeInput volume_in(const std::string& bytes, const char* name) {
  const TemporaryFolder folder;
  std::ofstream(folder / name, std::ios::binary) << bytes;
  return read_volume(folder / name);
}
// As gzip packs it.
std::string packed(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// oracle: volumes of both versions of NIfTI, in both byte orders, of every kind of number, packed
// or not, have the values that were written; the fastest axis is the first.
TEST(PictureKinds, NiftiVolumes) {
  const std::pair<int, SampleStore> kinds[] = {
      {2, {SampleStore::kUnsigned, 8}},    {4, {SampleStore::kSigned, 16}},
      {8, {SampleStore::kSigned, 32}},     {16, {SampleStore::kFloat, 32}},
      {64, {SampleStore::kFloat, 64}},     {256, {SampleStore::kSigned, 8}},
      {512, {SampleStore::kUnsigned, 16}}, {768, {SampleStore::kUnsigned, 32}},
      {1024, {SampleStore::kSigned, 64}},  {1280, {SampleStore::kUnsigned, 64}}};
  for (const auto& [type, store] : kinds) {
    for (const int version : {1, 2}) {
      for (const bool is_big_endian : {false, true}) {
        testing::NiftiFile file = nifti_volume();
        file.version = version;
        file.is_big_endian = is_big_endian;
        file.type = type;
        file.store = store;
        if (store.format != SampleStore::kUnsigned) file.values[3] = -5;
        const std::string bytes = nifti_bytes(file);
        const VolumeInput volume = volume_in(bytes, "a.nii");
        EXPECT_EQ(volume.volume.values, file.values) << type << ", " << version;
        EXPECT_EQ(volume.volume.at(2, 1, 4), file.values[2 * kWidth * kHeight + kWidth + 4]);
        EXPECT_EQ(volume.range.depth, type == 2     ? SampleDepth::k8Bit
                                      : type == 512 ? SampleDepth::k16Bit
                                                    : SampleDepth::kFloat);
        EXPECT_EQ(volume_in(packed(bytes), "a.nii.gz").volume.values, file.values);
      }
    }
  }
}

// oracle: values are scaled as the file says, axes of length 1 are left out, a slice is an image,
// and the note has the size of the voxels where the sides differ.
TEST(PictureKinds, NiftiScalesSlicesAndVoxels) {
  testing::NiftiFile file = nifti_volume();
  file.slope = 0.5;
  file.intercept = -3;
  const VolumeInput scaled = volume_in(nifti_bytes(file), "a.nii");
  EXPECT_EQ(scaled.volume.values[7], 0.5);
  ASSERT_EQ(scaled.notes.size(), 1U);
  EXPECT_NE(scaled.notes[0].find("the voxels are 1 x 1 x 1 mm and the volume is 17 x 16 x 3 mm"),
            std::string::npos)
      << scaled.notes[0];
  file.voxel = {16.0 / kWidth, 1, 16.0 / 3};
  EXPECT_EQ(volume_in(nifti_bytes(file), "a.nii").notes, std::vector<std::string>{});
  file.lengths = {kWidth, kHeight, kDepth, 1, 1};
  EXPECT_EQ(volume_in(nifti_bytes(file), "a.nii").volume.depth, kDepth);
  EXPECT_EQ(values_of(samples(nifti_bytes(file), "a.nii#3")).front(),
            0.5 * file.values[2 * kWidth * kHeight] - 3);
  file.lengths = {kWidth, kHeight};
  EXPECT_TRUE(volume_in(nifti_bytes(file), "a.nii").is_image);
}

// mechanics: damaged NIfTI files are refused, whatever their headers say, as are those whose values
// are elsewhere, colours, complex numbers and series.
TEST(PictureKinds, DamagedNiftiFilesAreRefused) {
  const testing::NiftiFile good = nifti_volume();
  const std::string bytes = nifti_bytes(good);
  const auto said = [](const std::string& file, const char* name) {
    return refusal([&] { volume_in(file, name); });
  };
  EXPECT_NE(said(bytes.substr(0, bytes.size() - 1), "a.nii").find("ends early"), std::string::npos);
  EXPECT_NE(said(bytes.substr(0, 350), "a.nii"), "");
  const std::string gz = packed(bytes);
  EXPECT_NE(said(gz.substr(0, gz.size() / 2), "a.nii.gz").find("ends early"), std::string::npos);
  EXPECT_NE(said(packed("abc"), "a.nii.gz"), "");
  std::string elsewhere = bytes;
  elsewhere.replace(344, 3, "ni1");
  EXPECT_NE(said(packed(elsewhere), "a.nii.gz").find("values in another file"), std::string::npos);
  for (const int type : {1, 32, 128, 2304}) {
    testing::NiftiFile file = good;
    file.type = type;
    EXPECT_NE(said(nifti_bytes(file), "a.nii").find("complex"), std::string::npos) << type;
  }
  for (const std::vector<int>& lengths :
       {std::vector{-1, 4}, {}, {30000, 30000, 30000, 30000}, {4, 4, 0}, {8, 8, 2, 4}}) {
    testing::NiftiFile file = good;
    file.lengths = lengths;
    EXPECT_NE(said(nifti_bytes(file), "a.nii"), "");
  }
  std::string far = bytes;
  far.replace(108, 4, std::string("\xff\xff\x7f\x7f", 4));
  EXPECT_NE(said(far, "a.nii").find("where its values begin"), std::string::npos);
}

// mechanics: what is not read is refused by leaves and moments with the same true reason.
TEST(PictureKinds, RefusalsAgree) {
  TiffPage wide = page_of(kKinds[1]), complex = page_of(kKinds[2]);
  wide.tags[277] = 3;  // three bands of unknown meaning
  wide.height /= 3;
  complex.tags[339] = 5;  // a complex number of two integers
  for (const auto& [page, words] :
       {std::pair{wide, "bands of unknown meaning"}, {complex, "complex numbers of 32 bits"}}) {
    const std::string file = tiff_bytes({page});
    const std::string moments = refusal<InputError>([&] { samples(file); });
    EXPECT_NE(moments.find(words), std::string::npos) << moments;
    EXPECT_EQ(refusal<InputError>([&] { picture(file); }), moments);
  }
}

}  // namespace
}  // namespace leafglyph
