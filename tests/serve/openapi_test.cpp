// The description of the API.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/serve/patterned_font.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kApi = "/api/";

class OpenApiTest : public ::testing::Test {
 protected:
  OpenApiTest() {
    ServeOptions options;
    options.data = folder_.path() / "data";
    options.glyphs = parse_glyph_config(
        "fonts: [{file: " + folder_.write("made.bdf", testing::patterned_font()) +
            ", size: 8}]\nmissing: leave_out\n",
        "made.yaml");
    options.glyph_cache.clear();
    const testing::ServedPage page(options);
    for (const HttpRoute& route : page.routes()) {
      if (route.path.starts_with(kApi)) answered_.insert(route.method + " " + route.path);
    }
    const testing::Reply reply = testing::get(page.port(), "/api/v1/openapi.json");
    EXPECT_EQ(reply.status, 200);
    description_ = Json::parse(reply.body);
  }

  TemporaryFolder folder_;
  std::set<std::string> answered_;  // paths of the API
  Json description_;
};

// Every "$ref" in a description, at any depth.
void add_references(const Json& json, std::set<std::string>& references) {
  if (!json.is_structured()) return;
  if (json.is_object() && json.contains("$ref")) references.insert(json["$ref"].get<std::string>());
  for (const Json& part : json) add_references(part, references);
}

// mechanics: the paths and methods of the API, exactly those that are answered.
TEST_F(OpenApiTest, DescribesWhatIsAnsweredAndNothingElse) {
  std::set<std::string> described;
  for (const auto& [path, methods] : description_["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      std::string name = method;
      std::ranges::transform(name, name.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
      });
      described.insert(name + " " + path);
      EXPECT_FALSE(operation["summary"].get<std::string>().empty()) << path;
      EXPECT_TRUE(operation["responses"].contains("200")) << path;
    }
  }
  EXPECT_EQ(Json(described).dump(1), Json(answered_).dump(1));
}

// mechanics: everything that the description refers to is in it.
TEST_F(OpenApiTest, RefersToItsOwnParts) {
  std::set<std::string> references;
  add_references(description_, references);
  EXPECT_FALSE(references.empty());
  for (const std::string& reference : references) {
    ASSERT_TRUE(reference.starts_with("#")) << reference;
    EXPECT_TRUE(description_.contains(Json::json_pointer(reference.substr(1)))) << reference;
  }
}

}  // namespace
}  // namespace leafglyph
