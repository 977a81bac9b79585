// Drawing characters from fonts.
#include "datasets/glyph/glyph_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "datasets/glyph/gb2312.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/sha256.h"
#include "tests/support/bdf_font.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

using testing::refuses;

// 工, which fills its cell, and 一, a box of 6 x 1 that must be placed by its offsets.
const std::vector<std::string> kGong = {
    "........", ".######.", "...##...", "...##...", "...##...", "...##...", "########", "........",
};
const std::vector<std::string> kYi = {
    "........", "........", "........", ".######.", "........", "........", "........", "........",
};

std::vector<BdfGlyph> drawn_glyphs(bool gb_codes) {
  return {{gb_codes ? 0x3924 : 0x5DE5, kGong},
          {gb_codes ? 0x523B : 0x4E00, {"######"}, /*left=*/1, /*bottom=*/3}};
}

FontOptions drawn_font(std::string file, int pixel_size = 8) {
  FontOptions options;
  options.file = std::move(file);
  options.pixel_size = pixel_size;
  return options;
}

std::vector<std::uint8_t> draw(const GlyphSource& source, char32_t character) {
  std::vector<std::uint8_t> ink(static_cast<std::size_t>(source.size() * source.size()), 7);
  source.render(character, ink);
  return ink;
}

std::string gzipped(const TemporaryFolder& folder, const std::string& content) {
  std::string file = (folder.path() / "drawn.bdf.gz").string();
  const gzFile stream = gzopen(file.c_str(), "wb");
  gzwrite(stream, content.data(), static_cast<unsigned>(content.size()));
  gzclose(stream);
  return file;
}

// oracle: the pixels are the drawn ones, in place, plain and gzipped.
TEST(GlyphSource, DrawsABitmapFontPixelForPixel) {
  const TemporaryFolder folder;
  const std::string font = bdf_font(drawn_glyphs(/*gb_codes=*/false));
  for (const std::string& file : {folder.write("drawn.bdf", font), gzipped(folder, font)}) {
    const GlyphSource source(drawn_font(file));
    EXPECT_TRUE(source.is_bitmap());
    EXPECT_EQ(source.size(), 8);
    EXPECT_EQ(source.family(), "Drawn");
    EXPECT_EQ(draw(source, U'工'), drawn_ink(kGong));
    EXPECT_EQ(draw(source, U'一'), drawn_ink(kYi));
  }
}

// oracle: the same font, addressed by GB 2312 codes.
TEST(GlyphSource, FindsCharactersByGb2312Codes) {
  const TemporaryFolder folder;
  const GlyphSource source(drawn_font(
      folder.write("gb.bdf", bdf_font(drawn_glyphs(/*gb_codes=*/true), "GB2312.1980", "0"))));
  EXPECT_EQ(draw(source, U'工'), drawn_ink(kGong));
  EXPECT_EQ(draw(source, U'一'), drawn_ink(kYi));
  EXPECT_TRUE(source.has(U'工'));
  EXPECT_FALSE(source.has(U'土'));
  EXPECT_FALSE(source.has(U'A'));
}

// mechanics: a missing character and one without ink are errors that name the character.
TEST(GlyphSource, NamesACharacterThatTheFontLacks) {
  const TemporaryFolder folder;
  auto glyphs = drawn_glyphs(/*gb_codes=*/false);
  glyphs.push_back({0x571F, {"........", "........"}});
  const GlyphSource source(drawn_font(folder.write("drawn.bdf", bdf_font(glyphs))));
  std::vector<std::uint8_t> ink(64);
  for (const char32_t character : {U'士', U'土'}) {
    try {
      source.render(character, ink);
      ADD_FAILURE() << "drew a character that has no ink";
    } catch (const InputError& error) {
      const std::string name = character == U'土' ? "土" : "士";
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(source.render(U'工', std::span(ink).first(63)), UsageError);
}

// mechanics: every unusable font has its own error.
TEST(GlyphSource, RefusesUnusableFonts) {
  const TemporaryFolder folder;
  const std::string good = folder.write("drawn.bdf", bdf_font(drawn_glyphs(/*gb_codes=*/false)));
  EXPECT_THROW(GlyphSource(drawn_font((folder.path() / "none.bdf").string())), InputError);
  EXPECT_THROW(GlyphSource(drawn_font(folder.path().string())), InputError);
  EXPECT_THROW(GlyphSource(drawn_font(folder.write("text.ttf", "no font at all"))), FormatError);
  EXPECT_THROW(GlyphSource(drawn_font(folder.write("empty.ttf", ""))), FormatError);
  EXPECT_THROW(GlyphSource(drawn_font(
                   folder.write("other.bdf", bdf_font(drawn_glyphs(false), "JISX0208.1983", "0")))),
               FormatError);
  EXPECT_THROW(GlyphSource(drawn_font(good, 9)), UsageError);
  EXPECT_THROW(GlyphSource(drawn_font(good, 0)), UsageError);
  FontOptions options = drawn_font(good);
  options.face_index = 1;
  EXPECT_THROW(GlyphSource{options}, UsageError);
  options = drawn_font(good);
  options.box = GlyphBox::kBounds;
  EXPECT_THROW(GlyphSource{options}, UsageError);
}

std::string without(std::string text, const std::string& part) {
  text.erase(text.find(part), part.size());
  return text;
}

// mechanics: a font that does not state the meaning of its codes is refused; X11 has such fonts.
TEST(GlyphSource, RefusesAFontWithoutACharacterSet) {
  const TemporaryFolder folder;
  std::string font = bdf_font(drawn_glyphs(false));
  font = without(font, "CHARSET_REGISTRY \"ISO10646\"\n");
  font = without(font, "CHARSET_ENCODING \"1\"\n");
  font.replace(font.find("STARTPROPERTIES 6"), 17, "STARTPROPERTIES 4");
  EXPECT_THROW(GlyphSource(drawn_font(folder.write("none.bdf", font))), FormatError);
}

// mechanics: every installed X11 font loads or is refused with a LeafGlyph error.
TEST(GlyphSource, LoadsOrRefusesEveryFontOfX11) {
  const std::filesystem::path fonts = "/usr/share/fonts/X11";
  if (!std::filesystem::exists(fonts)) GTEST_SKIP() << "no X11 fonts are installed";
  int loaded = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(fonts)) {
    if (!entry.is_regular_file()) continue;
    try {
      loaded += GlyphSource(drawn_font(entry.path().string(), 24)).is_bitmap();
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(entry.path().string()), std::string::npos)
          << error.what();
    }
  }
  std::printf("%d fonts of 24 pixels\n", loaded);
}

// oracle: grey levels of 1, 2, 4 and 8 bits per pixel, 0 to the highest, become 0 to 255.
TEST(GlyphSource, DrawsGreyBitmapFonts) {
  const TemporaryFolder folder;
  for (const int bits : {2, 4, 8}) {
    const int highest = (1 << bits) - 1;
    std::string row;  // 工's rows, each a ramp of levels
    std::vector<std::uint8_t> expected;
    unsigned long long packed = 0;
    for (int i = 0; i < 8; ++i) {
      const int level = i * highest / 7;
      packed = packed << bits | static_cast<unsigned long long>(level);
      expected.push_back(static_cast<std::uint8_t>(level * 255 / highest));
    }
    char digits[24];
    std::snprintf(digits, sizeof digits, "%0*llX\n", 2 * bits, packed);
    std::string font = bdf_font({{0x5DE5, kGong}});
    font.replace(font.find("SIZE 8 75 75"), 12, "SIZE 8 75 75 " + std::to_string(bits));
    const std::size_t first = font.find("BITMAP\n") + 7;
    font.replace(first, font.find("ENDCHAR") - first, "");
    for (int j = 0; j < 8; ++j) font.insert(first, digits);
    const auto ink = draw(GlyphSource(drawn_font(folder.write("grey.bdf", font))), U'工');
    for (std::size_t i = 0; i < 64; ++i) {
      ASSERT_EQ(ink[i], expected[i % 8]) << bits << " bits, pixel " << i;
    }
  }
}

// mechanics: a small gzipped file that unpacks to more than any font is refused, with the limit.
TEST(GlyphSource, RefusesAFontThatUnpacksWithoutEnd) {
  const TemporaryFolder folder;
  const std::string file = gzipped(folder, std::string((std::size_t{64} << 20) + 1, ' '));
  ASSERT_LT(std::filesystem::file_size(file), 1U << 20);
  EXPECT_TRUE(refuses<InputError>([&] { GlyphSource source(drawn_font(file)); }, "64 MiB"));
}

// mechanics: a gzip stream that ends early is damage, not a shorter font.
TEST(GlyphSource, RefusesATruncatedGzipStream) {
  const TemporaryFolder folder;
  const std::string file = gzipped(folder, bdf_font(drawn_glyphs(false)));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_THROW(GlyphSource(drawn_font(file)), FormatError);
}

// mechanics: the digest is that of the file on disk; there is none for a file changed since it was
// opened.
TEST(GlyphSource, KnowsWhatItsFileWas) {
  const TemporaryFolder folder;
  const std::string file = gzipped(folder, bdf_font(drawn_glyphs(false)));
  const GlyphSource source(drawn_font(file));
  EXPECT_EQ(source.digest(), sha256(read_file(file)));
  EXPECT_EQ(GlyphSource(source).digest(), source.digest());
  EXPECT_EQ(source.stamp(), "");  // it may change again within the clock's tick
  folder.write("drawn.bdf.gz", "other");
  EXPECT_THROW(source.digest(), InputError);
  EXPECT_EQ(draw(source, U'工'), drawn_ink(kGong));  // bitmaps were read at opening
}

// mechanics: outlines are read as they are drawn. A file truncated meanwhile is damaged, and draws
// nothing new; a replaced file has no effect.
TEST(GlyphSource, ReadsOutlinesFromTheFileThatWasOpened) {
  const std::string installed = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc";
  if (!std::filesystem::exists(installed)) GTEST_SKIP() << "fonts-wqy-microhei is not installed";
  const TemporaryFolder folder;
  const std::string content = read_file(installed);
  const GlyphSource whole(drawn_font(installed, 24));
  const GlyphSource cut(drawn_font(folder.write("cut.ttc", content), 24));
  const GlyphSource replaced(drawn_font(folder.write("replaced.ttc", content), 24));
  std::filesystem::resize_file(folder / "cut.ttc", content.size() / 2);
  std::filesystem::rename(folder.write("other.ttc", "other"), folder / "replaced.ttc");
  EXPECT_THROW(GlyphSource(drawn_font((folder / "replaced.ttc").string(), 24)), FormatError);
  std::size_t damaged = 0;
  const Gb2312 gb2312;
  for (const char32_t character : gb2312.hanzi().substr(0, 1000)) {
    const auto ink = draw(whole, character);
    EXPECT_EQ(draw(replaced, character), ink);
    try {
      EXPECT_EQ(draw(cut, character), ink);
    } catch (const FormatError&) {
      ++damaged;
    }
  }
  EXPECT_GT(damaged, 0U);
}

// The first and last columns and rows with ink.
struct InkBox {
  int left, right, top, bottom;
};
InkBox ink_box(const std::vector<std::uint8_t>& ink, int size) {
  InkBox box{size, -1, size, -1};
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      if (ink[static_cast<std::size_t>(j * size + i)] == 0) continue;
      box = {std::min(box.left, i), std::max(box.right, i), std::min(box.top, j),
             std::max(box.bottom, j)};
    }
  }
  return box;
}

// invariant: 一 is a bar near the middle in the em box, and fills the width in its bounding box.
TEST(GlyphSource, PlacesOutlinesByEmAndByBounds) {
  FontOptions options;
  options.file = "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc";
  options.pixel_size = 48;
  if (!std::filesystem::exists(options.file)) GTEST_SKIP() << "fonts-wqy-zenhei is not installed";
  const GlyphSource em(options);
  EXPECT_FALSE(em.is_bitmap());
  const InkBox bar = ink_box(draw(em, U'一'), 48);
  EXPECT_GT(bar.right - bar.left, 36);
  EXPECT_LT(bar.bottom - bar.top, 8);
  EXPECT_NEAR(0.5 * (bar.left + bar.right), 23.5, 2.0);  // a bar is drawn in the middle,
  EXPECT_NEAR(0.5 * (bar.top + bar.bottom), 23.5, 4.0);  // within the designer's taste
  options.box = GlyphBox::kBounds;
  const GlyphSource bounds(options);
  for (const char32_t character : {U'一', U'国', U'卜'}) {
    const InkBox box = ink_box(draw(bounds, character), 48);
    EXPECT_GE(std::max(box.right - box.left, box.bottom - box.top), 46);
    // centred up to rounding to whole pixels on each side
    EXPECT_NEAR(0.5 * (box.left + box.right), 23.5, 1.0);
    EXPECT_NEAR(0.5 * (box.top + box.bottom), 23.5, 1.0);
  }
  options.face_index = 99;
  EXPECT_THROW(GlyphSource{options}, UsageError);
}

// Twice the area enclosed by a closed line, with its orientation as the sign.
double twice_area(const GlyphContour& contour) {
  double sum = 0;
  for (std::size_t i = 0; i < contour.size(); ++i) {
    const GlyphPoint &a = contour[i], &b = contour[(i + 1) % contour.size()];
    sum += static_cast<double>(a.x) * b.y - static_cast<double>(b.x) * a.y;
  }
  return sum;
}

// agreement: an outline encloses as much area as render() inks, and lies in the same place.
TEST(GlyphSource, OutlinesGoAroundTheInk) {
  FontOptions options;
  options.file = "/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc";
  options.pixel_size = 240;
  if (!std::filesystem::exists(options.file)) GTEST_SKIP() << "fonts-wqy-zenhei is not installed";
  for (const GlyphBox box : {GlyphBox::kEm, GlyphBox::kBounds}) {
    options.box = box;
    const GlyphSource source(options);
    for (const char32_t character : {U'一', U'国', U'己'}) {
      const auto ink = draw(source, character);
      double drawn = 0, area = 0;
      for (const std::uint8_t value : ink) drawn += value / 255.0;
      float left = 1, right = 0, top = 1, bottom = 0;
      for (const GlyphContour& contour : source.outline(character)) {
        area += twice_area(contour) / 2;
        for (const GlyphPoint& point : contour) {
          left = std::min(left, point.x);
          right = std::max(right, point.x);
          top = std::min(top, point.y);
          bottom = std::max(bottom, point.y);
        }
      }
      // Grey edges are rounded to 255 levels, curves to six lines each.
      EXPECT_NEAR(std::abs(area) * 240 * 240, drawn, 0.005 * drawn);
      const InkBox seen = ink_box(ink, 240);
      EXPECT_NEAR(left * 240, seen.left, 1.0);  // a partly inked pixel
      EXPECT_NEAR(right * 240, seen.right + 1, 1.0);
      EXPECT_NEAR(top * 240, seen.top, 1.0);
      EXPECT_NEAR(bottom * 240, seen.bottom + 1, 1.0);
    }
    EXPECT_THROW(source.outline(U'\U0010FFFF'), InputError);
  }
}

// mechanics: pixels have no outline.
TEST(GlyphSource, BitmapsHaveNoOutline) {
  const TemporaryFolder folder;
  const GlyphSource source(drawn_font(folder.write("drawn.bdf", bdf_font(drawn_glyphs(false)))));
  EXPECT_TRUE(source.outline(U'工').empty());
  EXPECT_THROW(source.outline(U'二'), InputError);
}

// regression: the default font has every hanzi of GB 2312, 24 x 24, black on white.
TEST(GlyphSource, DrawsEveryHanziOfTheDefaultFont) {
  const FontOptions options;
  if (!std::filesystem::exists(options.file)) GTEST_SKIP() << "xfonts-base is not installed";
  const GlyphSource source(options);
  EXPECT_EQ(source.size(), 24);
  const Gb2312 table;
  std::size_t strokes = 0;
  for (const char32_t character : table.hanzi()) {
    const auto ink = draw(source, character);
    for (const std::uint8_t value : ink) {
      ASSERT_TRUE(value == 0 || value == 255);
      strokes += value == 255;
    }
  }
  // A hanzi of this font has between a tenth and a half of its pixels inked.
  EXPECT_GT(strokes, table.hanzi().size() * 576 / 10);
  EXPECT_LT(strokes, table.hanzi().size() * 576 / 2);
}

}  // namespace
}  // namespace leafglyph
