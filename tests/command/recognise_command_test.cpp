// End to end: `leafglyph glyph recognise` on pages, and its pictures.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "datasets/glyph/glyph_source.h"
#include "features/base/input_file.h"
#include "features/base/text.h"
#include "features/image_io/decode_image.h"
#include "features/image_io/encode_image.h"
#include "tests/support/character_picture.h"
#include "tests/support/run_command.h"
#include "tests/support/text_page.h"

namespace leafglyph {
namespace {

using testing::page_of;
using testing::PageForm;
using testing::write_character;

constexpr const char* kUming = "/usr/share/fonts/truetype/arphic/uming.ttc";

class RecogniseCommandTest : public CommandTest {
 protected:
  RecogniseCommandTest() : CommandTest("glyph") {
    folder_.write("some.txt", "永水火木林森己已山田国月");
    const Outcome trained = run("train --quiet --set characters=[" + at("some.txt") +
                                "] --set features.blurs=[1.5] --set features.orders=[6]"
                                " --set classifier.directions=11 --model " +
                                at("m"));
    EXPECT_EQ(trained.code, 0) << trained.error;
  }
  void write_page(const std::string& file, const PageForm& form) const {
    const Image<std::uint8_t> page = page_of({U"永水火，木林", U"山田国己月"}, form);
    write_file(file,
               encode_png({page.width(), page.height(), 1,
                           std::vector<std::uint8_t>(page.pixels().begin(), page.pixels().end())}));
  }
  Outcome recognise(const std::string& arguments) const {
    return run("recognise --model " + at("m") + " " + arguments);
  }
};

// mechanics: a page comes as text, and with its boxes as JSON, CSV, hOCR and a picture twice as
// wide, which agree.
TEST_F(RecogniseCommandTest, PagesComeInEveryForm) {
  write_page(at("page.png"), {});
  const Outcome read =
      recognise("--lines " + at("page.png") + " --json " + at("p.json") + " --csv " + at("p.csv") +
                " --hocr " + at("p.hocr") + " --draw " + at("p.png"));
  ASSERT_EQ(read.code, 0) << read.error;
  EXPECT_EQ(read.out, "永水火木林\n山田国己月\n");
  const auto pages = nlohmann::json::parse(read_file(at("p.json")));
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_EQ(pages[0].at("direction"), "horizontal");
  const auto& line = pages[0].at("lines").at(0);
  EXPECT_EQ(line.at("text"), "永水火木林");
  ASSERT_EQ(line.at("characters").size(), 6U);
  EXPECT_EQ(line.at("characters")[3].at("mark"), true);
  const auto& first = line.at("characters")[0];
  EXPECT_EQ(first.at("character"), "永");
  EXPECT_EQ(first.at("candidates").size(), 5U);
  const int left = first.at("box").at("left"), top = first.at("box").at("top"),
            right = left + first.at("box").at("width").get<int>(),
            bottom = top + first.at("box").at("height").get<int>();
  EXPECT_NE(read_file(at("p.csv")).find(",1,1," + std::to_string(left)), std::string::npos);
  EXPECT_NE(read_file(at("p.csv")).find(",1,4,"), std::string::npos);
  const std::string hocr = read_file(at("p.hocr"));
  EXPECT_NE(hocr.find(fmt::format("x_bboxes {} {} {} {}; x_conf", left, top, right, bottom)),
            std::string::npos);
  EXPECT_EQ(hocr.find("mark"), std::string::npos);
  const SampleImage page = decode_samples(at("page.png")), drawn = decode_samples(at("p.png"));
  EXPECT_EQ(drawn.width, 2 * page.width);
  EXPECT_EQ(drawn.height, page.height);
  EXPECT_EQ(drawn.channels, 3);
}

// mechanics: the direction can be said; several pages have their names above their texts; a page
// that cannot be read is named, and the others are read.
TEST_F(RecogniseCommandTest, SeveralPagesAreRead) {
  PageForm vertical;
  vertical.vertical = true;
  write_page(at("a.png"), vertical);
  write_page(at("b.png"), {});
  const Outcome both = recognise("--lines " + at("a.png") + " " + at("b.png"));
  ASSERT_EQ(both.code, 0) << both.error;
  const std::string text = "永水火木林\n山田国己月\n\n";
  EXPECT_EQ(both.out, at("a.png") + ":\n" + text + at("b.png") + ":\n" + text);
  const Outcome columns = recognise("--lines --direction vertical " + at("b.png"));
  EXPECT_EQ(columns.out.substr(0, columns.out.find('\n')), "林");
  folder_.write("bad.png", "not an image");
  const Outcome mixed = recognise("--lines " + at("bad.png") + " " + at("b.png"));
  EXPECT_EQ(mixed.code, 5);
  EXPECT_NE(mixed.error.find("bad.png"), std::string::npos);
  EXPECT_NE(mixed.out.find("永水火木林"), std::string::npos);
  expect_refused(recognise("--lines --draw " + at("d.png") + " " + at("a.png") + " " + at("b.png")),
                 2, "one page");
  expect_refused(recognise("--direction vertical " + at("a.png")), 2, "--lines");
  expect_refused(recognise("--lines --direction up " + at("a.png")), 2, "horizontal");
}

// agreement: light strokes on a transparent ground are read as dark ones are, and as on black.
TEST_F(RecogniseCommandTest, TransparentPicturesAreRead) {
  FontOptions options;
  options.file = kUming;
  options.pixel_size = 48;
  std::vector<std::uint8_t> ink(48 * 48);
  GlyphSource(options).render(U'森', ink);
  for (const int level : {0, 120, 255}) {
    cv::Mat picture(64, 64, CV_8UC4, cv::Scalar(level, level, level, 0));
    for (int i = 0; i < 48 * 48; ++i) picture.at<cv::Vec4b>(8 + i / 48, 8 + i % 48)[3] = ink[i];
    ASSERT_TRUE(cv::imwrite(at("t.png"), picture));
    const Outcome read = recognise(at("t.png"));
    ASSERT_EQ(read.code, 0) << level << read.error;
    EXPECT_NE(read.out.find("森  U+68EE"), std::string::npos) << level << read.out;
  }
}

// agreement: a picture or a page from stdin is read as the file is; - stands alone.
TEST_F(RecogniseCommandTest, APictureFromStdinIsReadAsItsFile) {
  write_character(at("林.png"), kUming, U'林');
  const Outcome file = recognise(at("林.png"));
  const Outcome piped = recognise("- < " + at("林.png"));
  ASSERT_EQ(piped.code, 0) << piped.error;
  EXPECT_EQ(piped.out, "standard input" + file.out.substr(at("林.png").size()));
  ASSERT_EQ(recognise("- --draw " + at("stdin.png") + " < " + at("林.png")).code, 0);
  ASSERT_EQ(recognise(at("林.png") + " --draw " + at("file.png")).code, 0);
  EXPECT_EQ(read_file(at("stdin.png")), read_file(at("file.png")));
  write_page(at("page.png"), {});
  EXPECT_EQ(recognise("--lines - < " + at("page.png")).out,
            recognise("--lines " + at("page.png")).out);
  expect_refused(recognise("- < /dev/null"), 3, "standard input");
  expect_refused(recognise("- " + at("林.png") + " < " + at("林.png")), 2, "stands alone");
}

// mechanics: a contact sheet has a row of three pictures, as many rows as these need.
TEST_F(RecogniseCommandTest, PicturesAreDrawnWithTheirAnswers) {
  std::string files;
  for (const char32_t character : std::u32string(U"永林火山")) {
    files += " " + at(encode_utf8(character) + ".png");
    write_character(at(encode_utf8(character) + ".png"), kUming, character);
  }
  const Outcome four = recognise(files + " --draw " + at("four.png"));
  ASSERT_EQ(four.code, 0) << four.error;
  ASSERT_EQ(recognise(at("永.png") + " --draw " + at("one.png")).code, 0);
  const SampleImage sheet = decode_samples(at("four.png")), one = decode_samples(at("one.png"));
  EXPECT_EQ(sheet.width, 3 * one.width);
  EXPECT_GT(sheet.height, one.height);
}

}  // namespace
}  // namespace leafglyph
