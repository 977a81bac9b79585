// Random requests: none ends or blocks the server, or writes anything outside its folder.
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/serve/patterned_font.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kFuzzSeed = 20;
constexpr int kRequests = 10'000;

/// Makes requests from parts that handlers know, and damages half of them.
class RandomRequests {
 public:
  RandomRequests(int port, std::vector<std::string> bodies)
      : port_(port), bodies_(std::move(bodies)) {}

  std::string next() {
    const std::string method = one_of({"GET", "POST", "POST", "POST", "HEAD", "PUT", "\xFF"});
    std::string target = one_of({"/",
                                 "/page.css",
                                 "/api/v1/models",
                                 "/api/v1/leaf/identify",
                                 "/api/v1/leaf/picture",
                                 "/api/v1/leaf/preview",
                                 "/api/v1/leaf/keep",
                                 "/api/v1/moments/reconstruct",
                                 "/api/v1/glyph/similar",
                                 "/api/v1/glyph/pairs",
                                 "/api/v1/glyph/characters",
                                 "/api/v1/glyph/drawings",
                                 "/api/v1/glyph/anki",
                                 "/api/v1/glyph/recognise",
                                 "/api/v1/training",
                                 "/api/v1/training/begin",
                                 "/api/v1/training/photograph",
                                 "/api/v1/training/archive",
                                 "/api/v1/training/run",
                                 "/api/v1/../../etc/passwd"});
    const int values = number(0, 3);
    for (int i = 0; i < values; ++i) {
      target += (i == 0 ? "?" : "&") +
                one_of({"model", "leaf", "name", "background", "species", "family", "order",
                        "character", "top", "discard", "x"}) +
                "=" +
                one_of({"drawn.model", "0", "47", "-1", "9999999999999", "dark", "oak",
                        "..%2F..%2Fx", "%2Ftmp%2Fx", "zernike", "jacobi:1:1", "bessel-fourier",
                        "legendre", "%E5%B7%B1", "%00", "%FF", "%", "12", "100"});
    }
    std::string body =
        bodies_[static_cast<std::size_t>(number(0, static_cast<int>(bodies_.size()) - 1))];
    if (chance()) damage(body);
    std::string type =
        one_of({"application/octet-stream", "image/png", "text/plain",
                "multipart/form-data; boundary=edge", "application/x-www-form-urlencoded"});
    if (type.starts_with("multipart") && chance()) {
      body = testing::form_text({{one_of({"photograph", "image", "x"}), body}}, "edge");
      if (chance()) damage(body);
    }
    std::string request = testing::request_text(method, target, port_, method == "POST" ? body : "",
                                                "Content-Type: " + type + "\r\n");
    if (number(0, 4) == 0) damage(request);
    return request;
  }

 private:
  int number(int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(generator_);
  }
  bool chance() { return number(0, 1) == 1; }
  std::string one_of(const std::vector<std::string>& choices) {
    return choices[static_cast<std::size_t>(number(0, static_cast<int>(choices.size()) - 1))];
  }
  void damage(std::string& bytes) {
    const int times = number(1, 8);
    for (int i = 0; i < times && !bytes.empty(); ++i) {
      const auto place = static_cast<std::size_t>(number(0, static_cast<int>(bytes.size()) - 1));
      switch (number(0, 3)) {
        case 0:
          bytes[place] = static_cast<char>(number(0, 255));
          break;
        case 1:
          bytes.erase(place, static_cast<std::size_t>(number(1, 40)));
          break;
        case 2:
          bytes.insert(place, bytes.substr(place / 2, static_cast<std::size_t>(number(1, 40))));
          break;
        default:
          bytes.resize(place);
      }
    }
  }

  int port_;
  std::vector<std::string> bodies_;
  std::mt19937 generator_{kFuzzSeed};
};

// A dark ellipse on white: a leaf that is processed quickly.
std::string small_photograph() {
  cv::Mat image(48, 64, CV_8U);
  for (int row = 0; row < image.rows; ++row) {
    for (int column = 0; column < image.cols; ++column) {
      const double x = (column - 32) / 24.0, y = (row - 24) / 12.0;
      image.at<std::uint8_t>(row, column) = x * x + y * y < 1 ? 60 : 240;
    }
  }
  std::vector<unsigned char> png;
  cv::imencode(".png", image, png);
  return {png.begin(), png.end()};
}

std::set<fs::path> entries(const fs::path& folder) {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) found.insert(entry.path());
  return found;
}

// mechanics: ten thousand requests from a fixed seed. Afterwards the server still answers, and all
// new files are in the folder of kept photographs, in folders named as in a request.
TEST(PageServer, RandomRequestsDoNoHarm) {
  const testing::LeavesWithModel leaves;
  ServeOptions options;
  options.models = {leaves.model()};
  options.data = leaves.data();
  options.glyph_cache.clear();
  options.glyph_model = fs::path("nowhere");  // pictures are read all the same
  const TemporaryFolder fonts;
  options.glyphs =
      parse_glyph_config("fonts: [{file: " + fonts.write("made.bdf", testing::patterned_font()) +
                             ", size: 8}]\nmissing: leave_out\n",
                         "made.yaml");
  options.limits.request = options.limits.reply = std::chrono::milliseconds(500);
  options.limits.linger = std::chrono::milliseconds(50);
  const testing::ServedPage page(options);
  const fs::path root = leaves.model().parent_path();
  const std::set<fs::path> before = entries(root);
  RandomRequests requests(page.port(),
                          {"", "\u5df1\u5df2", std::string(300, '\0'), small_photograph(),
                           small_photograph(), "{\"a\": [1, 2]}", "a=b&c=%zz"});
  for (int i = 0; i < kRequests; ++i) {
    const std::string request = requests.next();
    testing::round_trip(page.port(), request);
    if (i % 500 != 0) continue;
    ASSERT_EQ(testing::get(page.port(), "/").status, 200)
        << "request " << i << ", seed " << kFuzzSeed;
  }
  EXPECT_EQ(testing::get(page.port(), "/api/v1/models").status, 200);
  for (const fs::path& entry : entries(root)) {
    const std::string inside = fs::relative(entry, root).string();
    EXPECT_TRUE(before.contains(entry) || (inside + "/").starts_with("data/")) << inside;
  }
}

}  // namespace
}  // namespace leafglyph
