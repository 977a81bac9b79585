// The moments of the page equal those of the moments commands for the same image.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "classify/serve/moment_images.h"
#include "features/base/errors.h"
#include "features/base/input_file.h"
#include "features/image_io/image_file.h"
#include "tests/serve/served_page.h"

namespace leafglyph {
namespace {

// Bars and a spot, wider than high.
std::string made_png(const std::filesystem::path& file, int width, int height) {
  cv::Mat image(height, width, CV_8U);
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      const double spot = std::hypot(row - height / 3.0, column - width / 2.0);
      image.at<std::uint8_t>(row, column) = static_cast<std::uint8_t>(
          spot < 9 ? 20 : 120 + 100 * std::sin(0.3 * column) * std::cos(0.2 * row));
    }
  }
  cv::imwrite(file.string(), image);
  return read_file(file);
}

// agreement: padding, moments, reconstruction and PSNR equal those of `moments compute` and
// `moments reconstruct`, for every family of the page, whatever was requested before.
TEST(MomentImages, AnImageIsPutTogetherAsByTheCommands) {
  const TemporaryFolder folder;
  MomentImages images{PlanOptions{}};
  for (const auto& [width, height] : {std::pair(64, 48), std::pair(30, 41)}) {
    const std::filesystem::path file = folder.path() / "made.png";
    const MomentImage image = moment_image(made_png(file, width, height), "made.png");
    const SquareImage square = read_square_image(file, GreyRule::kRec601);
    ASSERT_EQ(image.size, square.size);
    ASSERT_EQ(image.pixels, square.channels.front().pixels);
    for (const char* name : {"zernike", "pseudo-zernike", "bessel-fourier", "fourier-mellin",
                             "exponent-fourier", "pcet", "pct", "pst", "legendre", "gegenbauer:1",
                             "jacobi:1:1", "tchebichef", "krawtchouk"}) {
      const WeightedFamily family = weighted_family_from_text(name);
      MomentSpec spec;
      spec.family = family.family;
      spec.weight = family.weight;
      spec.order = 12;
      spec.method = default_method(family.family);
      const auto plan = make_moment_plan(spec, image.size);
      std::vector<std::complex<double>> moments(plan->moment_count());
      plan->moments({std::span<const double>(image.pixels), 1, image.size}, moments);
      std::vector<double> pixels(image.pixels.size());
      for (const int order : {12, 5, 12}) {
        plan->reconstruct(moments, {0, order, Repetitions::kAll}, pixels);
        const Reconstruction made = images.reconstruct(image, family, order);
        const ImageError error = image_error(image.pixels, pixels, plan->mask());
        // One plan is for order 12, the other for order 100: rounding differs.
        EXPECT_NEAR(made.error.psnr_whole, error.psnr_whole, 1e-6) << name << " " << order;
        EXPECT_NEAR(made.error.psnr_disk, error.psnr_disk, 1e-6) << name << " " << order;
        EXPECT_EQ(made.moments, moment_count(family.family, order)) << name;
      }
    }
  }
}

// mechanics: an order beyond the limit, and a file that is not an image.
TEST(MomentImages, WhatCannotBeComputedIsRefused) {
  const TemporaryFolder folder;
  MomentImages images{PlanOptions{}};
  const MomentImage image = moment_image(made_png(folder.path() / "a.png", 20, 20), "a.png");
  EXPECT_THROW(images.reconstruct(image, {Family::kZernike}, 101), UsageError);
  EXPECT_THROW(images.reconstruct(image, {Family::kZernike}, -1), UsageError);
  EXPECT_THROW(images.reconstruct(image, {Family::kBesselFourier}, 0), UsageError);
  EXPECT_THROW(moment_image("no image", "a.png"), InputError);
}

// mechanics: pictures with the shape of the image, none larger than shown on the page.
TEST(MomentApi, RepliesWithPicturesAndPsnr) {
  const TemporaryFolder folder;
  ServeOptions options;
  options.data = folder.path() / "data";
  const testing::ServedPage page(options);
  const std::string png = made_png(folder.path() / "large.png", 700, 300);
  const testing::Reply reply =
      testing::post(page.port(), "/api/v1/moments/reconstruct?family=legendre&order=10", png);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const auto json = nlohmann::json::parse(reply.body);
  EXPECT_EQ(json["width"], 256);
  EXPECT_EQ(json["height"], 110);
  EXPECT_EQ(json["moments"], 66);
  EXPECT_GT(json["psnr_whole"], 5.0);
  EXPECT_TRUE(json["image"].get<std::string>().starts_with("data:image/png;base64,"));
  const auto status = [&](const std::string& query, const std::string& body) {
    return testing::post(page.port(), "/api/v1/moments/reconstruct?" + query, body).status;
  };
  EXPECT_EQ(status("family=fourier", png), 400);
  EXPECT_EQ(status("family=jacobi:1e9:1", png), 400);
  EXPECT_EQ(status("order=101", png), 400);
  EXPECT_EQ(status("order=0&family=bessel-fourier", png), 400);
  EXPECT_EQ(status("", "no image"), 422);
  EXPECT_EQ(status("", ""), 400);
}

}  // namespace
}  // namespace leafglyph
