// End to end: `leafglyph moments fit` on small maps.
#include <cmath>
#include <limits>
#include <span>

#include "features/base/npy.h"
#include "features/base/numbers.h"
#include "features/image_io/volume_file.h"
#include "tests/support/run_command.h"

namespace leafglyph {
namespace {

constexpr int kSide = 64;

class FitCommandTest : public CommandTest {
 protected:
  FitCommandTest() : CommandTest("moments") {}

  // 0.3 Z4 - 0.1 Z7 (Noll, rms 1), and `bias`; NaN beyond the circle and in the hole.
  std::vector<double> map(double bias, double hole) const {
    std::vector<double> values;
    for (int row = 0; row < kSide; ++row) {
      for (int column = 0; column < kSide; ++column) {
        const double x = (2 * column + 1 - kSide) / double{kSide};
        const double y = (kSide - 1 - 2 * row) / double{kSide};
        const double rho2 = x * x + y * y;
        const double value =
            0.3 * std::sqrt(3) * (2 * rho2 - 1) - 0.1 * std::sqrt(8) * (3 * rho2 - 2) * y + bias;
        const bool counts = rho2 <= 1 && rho2 >= hole * hole;
        values.push_back(counts ? value : std::numeric_limits<double>::quiet_NaN());
      }
    }
    return values;
  }
  void write(const std::string& name, const std::vector<double>& values,
             std::vector<std::size_t> shape = {kSide, kSide}) const {
    write_file(at(name), npy_bytes<double>(values, shape));
  }
  // The coefficient in the row of the CSV that begins so.
  double coefficient(const std::string& begin) const {
    const std::string csv = read_file(at("c.csv"));
    const std::size_t line = csv.find("\n" + begin);
    if (line == std::string::npos) return std::numeric_limits<double>::quiet_NaN();
    std::string_view rest = std::string_view(csv).substr(line + 1 + begin.size());
    return take_number<double>(rest).value_or(std::numeric_limits<double>::quiet_NaN());
  }
};

// oracle: known coefficients by every numbering and scale, of a stack with a hole, with y upwards
// and downwards; what is left lacks the terms that are named, and NaN stays.
TEST_F(FitCommandTest, FindsTheCoefficientsOfAStack) {
  std::vector<double> stack = map(0.0, 0.25), second = map(5.0, 0.25);
  stack.insert(stack.end(), second.begin(), second.end());
  write("maps.npy", stack, {2, kSide, kSide});
  const std::string maps = at("maps.npy");
  const std::string common = "fit " + maps + " --csv " + at("c.csv");
  const Outcome noll = run(common + " --order 3 --unit nm --remove piston,tilt --residual " +
                           at("left.npy") + " --summary " + at("s.csv"));
  ASSERT_EQ(noll.code, 0) << noll.error;
  EXPECT_NE(noll.out.find("10 terms to order 3, condition 1."), std::string::npos) << noll.out;
  EXPECT_NE(noll.out.find("   4  2   0  defocus"), std::string::npos) << noll.out;
  EXPECT_NE(noll.out.find(" nm, peak to valley "), std::string::npos) << noll.out;
  EXPECT_NEAR(coefficient(maps + "#1,4,2,0,"), 0.3, 1e-12);
  EXPECT_NEAR(coefficient(maps + "#2,7,3,-1,"), -0.1, 1e-12);
  EXPECT_NEAR(coefficient(maps + "#2,1,0,0,"), 5.0, 1e-12);
  const std::vector<double> left = read_volume(at("left.npy")).volume.values;
  EXPECT_TRUE(std::isnan(left[0]));
  const std::size_t place = 20 * kSide + 50;
  EXPECT_NEAR(left[kSide * kSide + place], stack[place], 1e-6);  // single precision
  const std::string summary = read_file(at("s.csv"));
  EXPECT_EQ(std::count(summary.begin(), summary.end(), '\n'), 3) << summary;

  ASSERT_EQ(run(common + " --terms 9 --indices fringe --scale amplitude --y-down").code, 0);
  EXPECT_NEAR(coefficient(maps + "#1,4,2,0,"), 0.3 * std::sqrt(3), 1e-12);
  EXPECT_NEAR(coefficient(maps + "#1,8,3,-1,"), 0.1 * std::sqrt(8), 1e-12);
  ASSERT_EQ(run(common + " --order 4 --indices osa --hole 0.25 --annular").code, 0);
  EXPECT_NEAR(coefficient(maps + "#1,4,2,0,"), 0.3 * (1 - 0.0625), 1e-12);  // of the ring's defocus
}

// oracle: a mask, a circle and weights of your own.
TEST_F(FitCommandTest, TakesMaskCircleAndWeights) {
  const std::vector<double> values = map(0.0, 0.0);
  std::vector<double> wide(kSide * 2 * kSide, 7.0), mask(wide.size(), 0.0), weights(wide.size(), 1);
  for (std::size_t row = 0; row < kSide; ++row) {
    for (std::size_t column = 0; column < kSide; ++column) {
      const std::size_t to = row * 2 * kSide + column + 10;
      const double value = values[row * kSide + column];
      if (std::isnan(value)) continue;
      wide[to] = value;
      mask[to] = column < 40 ? 1.0 : 0.0;
      weights[to] = 1.0 + static_cast<double>(row) / kSide;
    }
  }
  write("wide.npy", wide, {kSide, 2 * kSide});
  write("mask.npy", mask, {kSide, 2 * kSide});
  write("weights.npy", weights, {kSide, 2 * kSide});
  const Outcome fitted =
      run("fit " + at("wide.npy") + " --order 3 --mask " + at("mask.npy") + " --weights " +
          at("weights.npy") + " --centre 41.5,31.5 --radius 32 --csv " + at("c.csv"));
  ASSERT_EQ(fitted.code, 0) << fitted.error;
  EXPECT_NEAR(coefficient(at("wide.npy") + ",4,2,0,"), 0.3, 1e-12);
  EXPECT_NEAR(coefficient(at("wide.npy") + ",7,3,-1,"), -0.1, 1e-12);
}

// mechanics: what cannot be fitted is refused in one line, and a bad condition warned of with the
// order that is safe.
TEST_F(FitCommandTest, RefusesWhatPixelsDoNotDetermine) {
  std::vector<double> values = map(0.0, 0.0);
  write("map.npy", values);
  write("small.npy", {1, 2, 3, 4}, {2, 2});
  const std::string fit = "fit " + at("map.npy") + " ";
  const std::pair<std::string, const char*> wrong[] = {
      {"fit " + at("small.npy") + " --order 4", "fewer than the 15 terms"},
      {fit + at("small.npy"), "fit those of one size together"},
      {fit + "--centre 900,900", "no pixel counts"},
      {fit + "--mask " + at("small.npy"), "has not the size of the maps"},
      {fit + "--remove coma --order 1", "--remove coma is not among the terms"},
      {fit + "--annular", "needs --hole"},
      {fit + "--centre 3", "two numbers"},
      {fit + "--hole 1 --annular", "less than 1"},
      {fit + "--order 4 --terms 3", "--order excludes --terms"}};
  for (const auto& [command, words] : wrong) {
    const Outcome outcome = run(command);
    EXPECT_NE(outcome.code, 0) << command;
    EXPECT_NE(outcome.error.find(words), std::string::npos) << command << ": " << outcome.error;
  }
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (p % kSide < 29 || p % kSide > 34) values[p] = std::numeric_limits<double>::quiet_NaN();
  }
  write("strip.npy", values);
  const Outcome strip = run("fit " + at("strip.npy") + " --order 5");
  EXPECT_EQ(strip.code, 0) << strip.error;
  EXPECT_NE(strip.error.find("hardly distinguish the terms"), std::string::npos) << strip.error;
  EXPECT_EQ(run("fit " + at("strip.npy") + " --order 30").code, 3);
}

}  // namespace
}  // namespace leafglyph
