// The leaves of the page: predictions equal the command's, photographs are kept, models have names.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "classify/leaf/leaf_classify.h"
#include "classify/leaf_report/report.h"
#include "classify/serve/served_model.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/record/json_text.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::get;
using testing::post;
using testing::Reply;

class LeafApiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { leaves_ = testing::leaves_to_read(); }
  static void TearDownTestSuite() { leaves_.reset(); }

  static ServeOptions options() {
    ServeOptions options;
    options.models = {leaves_->model()};
    options.data = leaves_->data();
    return options;
  }
  static std::string answer_path(const fs::path& file) {
    std::string name;  // encoded for a query string
    for (const char letter : file.string()) name += letter == ' ' ? "%20" : std::string(1, letter);
    return "/api/v1/leaf/identify?name=" + name;
  }
  static Json only_leaf(const Reply& reply) {
    EXPECT_EQ(reply.status, 200) << reply.body;
    const Json json = Json::parse(reply.body);
    EXPECT_EQ(json["leaves"].size(), 1U);
    return json["leaves"][0];
  }

  static std::unique_ptr<testing::LeavesWithModel> leaves_;
};
std::unique_ptr<testing::LeavesWithModel> LeafApiTest::leaves_;

// agreement: JSON and table row are those of `leaf classify` for the same files and model, whether
// the photograph is the body or a field of a form.
TEST_F(LeafApiTest, PredictionsAreThoseOfTheCommand) {
  const testing::ServedPage page(options());
  const LeafModel model = load_model(leaves_->model());
  for (const fs::path& file : leaves_->photographs()) {
    const auto classified =
        classify_leaves(model, std::vector<fs::path>{file}, /*top=*/5, LeafRun{});
    const Json expected = Json::parse(json_text(classification_document(model, classified)))[0];
    const std::string bytes = read_file(file);
    const Json leaf = only_leaf(post(page.port(), answer_path(file), bytes));
    EXPECT_EQ(leaf["prediction"], expected) << file;
    EXPECT_EQ(leaf["table"]["head"].get<std::string>() + leaf["table"]["line"].get<std::string>(),
              classification_table(model, classified, 5).csv());
    Json in_form = only_leaf(post(page.port(), "/api/v1/leaf/identify",
                                  testing::form_text({{"photograph", bytes}}, "edge"),
                                  "multipart/form-data; boundary=edge"));
    in_form["prediction"]["image"] = expected["image"];
    EXPECT_EQ(in_form["prediction"], expected) << file;
  }
}

// mechanics: a file of a model that is cut while the model is served, before or after it was first
// read, is damage in a reply; the page and its other models go on.
TEST_F(LeafApiTest, AModelThatIsCutIsDamaged) {
  const fs::path photograph = leaves_->photographs().front();
  const std::string bytes = read_file(photograph), identify = answer_path(photograph);
  const std::string of_cut = identify + "&model=cut.model",
                    picture = "/api/v1/leaf/picture?leaf=0&model=";
  for (const std::string file : {"names.txt", "leaves.npy", "pictures.mjpeg"}) {
    for (const bool read_before : {false, true}) {
      const TemporaryFolder folder;
      fs::copy(leaves_->model(), folder / "cut.model");
      ServeOptions served = options();
      served.models.push_back(folder / "cut.model");
      const testing::ServedPage page(served);
      if (read_before) {
        EXPECT_EQ(post(page.port(), of_cut, bytes).status, 200);
        EXPECT_EQ(get(page.port(), picture + "cut.model").status, 200);
      }
      fs::resize_file(folder / "cut.model" / file, 1);
      const Reply reply = file == "pictures.mjpeg" ? get(page.port(), picture + "cut.model")
                                                   : post(page.port(), of_cut, bytes);
      EXPECT_EQ(reply.status, 422) << file << reply.body;
      EXPECT_NE(reply.body.find(file), std::string::npos) << reply.body;
      EXPECT_EQ(post(page.port(), identify + "&model=drawn.model", bytes).status, 200);
    }
  }
}

// invariant: the outline encloses the same share of the photograph as the foreground of a drawn
// leaf, dark on white.
TEST_F(LeafApiTest, TheOutlineIsThatOfTheLeaf) {
  const testing::ServedPage page(options());
  for (const fs::path& file : leaves_->photographs()) {
    const cv::Mat photograph = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
    const Json leaf = only_leaf(post(page.port(), answer_path(file), read_file(file)));
    const Json& outline = leaf["outline"];
    ASSERT_GE(outline.size(), 10U);
    double twice = 0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      const Json& a = outline[i];
      const Json& b = outline[(i + 1) % outline.size()];
      twice += a[0].get<double>() * b[1].get<double>() - b[0].get<double>() * a[1].get<double>();
    }
    const double dark =
        cv::countNonZero(photograph < 160) / static_cast<double>(photograph.total());
    // An outline passes through the middle of the leaf's outermost pixels, and half of the blurred
    // edge is darker than this test's threshold.
    EXPECT_NEAR(std::abs(twice) / 2, dark, 0.1 * dark) << file;
    EXPECT_EQ(leaf["parts"].size(), 1U);
  }
}

// mechanics: five species with pictures of training leaves, the channels that agree, and reasons.
TEST_F(LeafApiTest, APredictionIsExplained) {
  const testing::ServedPage page(options());
  const fs::path file = leaves_->photographs().front();
  const Json leaf = only_leaf(post(page.port(), answer_path(file), read_file(file)));
  ASSERT_EQ(leaf["species"].size(), 5U);
  EXPECT_EQ(leaf["species"][0]["name"], file.parent_path().filename().string());
  for (const Json& species : leaf["species"]) {
    ASSERT_FALSE(species["leaves"].empty());
    for (const Json& near : species["leaves"]) {
      const std::string name = near["name"];
      EXPECT_EQ(species["name"], name.substr(0, name.find('/')));
      const Reply picture = get(page.port(), "/api/v1/leaf/picture?leaf=" + near["leaf"].dump());
      EXPECT_EQ(picture.status, 200);
      EXPECT_TRUE(picture.body.starts_with("\xFF\xD8"));
    }
  }
  EXPECT_EQ(leaf["channels"].size(), 4U);  // three, plus the measures
  bool speaks_for = false;
  for (const Json& reason : leaf["reasons"]) speaks_for |= reason["for"].get<bool>();
  EXPECT_TRUE(speaks_for);  // it is a training leaf
}

// mechanics: for a photograph without a leaf, and for a file that is not an image, the prediction
// has the reason.
TEST_F(LeafApiTest, WhatIsNoLeafHasTheReason) {
  const testing::ServedPage page(options());
  std::vector<unsigned char> png;
  cv::imencode(".png", cv::Mat(100, 100, CV_8U, cv::Scalar(200)), png);
  for (const std::string& bytes : {std::string(png.begin(), png.end()), std::string("no image"),
                                   std::string("\xFF\xD8\xFF\xE0", 4)}) {
    const Json leaf = only_leaf(post(page.port(), "/api/v1/leaf/identify?name=%3Cb%3E.png", bytes));
    const std::string error = leaf["prediction"]["error"];
    EXPECT_TRUE(error.starts_with("<b>.png")) << error;
    EXPECT_TRUE(leaf["outline"].empty());
    EXPECT_FALSE(leaf.contains("species"));
  }
}

// mechanics: a leaf is refused if its background is not the one stated.
TEST_F(LeafApiTest, TheBackgroundMayBeGiven) {
  const testing::ServedPage page(options());
  const fs::path file = leaves_->photographs().front();
  const auto with = [&](const std::string& background) {
    return post(page.port(), answer_path(file) + "&background=" + background, read_file(file));
  };
  EXPECT_FALSE(only_leaf(with("light"))["prediction"].contains("error"));
  EXPECT_TRUE(only_leaf(with("dark"))["prediction"].contains("error"));
  EXPECT_EQ(with("green").status, 400);
}

// agreement: several photographs of one plant give the same result as `leaf classify --same-plant`.
TEST_F(LeafApiTest, APlantIsIdentifiedAsByTheCommand) {
  const testing::ServedPage page(options());
  const LeafModel model = load_model(leaves_->model());
  const std::vector<fs::path> files = leaves_->photographs();
  const std::vector<fs::path> two(files.begin(), files.begin() + 2);
  const std::string form = testing::form_text(
      {{"photograph", read_file(two[0])}, {"photograph", read_file(two[1])}}, "edge");
  const Reply reply = post(page.port(), "/api/v1/leaf/identify?together=1", form,
                           "multipart/form-data; boundary=edge");
  ASSERT_EQ(reply.status, 200) << reply.body;
  Json plant = Json::parse(reply.body)["plant"];
  const auto classified = classify_leaves(model, two, ServedModel::kSpecies, LeafRun{});
  Json expected =
      Json::parse(json_text(plant_document(model, same_plant(model, classified), classified)));
  for (Json* json : {&plant, &expected}) {
    for (Json& leaf : (*json)["leaves"]) leaf.erase("image");  // a form names them differently
  }
  EXPECT_EQ(plant, expected);
  const std::string none = testing::form_text({{"photograph", "x"}, {"photograph", "y"}}, "edge");
  EXPECT_EQ(post(page.port(), "/api/v1/leaf/identify?together=1", none,
                 "multipart/form-data; boundary=edge")
                .status,
            422);
}

// Two leaves side by side, the right one smaller.
std::string two_leaves(const fs::path& large, const fs::path& small) {
  const cv::Mat left = cv::imread(large.string(), cv::IMREAD_GRAYSCALE);
  const cv::Mat right = cv::imread(small.string(), cv::IMREAD_GRAYSCALE);
  cv::Mat both(left.rows, left.cols + right.cols / 2, CV_8U, cv::Scalar(255));
  left.copyTo(both(cv::Rect(0, 0, left.cols, left.rows)));
  for (int row = 0; row < right.rows / 2; ++row) {
    for (int column = 0; column < right.cols / 2; ++column) {
      both.at<std::uint8_t>(row, left.cols + column) = right.at<std::uint8_t>(2 * row, 2 * column);
    }
  }
  std::vector<unsigned char> png;
  cv::imencode(".png", both, png);
  return {png.begin(), png.end()};
}

// agreement: the requested part is the leaf, with its outline, and its prediction is that of
// `leaf classify --every-leaf`.
TEST_F(LeafApiTest, AnotherPartMayBeTheLeaf) {
  const testing::ServedPage page(options());
  const std::vector<fs::path> files = leaves_->photographs();
  const std::string bytes = two_leaves(files[0], files[1]);
  const int left_width = cv::imread(files[0].string(), cv::IMREAD_GRAYSCALE).cols;
  const auto with = [&](const std::string& query) {
    return only_leaf(post(page.port(), "/api/v1/leaf/identify?name=a.png" + query, bytes));
  };
  const Json as_it_is = with("");
  ASSERT_EQ(as_it_is["parts"].size(), 2U);
  EXPECT_EQ(as_it_is["outline"], as_it_is["parts"][0]["outline"]);
  const TemporaryFolder folder;
  const std::vector<std::string> sheet = {folder.write("a.png", bytes)};
  const LeafModel model = load_model(leaves_->model());
  classify_every_leaf(
      model, sheet, ServedModel::kSpecies, LeafRun{}, std::nullopt, [&](const LeafSheet& found) {
        ASSERT_EQ(found.leaves.size(), 2U);
        for (const ClassifiedLeaf& leaf : found.leaves) {
          const bool is_left = 2 * leaf.box.left + leaf.box.width < 2 * left_width;
          const Json part = with(is_left ? "&part=0" : "&part=1");
          EXPECT_EQ(part["outline"], as_it_is["parts"][is_left ? 0 : 1]["outline"]);
          const Json expected =
              Json::parse(json_text(classification_document(model, std::span(&leaf, 1)))).front();
          EXPECT_EQ(part["prediction"]["classes"], expected["classes"]);
        }
      });
  EXPECT_TRUE(with("&part=2")["prediction"].contains("error"));
}

// agreement: as leaflets of one leaf, two parts have the prediction of `leaf classify --one-leaf`.
TEST_F(LeafApiTest, PartsMayBeOneLeaf) {
  const testing::ServedPage page(options());
  const std::vector<fs::path> files = leaves_->photographs();
  const std::string bytes = two_leaves(files[0], files[1]);
  const Json one =
      only_leaf(post(page.port(), "/api/v1/leaf/identify?name=a.png&one_leaf=1", bytes));
  EXPECT_EQ(one["parts"].size(), 2U);
  EXPECT_FALSE(one.contains("near_leaflets"));
  const TemporaryFolder folder;
  const std::vector<fs::path> photograph = {folder.write("a.png", bytes)};
  const LeafModel model = load_model(leaves_->model());
  LeafRun run;
  run.one_leaf = true;
  const std::vector<ClassifiedLeaf> leaves =
      classify_leaves(model, photograph, ServedModel::kSpecies, run);
  const Json expected = Json::parse(json_text(classification_document(model, leaves))).front();
  EXPECT_EQ(one["prediction"]["classes"], expected["classes"]);
  const std::vector<ClassifiedLeaf> largest =
      classify_leaves(model, photograph, ServedModel::kSpecies, LeafRun{});
  EXPECT_NE(leaves.front().features, largest.front().features);
}

// mechanics: requests for things that do not exist are refused.
TEST_F(LeafApiTest, WrongRequestsAreRefused) {
  const testing::ServedPage page(options());
  const int port = page.port();
  EXPECT_EQ(post(port, "/api/v1/leaf/identify", "").status, 400);
  EXPECT_EQ(post(port, "/api/v1/leaf/identify?model=other", "x").status, 404);
  EXPECT_EQ(get(port, "/api/v1/leaf/identify").status, 404);
  EXPECT_EQ(get(port, "/api/v1/leaf/picture?leaf=-1").status, 400);
  EXPECT_EQ(get(port, "/api/v1/leaf/picture?leaf=48").status, 400);
  EXPECT_EQ(get(port, "/api/v1/leaf/picture?leaf=47").status, 200);
  std::multimap<std::string, std::string> many;
  for (int i = 0; i < 21; ++i) many.emplace("photograph", "x");
  EXPECT_EQ(post(port, "/api/v1/leaf/identify", testing::form_text(many, "edge"),
                 "multipart/form-data; boundary=edge")
                .status,
            400);
  EXPECT_EQ(post(port, "/api/v1/leaf/identify", testing::form_text({{"other", "x"}}, "edge"),
                 "multipart/form-data; boundary=edge")
                .status,
            400);
}

// mechanics: a photograph is kept in the folder of the species given by the user, and nothing is
// written elsewhere.
TEST_F(LeafApiTest, PhotographsAreKeptForTheNextTraining) {
  const testing::ServedPage page(options());
  const fs::path file = leaves_->photographs().front();
  const std::string bytes = read_file(file);
  const Reply reply = post(page.port(), "/api/v1/leaf/keep?species=Ginkgo%20biloba", bytes);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const Json json = Json::parse(reply.body);
  EXPECT_EQ(read_file(leaves_->kept() / json["kept"].get<std::string>()), bytes);
  EXPECT_TRUE(json["kept"].get<std::string>().starts_with("Ginkgo biloba/"));
  for (const char* name : {"..%2Fx", "%2Fetc", "", ".x", "a%00b", "a%0Ab", "..", "%FF"}) {
    EXPECT_EQ(post(page.port(), std::string("/api/v1/leaf/keep?species=") + name, bytes).status,
              400)
        << name;
  }
  EXPECT_EQ(post(page.port(), "/api/v1/leaf/keep?species=x", "no image").status, 422);
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(leaves_->kept())) {
    files += entry.is_regular_file();
  }
  EXPECT_EQ(files, 1U);
}

// mechanics: models are listed and chosen by the names of their folders, which must be distinct;
// the page is served without any model, too.
TEST_F(LeafApiTest, ModelsHaveNames) {
  ServeOptions two = options();
  const TemporaryFolder folder;
  const fs::path other = folder / "other.model";
  save_model(load_model(leaves_->model()), WriteLock(other));
  two.models.push_back(other);
  {
    const testing::ServedPage page(two);
    const Json models = Json::parse(get(page.port(), "/api/v1/models").body)["models"];
    ASSERT_EQ(models.size(), 2U);
    EXPECT_EQ(models[0]["name"], "drawn.model");
    EXPECT_EQ(models[1]["name"], "other.model");
    EXPECT_EQ(models[0]["leaves"], 48);
    EXPECT_EQ(models[0]["species"].size(), 6U);
    EXPECT_EQ(models[0]["species"][0]["leaves"], 8);
    const fs::path file = leaves_->photographs().front();
    const Reply reply =
        post(page.port(), answer_path(file) + "&model=other.model", read_file(file));
    EXPECT_EQ(Json::parse(reply.body)["model"], "other.model");
  }
  two.models = {leaves_->model(), leaves_->model().string() + "/"};
  EXPECT_THROW(testing::ServedPage same(two), UsageError);
  two.models = {leaves_->leaves()};
  EXPECT_THROW(testing::ServedPage none(two), Error);
  two.models = {};
  const testing::ServedPage page(two);
  EXPECT_EQ(get(page.port(), "/").status, 200);
  EXPECT_EQ(post(page.port(), "/api/v1/leaf/identify", "x").status, 404);
}

}  // namespace
}  // namespace leafglyph
