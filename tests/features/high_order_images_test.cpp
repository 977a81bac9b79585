// Exact moments of a photograph and its reconstructions, against values measured with an
// independent prototype. Needs LEAFGLYPH_IMAGES, the folder of the photographs.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "features/plan/error_curve.h"
#include "tests/support/plans.h"

namespace leafglyph {
namespace {

// regression: PSNR of cameraman by order; invariant: no order loses what lower orders had
TEST(HighOrderImages, CameramanComesBackAsMeasured) {
  const char* folder = std::getenv("LEAFGLYPH_IMAGES");
  if (folder == nullptr) GTEST_SKIP() << "LEAFGLYPH_IMAGES does not name a folder of photographs";
  const auto path = std::filesystem::path(folder) / "cameraman512.png";
  const cv::Mat photo = cv::imread(path.string(), cv::IMREAD_GRAYSCALE);
  ASSERT_EQ(photo.rows, 512) << path;
  ASSERT_EQ(photo.cols, 512) << path;
  const std::vector<double> image(photo.begin<unsigned char>(), photo.end<unsigned char>());
  const MomentSpec spec{Family::kZernike, 1000, Method::kExact};
  const auto plan = cpu_plan(spec, 512);
  const auto moments = moments_of(*plan, image);
  const std::vector<int> orders{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000};
  std::vector<double> back(image.size());
  const auto curve = error_by_order(*plan, moments, image, orders, back);
  // 0.02 dB: figures of accuracy.md, of images rounded to whole samples, have two decimals
  EXPECT_NEAR(curve[2].error.psnr_whole, 34.39, 0.02);
  EXPECT_NEAR(curve[4].error.psnr_whole, 42.75, 0.02);
  const std::vector<std::pair<std::size_t, double>> disk{
      {2, 33.32}, {4, 41.68}, {5, 44.84}, {6, 47.30}, {7, 48.57}, {8, 48.53}, {9, 48.47}};
  for (const auto& [at, expected] : disk) {
    EXPECT_NEAR(curve[at].error.psnr_disk, expected, 0.02) << "order " << curve[at].order;
  }
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double gain = curve[i].error.psnr_disk - curve[i - 1].error.psnr_disk;
    EXPECT_GT(gain, curve[i].order <= 800 ? 0.0 : -0.1) << "order " << curve[i].order;
  }
}

}  // namespace
}  // namespace leafglyph
