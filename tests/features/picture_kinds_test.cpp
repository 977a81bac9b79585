// Pictures as other programs write them: every kind of sample, range of values, page and shape of
// pixels is read for leaves and for moments, which agree. The files are written byte by byte.
#include <gtest/gtest.h>
#include <png.h>

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
#include "tests/support/grey_picture.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/refusal.h"
#include "tests/support/sample_values.h"
#include "tests/support/small_files.h"

namespace leafglyph {
namespace {

using testing::greys;
using testing::picture;
using testing::refusal;
using testing::refuses;
using testing::samples;
using testing::SampleStore;
using testing::TemporaryFolder;
using testing::tiff_bytes;
using testing::TiffPage;

constexpr int kWidth = testing::kGreysWidth, kHeight = testing::kGreysHeight;

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
  const auto file = [](double highest, std::map<int, double> tags = {},
                       SampleStore store = {SampleStore::kUnsigned, 16}) {
    TiffPage page{kWidth, kHeight, store, greys(), 1, std::move(tags)};
    for (double& value : page.values) value = std::round(value / 255 * highest);
    return tiff_bytes({page});
  };
  constexpr int kMaxSampleValue = 281;
  for (const int bits : {10, 12, 14, 16}) {
    const double highest = std::ldexp(1, bits) - 1;
    const std::string plain = file(highest);
    const std::vector<double> grey = picture(plain);
    for (std::size_t i = 0; i < grey.size(); ++i) ASSERT_EQ(grey[i], greys()[i]) << bits;
    EXPECT_EQ(notes(plain).find(std::to_string(bits) + " bits") != std::string::npos, bits < 16);
    // Half as bright: no stretch.
    const std::string stated = file(highest / 2, {{kMaxSampleValue, highest}});
    EXPECT_NEAR(picture(stated)[36], greys()[36] / 2, 0.51) << bits;
    EXPECT_EQ(values_of(samples(plain))[36], std::round(greys()[36] / 255 * highest)) << bits;
  }
  // A file that has more than it states is not believed.
  EXPECT_EQ(picture(file(4095, {{kMaxSampleValue, 255}}))[36], greys()[36]);
  // A dark picture of 16 bits stays dark, whether one pixel is bright or the file says so.
  EXPECT_NEAR(picture(file(20000))[36], greys()[36] * 20000 / 65535, 0.51);
  EXPECT_NEAR(picture(file(3000, {{kMaxSampleValue, 65535}}))[36], greys()[36] * 3000 / 65535,
              0.51);
  EXPECT_NEAR(picture(file(3000), "a.tif", 16)[36], greys()[36] * 3000 / 65535, 0.51);
  // Integers of 32 bits and numbers above 1.
  for (const SampleStore& store :
       {SampleStore{SampleStore::kUnsigned, 32}, {SampleStore::kFloat, 32}}) {
    for (const double highest : {255.0, 4095.0, 65535.0}) {
      EXPECT_EQ(picture(file(highest, {}, store))[36], greys()[36]) << highest;
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

// mechanics: pages of one size are the slices of a volume, with their values; a file with smaller
// copies or with pages of several sizes is an image; a stack that is cut off is refused.
TEST(PictureKinds, PagesOfOneSizeAreSlices) {
  const TemporaryFolder folder;
  const auto volume = [&](const std::string& bytes) {
    std::ofstream(folder / "a.tif", std::ios::binary) << bytes;
    return read_volume(folder / "a.tif");
  };
  const TiffPage first = flat_page(6, 3), second = flat_page(6, 200), third = flat_page(6, 77);
  const std::string file = tiff_bytes({first, second, third});
  const VolumeInput stack = volume(file);
  EXPECT_FALSE(stack.is_image);
  ASSERT_EQ(stack.volume.depth, 3);
  EXPECT_EQ(stack.volume.width, 6);
  EXPECT_EQ(stack.range.depth, SampleDepth::k8Bit);
  EXPECT_EQ(stack.volume.at(0, 5, 5), 3);
  EXPECT_EQ(stack.volume.at(1, 0, 0), 200);
  EXPECT_EQ(stack.volume.at(2, 3, 1), 77);
  EXPECT_TRUE(volume(tiff_bytes({first})).is_image);
  EXPECT_TRUE(volume(tiff_bytes({first, flat_page(5, 7)})).is_image);
  EXPECT_TRUE(volume(tiff_bytes({first, flat_page(6, 7, {{kNewSubfileType, 1}})})).is_image);
  EXPECT_TRUE(
      refuses<InputError>([&] { volume(file.substr(0, file.size() - 20)); }, "damaged TIFF file"));
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
