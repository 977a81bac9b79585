// Look-alikes by the published vectors.
#include "classify/glyph/published_lookalikes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "tests/support/bdf_font.h"
#include "tests/support/drawn_characters.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

// agreement: distances are those of the statistics, for each part and with two fonts; the search
// finds what comparing with every other character finds.
TEST(PublishedLookalikes, AgreeWithTheStatistics) {
  const TemporaryFolder folder;
  auto other = kTen;
  other[6] = "..###...";
  const std::string second = folder.write(
      "b.bdf", bdf_font({{0x4E00, kOne}, {0x4E09, kThree}, {0x4E8C, kTwo}, {0x5341, other}}));
  GlyphSelection selection = options_for({folder.write("a.bdf", drawn_font()), second}).selection;
  GlyphStatisticsOptions options;
  options.rotations = false;
  options.pairwise.closest = 1;
  const std::u32string characters = U"二三十一";
  for (const char32_t a : characters) {
    for (const char32_t b : characters) {
      if (a != b) options.pairs.emplace_back(a, b);
    }
  }
  const GlyphStatistics statistics = glyph_statistics(selection, options, {});
  for (const MomentPart part : kMomentParts) {
    const PublishedLookalikes index(selection, options, part, {});
    EXPECT_EQ(index.selected().characters, characters);
    EXPECT_EQ(index.selected().missing.size(), 1U);
    EXPECT_EQ(index.pairs(), 6U);
    const auto& distances =
        statistics.families[0].parts[static_cast<std::size_t>(part)].pair_distances;
    for (std::size_t k = 0; k < options.pairs.size(); ++k) {
      EXPECT_EQ(index.compare(options.pairs[k].first, options.pairs[k].second).distance,
                distances[k]);
    }
    for (const char32_t query : characters) {
      std::vector<std::pair<double, char32_t>> expected;
      for (const char32_t b : characters) {
        if (b != query) expected.emplace_back(index.compare(query, b).distance, b);
      }
      std::ranges::sort(expected);
      const auto found = index.similar(std::u32string_view(&query, 1), 3).front();
      ASSERT_EQ(found.size(), 3U);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(found[k].distance, expected[k].first);
        EXPECT_EQ(found[k].character, expected[k].second);
        const auto nearer = std::ranges::count_if(
            distances, [&](double other) { return other < found[k].distance; });
        EXPECT_EQ(2 * found[k].nearer, static_cast<std::uint64_t>(nearer));  // pairs both ways
      }
    }
  }
}

// mechanics: conditions, and what is refused.
TEST(PublishedLookalikes, TakeConditionsAndRefuseWhatIsNotThere) {
  const TemporaryFolder folder;
  const GlyphSelection selection = options_for({folder.write("a.bdf", drawn_font())}).selection;
  const PublishedLookalikes index(selection, {}, MomentPart::kComplex, {});
  const auto answers =
      index.similar(U"十", 3, {[](char32_t c) { return c == U'一' || c == U'二'; }, false, {}});
  EXPECT_EQ(answers.front().size(), 2U);
  EXPECT_THROW(index.similar(U"十", 0), UsageError);
  EXPECT_THROW(index.similar(U"十", 5), UsageError);
  EXPECT_THROW(index.similar(U"土", 1), UsageError);
  EXPECT_THROW(index.compare(U'十', U'土'), UsageError);
  LookalikeOptions windows = options_for({folder.write("a.bdf", drawn_font())});
  windows.profile.measure = LookalikeMeasure::kPublished;
  EXPECT_THROW(LookalikeIndex{windows}, UsageError);
}

}  // namespace
}  // namespace leafglyph
