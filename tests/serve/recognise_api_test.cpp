// Characters in pictures on the page: what it answers is what the recogniser says.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "classify/character/character_recogniser.h"
#include "classify/character/character_training.h"
#include "features/base/files.h"
#include "features/base/input_file.h"
#include "features/base/text.h"
#include "features/glyph/ink.h"
#include "features/image_io/encode_image.h"
#include "features/leaf/photograph.h"
#include "tests/serve/patterned_font.h"
#include "tests/serve/served_page.h"
#include "tests/support/character_picture.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;
using testing::post;

constexpr const char* kOtherFont = "/usr/share/fonts/truetype/arphic/uming.ttc";

class RecogniseApiTest : public ::testing::Test {
 protected:
  RecogniseApiTest() {
    options_.data = folder_.path() / "data";
    options_.glyphs = parse_glyph_config(
        "fonts: [{file: " + folder_.write("made.bdf", testing::patterned_font()) +
            ", size: 8}]\nmissing: leave_out\n",
        "made.yaml");
    options_.glyph_cache.clear();
  }
  void train() {
    CharacterSpec spec = load_character_spec("glyph");
    spec.characters = {folder_.write("some.txt", "一二三十上下大天土己已巳")};
    spec.copies = 1;
    spec.features.scales = {{1.5, 6}};
    spec.classifier.directions = 11;
    options_.glyph_model = folder_.path() / "model";
    save_characters(train_characters(spec).model, options_.glyph_model);
  }
  std::string picture(char32_t character) const {
    const std::string file = (folder_.path() / "picture.png").string();
    testing::write_character(file, kOtherFont, character);
    return read_file(file);
  }
  static testing::Reply recognise(int port, const std::string& body,
                                  const std::string& query = "") {
    return post(port, "/api/v1/glyph/recognise" + query, body);
  }

  TemporaryFolder folder_;
  ServeOptions options_;
};

// agreement: the characters and probabilities of the recogniser, for each of its characters.
TEST_F(RecogniseApiTest, PicturesAreNamedAsByTheRecogniser) {
  train();
  const testing::ServedPage page(options_);
  const CharacterRecogniser recogniser(load_characters(options_.glyph_model));
  for (const char32_t character : recogniser.model().characters) {
    const std::string bytes = picture(character);
    const testing::Reply reply = recognise(page.port(), bytes, "?top=4");
    ASSERT_EQ(reply.status, 200) << reply.body;
    const Json json = Json::parse(reply.body);
    const CharacterPrediction expected = recogniser.recognise(
        1,
        [&](std::size_t) { return ink_of(read_photograph(bytes, "picture", PhotographRequest{})); },
        4)[0];
    ASSERT_EQ(json["candidates"].size(), 4U);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(json["candidates"][k]["character"], encode_utf8(expected.ranking[k].character));
      EXPECT_EQ(json["candidates"][k]["probability"], expected.ranking[k].probability);
    }
    EXPECT_EQ(json["word"], name_of(*expected.decision.word()));
    EXPECT_EQ(json["frame"]["size"], 64);
    EXPECT_EQ(json["frame"]["ink"].get<std::string>().size(), (64U * 64 + 2) / 3 * 4);
  }
  const Json state = Json::parse(testing::get(page.port(), "/api/v1/glyph/recogniser").body);
  EXPECT_EQ(state["state"], "ready");
  EXPECT_EQ(state["characters"], 12);
}

// mechanics: what is not a picture of a character is refused, with the reason.
TEST_F(RecogniseApiTest, OtherThanPicturesAreRefused) {
  train();
  const testing::ServedPage page(options_);
  EXPECT_EQ(recognise(page.port(), "").status, 400);
  EXPECT_EQ(recognise(page.port(), "no image").status, 422);
  const std::string blank = encode_png({40, 40, 1, std::vector<std::uint8_t>(1600, 250)});
  const testing::Reply reply = recognise(page.port(), blank);
  EXPECT_EQ(reply.status, 422);
  EXPECT_NE(reply.body.find("no character in the picture"), std::string::npos);
  EXPECT_EQ(recognise(page.port(), picture(U'己'), "?top=0").status, 400);
  EXPECT_EQ(recognise(page.port(), picture(U'己'), "?top=101").status, 400);
}

// mechanics: a model that cannot be read fails with its reason, at each request.
TEST_F(RecogniseApiTest, AMissingModelIsSaid) {
  options_.glyph_model = folder_.path() / "nowhere";
  const testing::ServedPage page(options_);
  for (int i = 0; i < 2; ++i) {
    const testing::Reply reply = recognise(page.port(), picture(U'己'));
    EXPECT_EQ(reply.status, 422);
    EXPECT_NE(reply.body.find("nowhere"), std::string::npos);
  }
  EXPECT_EQ(Json::parse(testing::get(page.port(), "/api/v1/glyph/recogniser").body)["state"],
            "failed");
}

// mechanics: while the recogniser is made, requests are answered at once, also others, and the
// server ends without waiting for it.
TEST_F(RecogniseApiTest, MakingItIsInNobodysWay) {
  const testing::ServedPage page(options_);
  EXPECT_EQ(Json::parse(testing::get(page.port(), "/api/v1/glyph/recogniser").body)["state"],
            "idle");
  const testing::Reply reply = recognise(page.port(), picture(U'己'));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(Json::parse(reply.body)["error"]["kind"], "making");
  EXPECT_EQ(Json::parse(testing::get(page.port(), "/api/v1/glyph/recogniser").body)["state"],
            "making");
  EXPECT_EQ(testing::get(page.port(), "/api/v1/glyph/sets").status, 200);
}

}  // namespace
}  // namespace leafglyph
