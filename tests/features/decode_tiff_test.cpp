// TIFF files in every sample layout, written by libtiff.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <memory>

#include "features/base/errors.h"
#include "features/image_io/decode_image.h"
#include "tests/support/leaf_test_images.h"
#include "tests/support/sample_values.h"

namespace leafglyph {
namespace {

using testing::TemporaryFolder;

constexpr std::uint32_t kTiffWidth = 37;  // neither is a multiple of the tile side
constexpr std::uint32_t kTiffHeight = 21;
constexpr std::uint32_t kTile = 16;

struct TiffKind {
  std::uint16_t samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK;
  bool separate = false;
  bool tiled = false;
  std::uint16_t alpha = 0;  // EXTRASAMPLE of the last sample; 0: not stated
  std::uint16_t orientation = ORIENTATION_TOPLEFT;
};

std::uint16_t sample(std::uint32_t row, std::uint32_t column, std::uint32_t s) {
  return static_cast<std::uint16_t>(1000 * row + 37 * column + 7000 * s);
}

// A 16-bit file whose samples are sample().
void write_tiff(const std::filesystem::path& file, const TiffKind& kind) {
  const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(TIFFOpen(file.c_str(), "w"), TIFFClose);
  ASSERT_TRUE(tiff);
  TIFF* t = tiff.get();
  TIFFSetField(t, TIFFTAG_IMAGEWIDTH, kTiffWidth);
  TIFFSetField(t, TIFFTAG_IMAGELENGTH, kTiffHeight);
  TIFFSetField(t, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(t, TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  TIFFSetField(t, TIFFTAG_PHOTOMETRIC, kind.photometric);
  TIFFSetField(t, TIFFTAG_ORIENTATION, kind.orientation);
  TIFFSetField(t, TIFFTAG_PLANARCONFIG,
               kind.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (kind.alpha != 0) TIFFSetField(t, TIFFTAG_EXTRASAMPLES, 1, &kind.alpha);
  const std::uint32_t planes = kind.separate ? kind.samples : 1U;
  const std::uint32_t together = kind.separate ? 1U : kind.samples;
  const auto part = [&](std::uint32_t top, std::uint32_t left, std::uint32_t height,
                        std::uint32_t width, std::uint32_t plane) {
    std::vector<std::uint16_t> values;
    for (std::uint32_t row = top; row < top + height; ++row) {
      for (std::uint32_t column = left; column < left + width; ++column) {
        for (std::uint32_t s = 0; s < together; ++s) {
          values.push_back(sample(row, column, kind.separate ? plane : s));
        }
      }
    }
    return values;
  };
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    const auto of_file = static_cast<std::uint16_t>(plane);
    if (kind.tiled) {
      TIFFSetField(t, TIFFTAG_TILEWIDTH, kTile);
      TIFFSetField(t, TIFFTAG_TILELENGTH, kTile);
      for (std::uint32_t top = 0; top < kTiffHeight; top += kTile) {
        for (std::uint32_t left = 0; left < kTiffWidth; left += kTile) {
          auto tile = part(top, left, kTile, kTile, plane);
          ASSERT_GT(TIFFWriteTile(t, tile.data(), left, top, 0, of_file), 0);
        }
      }
      continue;
    }
    TIFFSetField(t, TIFFTAG_ROWSPERSTRIP, 4);
    for (std::uint32_t row = 0; row < kTiffHeight; ++row) {
      auto line = part(row, 0, 1, kTiffWidth, plane);
      ASSERT_EQ(TIFFWriteScanline(t, line.data(), row, of_file), 1);
    }
  }
}

// oracle: strips and tiles, interleaved and separate samples, give the same values.
TEST(DecodeTiff, EveryLayoutGivesTheSameSamples) {
  const TemporaryFolder folder;
  for (const std::uint16_t samples : {std::uint16_t{1}, std::uint16_t{3}}) {
    for (const bool separate : {false, true}) {
      for (const bool tiled : {false, true}) {
        TiffKind kind{samples, PHOTOMETRIC_MINISBLACK, separate, tiled};
        if (samples == 3) kind.photometric = PHOTOMETRIC_RGB;
        write_tiff(folder / "a.tif", kind);
        const SampleImage image = decode_samples(folder / "a.tif");
        ASSERT_EQ(image.depth(), SampleDepth::k16Bit);
        ASSERT_EQ(image.channels, samples);
        const std::vector<double> values = values_of(image);
        for (std::uint32_t row = 0, i = 0; row < kTiffHeight; ++row) {
          for (std::uint32_t column = 0; column < kTiffWidth; ++column) {
            for (std::uint32_t s = 0; s < samples; ++s, ++i) {
              ASSERT_EQ(values[i], sample(row, column, s)) << separate << tiled << ", " << i;
            }
          }
        }
      }
    }
  }
}

// oracle: white at 0, an orientation, and both kinds of alpha.
TEST(DecodeTiff, WhiteOrientationAndAlphaAreUndone) {
  const TemporaryFolder folder;
  const auto values = [&](const TiffKind& kind) {
    write_tiff(folder / "a.tif", kind);
    return values_of(decode_samples(folder / "a.tif"));
  };
  EXPECT_EQ(values({1, PHOTOMETRIC_MINISWHITE})[kTiffWidth + 2], 65535 - sample(1, 2, 0));
  TiffKind turned;
  turned.orientation = ORIENTATION_BOTRIGHT;
  EXPECT_EQ(values(turned).front(), sample(kTiffHeight - 1, kTiffWidth - 1, 0));
  TiffKind alpha{2};
  alpha.alpha = EXTRASAMPLE_UNASSALPHA;
  const double value = sample(5, 6, 0);
  const double share = sample(5, 6, 1) / 65535.0;
  const std::size_t at = 5 * kTiffWidth + 6;
  EXPECT_NEAR(values(alpha)[at], value * share + 65535 * (1 - share), 0.5);  // rounded once
  alpha.alpha = EXTRASAMPLE_ASSOCALPHA;
  EXPECT_EQ(values(alpha)[at], value + 65535 - sample(5, 6, 1));
}

// mechanics: samples of unknown meaning are not dropped silently.
TEST(DecodeTiff, BandsWithoutAMeaningAreRefused) {
  const TemporaryFolder folder;
  for (const TiffKind& kind : {TiffKind{2}, TiffKind{5, PHOTOMETRIC_RGB}}) {
    ::testing::internal::CaptureStderr();  // libtiff warns about what it writes
    write_tiff(folder / "a.tif", kind);
    ::testing::internal::GetCapturedStderr();
    EXPECT_THROW(decode_samples(folder / "a.tif"), InputError) << kind.samples;
  }
}

}  // namespace
}  // namespace leafglyph
