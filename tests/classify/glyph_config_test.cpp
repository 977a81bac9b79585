// The configurations of characters.
#include "classify/glyph/glyph_config.h"

#include <gtest/gtest.h>

#include <string>

#include "features/base/errors.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;

const std::string kConfigs = LEAFGLYPH_CONFIGS;

// regression: gb2312.yaml states the default of every value.
TEST(GlyphConfig, Gb2312StatesTheDefaults) {
  EXPECT_EQ(load_glyph_config(kConfigs + "/gb2312.yaml"), GlyphConfig{});
  EXPECT_EQ(parse_glyph_config("{}", "empty"), GlyphConfig{});
}

// regression: the published configuration leaves out one character, lists the published pairs,
// compares the published vectors and changes nothing else.
TEST(GlyphConfig, PublishedLeavesOneCharacterOutAndListsPairs) {
  const GlyphConfig config = load_glyph_config(kConfigs + "/gb2312_published.yaml");
  ASSERT_EQ(config.statistics.pairs.size(), 25U);
  EXPECT_EQ(config.statistics.pairs.front(), std::pair(U'搀', U'馋'));
  EXPECT_EQ(config.statistics.pairs.back(), std::pair(U'辩', U'辨'));
  GlyphConfig expected;
  expected.selection.leave_out = U"邯";
  expected.statistics.pairs = config.statistics.pairs;
  expected.lookalike_fonts = expected.selection.fonts;
  expected.lookalikes.measure = LookalikeMeasure::kPublished;
  EXPECT_EQ(config, expected);
}

// oracle: every key sets its field.
TEST(GlyphConfig, ReadsEveryKey) {
  const GlyphConfig config = parse_glyph_config(
      "fonts: [{file: /a.ttc, face: 2, size: 32, box: bounds}, {file: /b.pcf}]\n"
      "leave_out: 邯郸\nmissing: leave_out\n"
      "statistics: {families: [zernike], order: 7, subregions: 3, chosen: 5, bin_width: 0.5, "
      "bins: 4, closest: 2, rotations: false, pairs: [己已], moments: {real: [A40, A51]}}\n"
      "lookalikes: {grid: 4, window: 9, reach: 8, order: 5, falloff: 3, shift: 1, "
      "saturation: 0.5, shortlist: 50, shortlist_order: 2, measure: ocr, fonts: [{file: /c.ttf, "
      "size: 48}]}\n",
      "all.yaml");
  GlyphConfig expected;
  expected.selection.fonts = {{"/a.ttc", 2, 32, GlyphBox::kBounds}, {"/b.pcf"}};
  expected.selection.leave_out = U"邯郸";
  expected.missing = MissingCharacters::kLeaveOut;
  expected.selection.skip_missing = true;
  expected.statistics.families = {Family::kZernike};
  expected.statistics.order = 7;
  expected.statistics.subregions = 3;
  expected.statistics.chosen = 5;
  expected.statistics.pairwise = {0.5, 4, 2};
  expected.statistics.rotations = false;
  expected.statistics.pairs = {{U'己', U'已'}};
  expected.statistics.named = {{MomentPart::kReal, {{4, 0}, {5, 1}}}};
  expected.lookalikes = {4, 9, 8, 5, 3, 1, 0.5, 50, 2, LookalikeMeasure::kOcr};
  expected.lookalike_fonts = {{"/c.ttf", 0, 48}};
  EXPECT_EQ(config, expected);
}

// mechanics: characters that a font lacks are left out automatically only for the set's default
// fonts.
TEST(GlyphConfig, MissingCharactersAreLeftOutOfDefaultFonts) {
  const auto skips = [](const std::string& text) {
    return parse_glyph_config(text, "some.yaml").lookalike_selection().skip_missing;
  };
  EXPECT_TRUE(skips(""));
  EXPECT_TRUE(skips("characters: jis"));
  EXPECT_TRUE(skips("fonts: [{file: /a.ttf}]\nmissing: leave_out"));
  EXPECT_FALSE(skips("fonts: [{file: /a.ttf}]"));
  EXPECT_FALSE(skips("lookalikes: {fonts: [{file: /a.ttf}]}"));
  EXPECT_FALSE(skips("characters: jis\nmissing: error"));
  EXPECT_FALSE(parse_glyph_config("", "some.yaml").selection.skip_missing);  // of statistics
}

// mechanics: errors name the file, the line and the key.
TEST(GlyphConfig, NamesWhatIsWrong) {
  const auto expect_refused = [](const std::string& text, const std::string& named) {
    const std::string message = refusal<UsageError>([&] { parse_glyph_config(text, "bad.yaml"); });
    EXPECT_TRUE(message.starts_with("bad.yaml:")) << text << ": " << message;
    EXPECT_NE(message.find(named), std::string::npos) << message;
  };
  expect_refused("leave_out: A", "leave_out");
  expect_refused("missing: perhaps", "missing");
  expect_refused("fonts: [{path: x}]", "path");
  expect_refused("statistics: {order: -1}", "order");
  expect_refused("statistics: {bin_width: 0}", "bin_width");
  expect_refused("statistics: {pairs: [己已巳]}", "pairs");
  expect_refused("statistics: {moments: {real: []}}", "real");
  expect_refused("statistics: {moments: {imaginary: [A40]}}", "imaginary");
  expect_refused("statistics: {families: []}", "families");
  expect_refused("lookalikes: {shift: 9}", "shift");
}

}  // namespace
}  // namespace leafglyph
