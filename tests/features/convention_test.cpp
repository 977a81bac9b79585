#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include "features/base/errors.h"
#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "features/pixel_sums/pixel_sums.h"
#include "features/pixel_sums/unit_circle.h"
#include "tests/support/plans.h"
#include "tests/support/random_image.h"
#include "tests/support/refusal.h"

namespace leafglyph {
namespace {

using testing::refusal;

constexpr unsigned kConventionSeed = 20261121;

struct Picture {
  ArraySize size;
  std::vector<double> pixels;
};

Picture read_pgm(const std::string& name) {
  std::ifstream file(LEAFGLYPH_CONVENTIONS "/" + name + ".pgm");
  std::string format;
  double white = 0.0;
  Picture picture;
  file >> format >> picture.size.width >> picture.size.height >> white;
  picture.pixels.resize(picture.size.elements());
  for (double& value : picture.pixels) file >> value;
  EXPECT_TRUE(file && format == "P2") << name;
  return picture;
}

MomentSpec with(const ConventionSpec& convention, MomentSpec spec) {
  spec.convention = convention;
  return spec;
}

std::vector<std::complex<double>> compute(const ConventionSpec& convention, const MomentSpec& spec,
                                          const Picture& picture) {
  return moments_of(*cpu_plan(with(convention, spec), picture.size), picture.pixels);
}

// The fields of a line; quoted fields may contain commas.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// oracle: what Mahotas, centrosome and Nyxus themselves print (conventions/make_golden.py)
TEST(Conventions, GiveTheNumbersOfTheProgramsThemselves) {
  std::ifstream file(LEAFGLYPH_CONVENTIONS "/golden.csv");
  std::string line;
  std::getline(file, line);
  std::map<std::string, std::vector<std::complex<double>>> computed;
  std::map<std::string, std::size_t> compared;
  while (std::getline(file, line)) {
    const auto f = fields_of(line);
    ASSERT_EQ(f.size(), 10U) << line;
    const int order = std::stoi(f[2]);
    auto& moments = computed[f[0] + f[1] + f[3] + "/" + f[4]];
    if (moments.empty()) {
      moments = compute(convention_from_text(f[1], f[3], f[4]), {Family::kZernike, order},
                        read_pgm(f[0]));
    }
    const auto moment =
        moments[moment_position(Family::kZernike, std::stoi(f[5]), std::stoi(f[6]))];
    // 1e-12: moments are at most 10 (n + 1 over pi), and at order 9 factorial sums of the radial
    // polynomials lose three digits
    EXPECT_NEAR(std::abs(moment), std::stod(f[9]), 1e-12) << line;
    if (!f[7].empty()) {
      EXPECT_NEAR(moment.real(), std::stod(f[7]), 1e-12) << line;
      EXPECT_NEAR(moment.imag(), std::stod(f[8]), 1e-12) << line;
    }
    ++compared[f[1]];
  }
  // 30 moments of 5 images; Mahotas on three circles
  EXPECT_EQ(compared["mahotas"], 450U);
  EXPECT_EQ(compared["centrosome"], 150U);
  EXPECT_EQ(compared["nyxus"], 150U);
}

// agreement: on the inscribed circle the textbook's sums equal a plan's moments
TEST(Conventions, TextbookOnTheInscribedCircleAgreesWithThePlan) {
  for (const int size : {16, 25}) {
    const Picture picture{size, random_image(size, kConventionSeed)};
    for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
      for (const int points : {1, 3}) {
        for (const Mask mask : {Mask::kCentre, Mask::kWhole}) {
          MomentSpec spec{family, 20, Method::kSubregion, points};
          spec.mask = mask;
          const auto plan = cpu_plan(spec, size);
          std::vector<std::complex<double>> expected(plan->moment_count());
          plan->moments(ImageBatch(picture.pixels, 1, size), expected);
          // 1e-13: two sums of a few hundred values in double
          MomentPlan sums = plan_through(spec, size, make_pixel_sums(spec, size));
          EXPECT_LT(relative_l2(moments_of(sums, picture.pixels), expected), 1e-13)
              << describe(spec) << ", " << size;
        }
      }
    }
  }
}

// invariant: the circle moves with the shape, and nothing outside it counts
TEST(Conventions, MovedShapesHaveTheSameMoments) {
  const Picture picture = read_pgm("letter");
  Picture moved{{picture.size.width + 7, picture.size.height + 5}, {}};
  moved.pixels.resize(moved.size.elements());
  for (int row = 0; row < picture.size.height; ++row) {
    std::copy_n(picture.pixels.begin() + row * picture.size.width, picture.size.width,
                moved.pixels.begin() + (row + 2) * moved.size.width + 4);
  }
  for (const auto& spec :
       {convention_from_text("mahotas", "", "9.3"), convention_from_text("centrosome", "", ""),
        convention_from_text("textbook", "centroid", "enclosing"),
        convention_from_text("nyxus", "", "11")}) {
    const MomentSpec moments{Family::kZernike, 12};
    // 1e-12: centroids are rounded differently
    EXPECT_LT(relative_l2(compute(spec, moments, moved), compute(spec, moments, picture)), 1e-12)
        << describe(spec);
  }
}

// invariant: a quarter turn of the pixels keeps magnitudes
TEST(Conventions, QuarterTurnsKeepMagnitudes) {
  const Picture picture = read_pgm("deep");
  Picture turned{{picture.size.height, picture.size.width}, {}};
  turned.pixels.resize(turned.size.elements());
  for (int row = 0; row < turned.size.height; ++row) {
    for (int column = 0; column < turned.size.width; ++column) {
      turned.pixels[static_cast<std::size_t>(row * turned.size.width + column)] =
          picture.pixels[static_cast<std::size_t>(column * picture.size.width + picture.size.width -
                                                  1 - row)];
    }
  }
  for (const char* name : {"mahotas", "centrosome", "nyxus", "textbook"}) {
    const auto spec = convention_from_text(name, "centroid", "9.7");
    const auto a = compute(spec, {Family::kZernike, 12}, picture);
    const auto b = compute(spec, {Family::kZernike, 12}, turned);
    for (std::size_t c = 0; c < a.size(); ++c) {
      // 1e-12: sums of a few hundred values as large as the largest moment, 3
      EXPECT_NEAR(std::abs(a[c]), std::abs(b[c]), 1e-12 * std::abs(a[0])) << name << " " << c;
    }
  }
}

// oracle: the smallest of all circles through two or three of the points that contain every point
TEST(Conventions, SmallestCircleIsTheBestOfAllPairsAndTriples) {
  std::mt19937 generator(kConventionSeed);
  for (int round = 0; round < 300; ++round) {
    const int span = 2 + round % 9;
    std::uniform_int_distribution<int> place(0, span);
    std::vector<GridPoint> points(2 + static_cast<std::size_t>(round % 7));
    for (GridPoint& point : points) point = {place(generator), place(generator)};
    double best = std::numeric_limits<double>::infinity();
    const auto try_circle = [&](const std::vector<GridPoint>& through) {
      const UnitCircle circle = smallest_circle(through);
      for (const GridPoint& p : points) {
        if (std::hypot(p.column - circle.x, p.row - circle.y) > circle.radius + 1e-9) return;
      }
      best = std::min(best, circle.radius);
    };
    for (const GridPoint& a : points) {
      for (const GridPoint& b : points) {
        for (const GridPoint& c : points) try_circle({a, b, c});
      }
    }
    const UnitCircle circle = smallest_circle(points);
    // 1e-12: radii are at most 8
    EXPECT_NEAR(circle.radius, best, 1e-12) << "round " << round;
    for (const GridPoint& p : points) {
      EXPECT_LE(std::hypot(p.column - circle.x, p.row - circle.y), circle.radius + 1e-12)
          << "round " << round;
    }
  }
  EXPECT_EQ(smallest_circle({{3, 4}, {3, 4}}).radius, 0.0);
  EXPECT_THROW(smallest_circle({}), UsageError);
}

// invariant: neither the number of threads nor the other images of the batch change a bit
TEST(Conventions, ResultsDependNeitherOnThreadsNorOnTheBatch) {
  const ArraySize size{23, 31};
  std::vector<float> images;
  for (unsigned b = 0; b < 5; ++b) {
    for (const double v : random_image(31, kConventionSeed + b)) {
      if (images.size() < (b + 1) * size.elements()) images.push_back(static_cast<float>(v));
    }
  }
  const auto plan =
      cpu_plan(with(convention_from_text("mahotas", "", "10"), {Family::kZernike, 15}), size);
  const std::size_t count = plan->moment_count();
  std::vector<std::complex<double>> batch(5 * count);
  set_thread_count(2);
  plan->moments(ImageBatch(images, 5, size), batch);
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    for (std::size_t b = 0; b < 5; ++b) {
      std::vector<std::complex<double>> one(count);
      plan->moments(ImageBatch(images, 5, size).slice(b, 1), one);
      EXPECT_TRUE(std::equal(one.begin(), one.end(), batch.begin() + b * count)) << threads;
    }
  }
  set_thread_count(0);
  std::vector<float> magnitudes(5 * count);
  plan->magnitudes(ImageBatch(images, 5, size), magnitudes);
  for (std::size_t c = 0; c < batch.size(); ++c) {
    EXPECT_EQ(magnitudes[c], static_cast<float>(std::abs(batch[c])));
  }
}

// mechanics: images without a circle, and values that are not numbers
TEST(Conventions, ImagesWithoutACircleAreNamed) {
  const ArraySize size{4, 3};
  std::vector<double> images(2 * size.elements(), 1.0);
  const auto try_second = [&](const char* convention, const char* radius) {
    return refusal([&] {
      const auto own_circle = convention_from_text(convention, "", radius);
      moments_of(*cpu_plan(with(own_circle, {Family::kZernike, 3}), size), images);
    });
  };
  std::fill(images.begin() + 12, images.end(), 0.0);
  EXPECT_NE(try_second("mahotas", "2").find("image 1 of the batch: the image's values add up to 0"),
            std::string::npos);
  EXPECT_NE(try_second("nyxus", "").find("image 1"), std::string::npos);
  EXPECT_NE(try_second("centrosome", "").find("image 1 of the batch: the image has fewer"),
            std::string::npos);
  images[17] = 1.0;
  EXPECT_NE(try_second("centrosome", "").find("image 1 of the batch: the image has fewer"),
            std::string::npos);
  images[12 + 6] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(try_second("nyxus", ""),
            "image 1 of the batch: the value in row 1, column 2 is not finite");
}

// mechanics: conventions read back as written, and invalid ones are refused
TEST(Conventions, AreReadFromTextAndRefuseWhatTheyDoNotHave) {
  for (const auto& [convention, centre, radius] :
       {std::array{"textbook", "image", "inscribed"}, std::array{"mahotas", "centroid", "12.5"},
        std::array{"centrosome", "enclosing", "enclosing"},
        std::array{"nyxus", "centroid", "shorter"}, std::array{"mahotas", "3,-4.5", "1e3"}}) {
    const ConventionSpec spec = convention_from_text(convention, centre, radius);
    EXPECT_EQ(convention_from_text(name_of(spec.convention), centre_text(spec), radius_text(spec)),
              spec)
        << describe(spec);
  }
  EXPECT_TRUE(is_inscribed_textbook(convention_from_text("textbook", "", "")));
  EXPECT_FALSE(is_inscribed_textbook(convention_from_text("textbook", "", "7")));
  for (const auto& [convention, centre, radius] :
       {std::array{"opencv", "", ""}, std::array{"mahotas", "", ""}, std::array{"mahotas", "", "0"},
        std::array{"mahotas", "", "-1"}, std::array{"mahotas", "", "nan"},
        std::array{"mahotas", "", "5px"}, std::array{"mahotas", "3", "5"},
        std::array{"mahotas", "3,", "5"}, std::array{"mahotas", "1,inf", "5"}}) {
    EXPECT_THROW(convention_from_text(convention, centre, radius), UsageError)
        << convention << " " << centre << " " << radius;
  }
  const auto nyxus = convention_from_text("nyxus", "", "");
  const auto own_circle = convention_from_text("textbook", "centroid", "");
  for (const MomentSpec& wrong :
       {with(nyxus, {Family::kPseudoZernike, 5}),
        with(nyxus, {Family::kZernike, 5, Method::kExact}),
        with(nyxus, {Family::kZernike, 5, Method::kSubregion, 3}),
        with(own_circle, {Family::kZernike, 5, Method::kExact}),
        with(own_circle, {Family::kBesselFourier, 5}), with(own_circle, {Family::kLegendre, 5})}) {
    EXPECT_THROW(validate(wrong), UsageError) << describe(wrong);
  }
  EXPECT_NO_THROW(validate(with(own_circle, {Family::kPseudoZernike, 5, Method::kSubregion, 3})));
  EXPECT_THROW(validate(with(nyxus, {Family::kZernike, 5}), ArraySize(3, 3, 3)), UsageError);
}

// mechanics: moments on a circle of each image's own run on the CPU, which the log reports, and
// cannot be reconstructed
TEST(Conventions, ArePlansOfTheCpuThatGoOneWay) {
  const MomentSpec spec = with(convention_from_text("nyxus", "", ""), {Family::kZernike, 5});
  const ArraySize size(5, 3);
  PlanOptions options;
  std::vector<std::string> lines;
  options.log = [&](const std::string& line) { lines.push_back(line); };
  const auto plan = make_moment_plan(spec, size, options);
  moments_of(*plan, std::vector<double>(15, 1.0));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            "moments: sums over pixels, nyxus, centre centroid, radius shorter; algorithm "
            "pixel-sums; not on a GPU: there is no CUDA for convention nyxus, centre centroid, "
            "radius shorter");
  EXPECT_EQ(plan->mask().pixels().size(), 15U);
  EXPECT_NE(refusal([&] { plan->prepare(MomentPlan::Direction::kImages); }).find("nyxus"),
            std::string::npos);
  options.device.kind = DeviceChoice::Kind::kCuda;
  EXPECT_NE(refusal([&] { make_moment_plan(spec, size, options); }).find("no CUDA for convention"),
            std::string::npos);
}

}  // namespace
}  // namespace leafglyph
