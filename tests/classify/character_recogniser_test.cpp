// The recogniser of characters: what is found of a row, training on fonts, models on disk.
#include "classify/character/character_recogniser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "classify/character/character_rows.h"
#include "classify/character/character_training.h"
#include "classify/classifier/plda.h"
#include "classify/support/config.h"
#include "classify/support/written_keys.h"
#include "features/base/errors.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/text.h"
#include "features/glyph/ink.h"
#include "tests/support/refusal.h"
#include "tests/support/temporary_folder.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using testing::refusal;

const std::string kFonts = "/usr/share/fonts/truetype/";
const std::u32string kLearnt = U"一二三十口田国永水火木林森明月山川己已土士大太天人入八金花草字学";

TrainingFont font(const std::string& file, const std::string& style) {
  TrainingFont training;
  training.font.file = kFonts + file;
  training.style = style;
  return training;
}

// Three styles, few characters and few numbers each, so that a fit takes a fraction of a second.
CharacterSpec small_spec(const TemporaryFolder& folder) {
  CharacterSpec spec;
  spec.fonts = {font("arphic-gbsn00lp/gbsn00lp.ttf", "song"),
                font("arphic-gkai00mp/gkai00mp.ttf", "kai"), font("wqy/wqy-microhei.ttc", "hei")};
  spec.characters = {folder.write("some.txt", encode_utf8(kLearnt))};
  spec.copies = 1;
  spec.features.scales = {{1.5, 6}};
  spec.classifier.directions = 25;
  return spec;
}

Image<float> ink_in(const std::string& file, char32_t character) {
  FontOptions options;
  options.file = kFonts + file;
  options.pixel_size = 48;
  const GlyphSource source(options);
  std::vector<std::uint8_t> ink(48 * 48);
  source.render(character, ink);
  Image<std::uint8_t> picture(70, 60, std::uint8_t{250});
  for (int row = 0; row < 48; ++row) {
    for (int column = 0; column < 48; ++column) {
      picture.at(row + 6, column + 11) =
          static_cast<std::uint8_t>(250 - ink[static_cast<std::size_t>(row * 48 + column)] * 0.8);
    }
  }
  return ink_of(picture);
}

class CharacterRecogniserTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    save_characters(train_characters(small_spec(*folder_)).model, folder_->path() / "model");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static CharacterModel model() { return load_characters(folder_->path() / "model"); }

  static TemporaryFolder* folder_;
};
TemporaryFolder* CharacterRecogniserTest::folder_ = nullptr;

// regression: characters in fonts that were not learnt are named, two of 100 may be wrong; and a
// known character is nearly always called known.
TEST_F(CharacterRecogniserTest, NamesCharactersOfOtherFonts) {
  const CharacterRecogniser recogniser(model());
  for (const char* file : {"arphic/uming.ttc", "wqy/wqy-zenhei.ttc"}) {
    const auto predictions = recogniser.recognise(
        kLearnt.size(), [&](std::size_t i) { return ink_in(file, kLearnt[i]); }, 3);
    std::size_t right = 0, known = 0;
    for (std::size_t i = 0; i < kLearnt.size(); ++i) {
      ASSERT_EQ(predictions[i].ranking.size(), 3U);
      EXPECT_GE(predictions[i].ranking[0].probability, predictions[i].ranking[1].probability);
      right += predictions[i].ranking[0].character == kLearnt[i] ? 1 : 0;
      known += predictions[i].decision.known() ? 1 : 0;
    }
    EXPECT_GE(right + 1, kLearnt.size()) << file;
    EXPECT_GE(known + 3, kLearnt.size()) << file;
  }
}

// invariant: only the characters that were asked for are answers, and a character's evidence does
// not depend on which these are.
TEST_F(CharacterRecogniserTest, AnswersAreAmongThoseAskedFor) {
  CharacterRecogniser recogniser(model());
  const auto ink = [](std::size_t) { return ink_in("arphic/uming.ttc", U'己'); };
  recogniser.restrict_to(U"水火已");
  const auto some = recogniser.recognise(1, ink, 10);
  ASSERT_EQ(some[0].ranking.size(), 3U);
  EXPECT_EQ(some[0].ranking[0].character, U'已');
  EXPECT_TRUE(refuses<UsageError>([&] { recogniser.restrict_to(U"ab"); }, "none of these"));
  recogniser.restrict_to(U"");
  EXPECT_EQ(recogniser.recognise(1, ink, 1)[0].ranking[0].character, U'己');
}

// oracle: the evidence and the signs are those of the formulas, summed plainly in double, to the
// rounding of float products (relative 1e-4 of numbers of some tens).
TEST_F(CharacterRecogniserTest, EvidenceIsThatOfTheFormulas) {
  const CharacterModel trained = model();
  const CharacterClassifier& classifier = trained.classifier;
  const CharacterClassifier::Parts& parts = classifier.parts();
  const std::size_t n = classifier.columns(), p = classifier.directions();
  const std::vector<float> row = rows_of(
      trained.spec.features, 1, [](std::size_t) { return ink_in("arphic/ukai.ttc", U'森'); });
  const FoundCharacters found = classifier.find(row, {classifier.characters(), 1, {}})[0];
  ASSERT_EQ(found.best.size(), kLearnt.size());

  std::vector<float> scaled;
  for (const float value : row) scaled.push_back(static_cast<float>(parts.scale * value));
  const std::vector<float> x = parts.plda.transform(scaled);
  std::map<int, std::size_t> counts;
  for (std::size_t c = 0; c < parts.counts.size(); ++c)
    counts[static_cast<int>(c)] = parts.counts[c];
  const ClassLikelihood likelihood(parts.plda.spread(), counts,
                                   {parts.means.begin(), parts.means.end()});
  const std::size_t styles = parts.templates.size() / parts.means.size();
  ASSERT_EQ(styles, 3U);
  const auto cosine = [&](std::size_t style, std::size_t c) {
    double product = 0, of_template = 0, of_row = 0;
    for (std::size_t j = 0; j < p; ++j) {
      const double t = parts.templates[(style * kLearnt.size() + c) * p + j];
      product += t * x[j];
      of_template += t * t;
      of_row += static_cast<double>(x[j]) * x[j];
    }
    return product / std::sqrt(of_template * of_row);
  };
  for (const CharacterCandidate& candidate : found.best) {
    double nearest = -1;
    for (std::size_t s = 0; s < styles; ++s) {
      nearest = std::max(nearest, cosine(s, candidate.character));
    }
    const double ratio = likelihood.log_ratio(candidate.character, x);
    const double evidence = ratio + parts.template_weight * static_cast<double>(p) * nearest;
    EXPECT_NEAR(candidate.evidence, evidence, 1e-4 * (1 + std::abs(evidence)));
    if (&candidate != found.best.data()) continue;
    EXPECT_NEAR(found.signs[0], ratio, 1e-4 * (1 + std::abs(ratio)));
    EXPECT_NEAR(found.signs[1], nearest, 1e-5);
  }

  double whole = 0, along = 0, length = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c <= i; ++c) {
      sum += parts.whitening[at++] * (scaled[c] - parts.plda.mean()[c]);
    }
    whole += sum * sum;
  }
  for (std::size_t j = 0; j < p; ++j) {
    double sum = 0;
    for (std::size_t c = 0; c < n; ++c) {
      sum += (scaled[c] - parts.plda.mean()[c]) * parts.plda.matrix()[c * p + j];
    }
    along += sum * sum * (1 + parts.plda.spread()[j]);
    length += sum * sum;
  }
  EXPECT_NEAR(found.signs[2], std::log((whole - along) / static_cast<double>(n - p)), 1e-3);
  EXPECT_NEAR(found.signs[3], std::log(std::sqrt(length / static_cast<double>(p))), 1e-3);
}

// invariant: with W = L L^T each direction t of the discriminant has t^T W t = 1, so y = L^T t,
// from y^T L^-1 = t^T, has length 1; to the rounding of floats with a condition of some hundreds.
TEST_F(CharacterRecogniserTest, DirectionsHaveUnitVariationWithinACharacter) {
  const CharacterModel trained = model();
  const CharacterClassifier::Parts& parts = trained.classifier.parts();
  const std::size_t n = trained.classifier.columns(), p = trained.classifier.directions();
  for (std::size_t j = 0; j < p; ++j) {
    std::vector<double> y(n);
    double length = 0;
    for (std::size_t c = n; c-- > 0;) {
      double rest = parts.plda.matrix()[c * p + j] * std::sqrt(1 + parts.plda.spread()[j]);
      for (std::size_t i = c + 1; i < n; ++i) rest -= y[i] * parts.whitening[i * (i + 1) / 2 + c];
      y[c] = rest / parts.whitening[c * (c + 1) / 2 + c];
      length += y[c] * y[c];
    }
    EXPECT_NEAR(length, 1, 1e-3);
  }
}

// oracle: the evidence of several views is that of the formula, and the signs are those of the view
// in which the first character has most.
TEST_F(CharacterRecogniserTest, ViewsAreJoinedByTheFormula) {
  const CharacterModel trained = model();
  const CharacterClassifier& classifier = trained.classifier;
  const std::size_t views = views_of(trained.spec.features).size();
  ASSERT_GT(views, 1U);
  const std::vector<float> rows = rows_of_views(
      trained.spec.features, 1, [](std::size_t) { return ink_in("arphic/ukai.ttc", U'森'); });
  const FoundCharacters found = classifier.find(rows, {kLearnt.size(), views, {}})[0];
  const std::vector<FoundCharacters> alone = classifier.find(rows, {kLearnt.size(), 1, {}});
  ASSERT_EQ(alone.size(), views);
  for (const CharacterCandidate& candidate : found.best) {
    double sum = 0;
    for (const FoundCharacters& view : alone) {
      const auto at =
          std::ranges::find(view.best, candidate.character, &CharacterCandidate::character);
      sum += std::exp(at->evidence / 10);
    }
    // Sums of a hundred, with exponentials of them.
    EXPECT_NEAR(candidate.evidence, 10 * std::log(sum / static_cast<double>(views)), 1e-6);
  }
  const std::size_t first = found.best.front().character;
  const auto largest = std::ranges::max_element(alone, {}, [&](const FoundCharacters& view) {
    return std::ranges::find(view.best, first, &CharacterCandidate::character)->evidence;
  });
  EXPECT_EQ(largest->best.front().character, first);
  EXPECT_EQ(found.signs, largest->signs);
}

// invariant: a row's result is the same whichever rows come with it.
TEST_F(CharacterRecogniserTest, RowsDoNotDependOnEachOther) {
  const CharacterModel trained = model();
  const auto ink = [](std::size_t i) { return ink_in("arphic/uming.ttc", kLearnt[i]); };
  const std::vector<float> rows = rows_of(trained.spec.features, kLearnt.size(), ink);
  const auto together = trained.classifier.find(rows, {5, 1, {}});
  const std::size_t n = trained.classifier.columns();
  for (std::size_t i = 0; i < kLearnt.size(); i += 7) {
    const auto alone = trained.classifier.find(std::span(rows).subspan(i * n, n), {5, 1, {}})[0];
    EXPECT_EQ(alone.signs, together[i].signs);
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_EQ(alone.best[k].character, together[i].best[k].character);
      EXPECT_EQ(alone.best[k].evidence, together[i].best[k].evidence);
    }
  }
}

// mechanics: characters that are one picture share an answer, which names the others; the first of
// those that are asked for is named.
TEST_F(CharacterRecogniserTest, OnePictureIsOneAnswer) {
  const TemporaryFolder folder;
  CharacterSpec spec = small_spec(folder);
  spec.characters = {folder.write("shapes.txt", "口ロ二ニ三永水目日田")};
  CharacterRecogniser recogniser(train_characters(spec).model);
  const auto ink = [](std::size_t i) { return ink_in("arphic/uming.ttc", i == 0 ? U'口' : U'ロ'); };
  for (const CharacterPrediction& prediction : recogniser.recognise(2, ink, 20)) {
    ASSERT_EQ(prediction.ranking.size(), 8U);
    EXPECT_EQ(prediction.ranking[0].character, U'口');
    EXPECT_EQ(prediction.ranking[0].same, U"ロ");
    EXPECT_GT(prediction.ranking[0].probability, 0.5);
    for (std::size_t k = 1; k < 8; ++k) {
      const auto& ranked = prediction.ranking[k];
      EXPECT_EQ(ranked.same, ranked.character == U'二' ? U"ニ" : U"");
      EXPECT_NE(ranked.character, U'ロ');
    }
  }
  recogniser.restrict_to(U"ロ永");
  const CharacterPrediction kana = recogniser.recognise(1, ink, 5)[0];
  EXPECT_EQ(kana.ranking[0].character, U'ロ');
  EXPECT_EQ(kana.ranking[0].same, U"");
}

// invariant: what is read back is what was written, to the byte.
TEST_F(CharacterRecogniserTest, ModelsComeBack) {
  const TemporaryFolder copy;
  const CharacterModel first = model();
  EXPECT_EQ(first.characters, kLearnt);
  EXPECT_EQ(first.styles, (std::vector<std::string>{"song", "kai", "hei"}));
  save_characters(first, copy.path() / "again");
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_->path() / "model")) {
    EXPECT_EQ(read_file(entry.path()), read_file(copy.path() / "again" / entry.path().filename()))
        << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 10U);
}

// mechanics: a damaged file, and a folder that is none, are refused with their names.
TEST_F(CharacterRecogniserTest, DamagedModelsAreRefused) {
  const TemporaryFolder copy;
  const fs::path folder = copy.path() / "model";
  for (const auto& entry : fs::directory_iterator(folder_->path() / "model")) {
    fs::remove_all(folder);
    fs::copy(folder_->path() / "model", folder);
    const fs::path file = folder / entry.path().filename();
    std::string bytes = read_file(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_NE(refusal<FormatError>([&] { load_characters(folder); }).find(file.filename().string()),
              std::string::npos);
  }
  EXPECT_THROW(load_characters(copy.path()), FormatError);
  EXPECT_THROW(load_characters(copy.path() / "nowhere"), InputError);
  EXPECT_TRUE(
      refuses<Error>([&] { check_can_save_characters(folder_->path()); }, "not overwritten"));
}

// regression: pictures of two characters are more unlike the model's characters than these are.
TEST_F(CharacterRecogniserTest, TwoCharactersAreUnlikeOne) {
  const CharacterRecogniser recogniser(model());
  const auto mean_of = [&](bool two) {
    const auto predictions = recogniser.recognise(
        kLearnt.size(),
        [&](std::size_t i) {
          const Image<float> a = ink_in("arphic/uming.ttc", kLearnt[i]);
          if (!two) return a;
          const Image<float> b = ink_in("arphic/uming.ttc", kLearnt[(i + 5) % kLearnt.size()]);
          Image<float> both(2 * a.width(), a.height());
          for (int row = 0; row < a.height(); ++row) {
            for (int column = 0; column < a.width(); ++column) {
              both.at(row, column) = a.at(row, column);
              both.at(row, a.width() + column) = b.at(row, column);
            }
          }
          return both;
        },
        1);
    double sum = 0;
    for (const CharacterPrediction& prediction : predictions) sum += prediction.unlike;
    return sum / static_cast<double>(predictions.size());
  };
  EXPECT_LT(mean_of(false), 0.5 * mean_of(true));
}

// mechanics: rows that do not make a classifier are refused.
TEST(CharacterFit, RefusesWhatIsMissing) {
  EXPECT_TRUE(refuses<UsageError>([] { fit_characters({}, {2, 4, 1}, {}); }, "at least two"));
  StyleRows style;
  style.labels = {0, 0, 0};
  style.clean = {1, 2, 3, 4, 2, 2, 3, 5, 1, 3, 3, 4};
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        fit_characters({&style, 1}, {2, 4, 1}, {});
      },
      "1 of 2 characters have no picture"));
  style.labels = {0, 1, 2};
  EXPECT_TRUE(refuses<UsageError>(
      [&] {
        fit_characters({&style, 1}, {3, 4, 1}, {});
      },
      "add fonts or copies"));
}

// oracle: configs/glyph.yaml has every key with its default, and a spec is read as it is written.
TEST(CharacterSpecTest, ConfigurationStatesTheDefaults) {
  const CharacterSpec spec = load_character_spec(LEAFGLYPH_CONFIGS "/glyph.yaml");
  ASSERT_EQ(spec.fonts.size(), 6U);
  CharacterSpec expected;
  expected.fonts = spec.fonts;
  EXPECT_EQ(spec, expected);
  const CharacterSpec all = load_character_spec(LEAFGLYPH_CONFIGS "/glyph_all.yaml");
  expected.characters = all.characters;
  EXPECT_EQ(all, expected);
  EXPECT_EQ(all.characters.front(), "U+4E00..U+9FFF");
  const CharacterSpec published = load_character_spec(LEAFGLYPH_CONFIGS "/glyph_published.yaml");
  EXPECT_EQ(published.fonts, spec.fonts);
  EXPECT_EQ(columns(published.features), 36U);  // pseudo-Zernike, order 5
  CharacterSpec again;
  read_keys(Config::parse(yaml_of(spec), "written.yaml"), again);
  EXPECT_EQ(again, spec);
  EXPECT_TRUE(refuses<UsageError>(
      [] { load_character_spec(LEAFGLYPH_CONFIGS "/glyph.yaml", {"features.blurs=[1]"}); },
      "features"));
}

}  // namespace
}  // namespace leafglyph
