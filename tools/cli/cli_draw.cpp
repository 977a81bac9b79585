// `leafglyph moments draw`: radial functions as curves, and kernels over the disk or inside a
// pixel.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "classify/page/svg_plot.h"
#include "features/base/files.h"
#include "features/base/limits.h"
#include "features/image_io/image_file.h"
#include "features/moments/moment_spec.h"
#include "tools/cli/cli.h"
#include "tools/cli/option_lists.h"

namespace leafglyph {
namespace {

constexpr int kCurvePoints = 1000;

struct DrawOptions {
  std::string family = "zernike";
  std::vector<int> orders;
  int repetition = 0;
  std::string part = "real";
  int size = 512;
  std::vector<int> pixel;
  int points = 256;
  std::string out;
};

void check_orders(const DrawOptions& options, Family family) {
  if (!is_circular(family)) {
    throw UsageError("--family " + options.family +
                     " is defined on the square; draw a family on the disk, such as zernike");
  }
  const int m = options.repetition;
  for (const int n : options.orders) {
    if (!family.row().has(n, m) || n > family.row().highest_order) {
      throw UsageError(
          fmt::format("order {} with repetition {} is not one of {}", n, m, family_name(family)));
    }
  }
}

// The real part of the radial function at radius rho.
std::function<double(double)> radial_function(const WeightedFamily& family, int n, int m) {
  const FamilyRow& row = family.family.row();
  return [&row, weight = family.weight, n, radial = row.radial(family.weight, n, m)](double rho) {
    return radial(rho) * (row.phase == nullptr ? 1.0 : std::cos(row.phase(weight, n, rho)));
  };
}

std::string curves(const DrawOptions& options, const WeightedFamily& family) {
  Plot plot;
  plot.title = fmt::format("{}, m = {}", family_text(family), options.repetition);
  plot.x_label = "radius";
  plot.y_label = "radial function";
  for (const int n : options.orders) {
    const auto radial = radial_function(family, n, options.repetition);
    PlotSeries series{fmt::format("n = {}", n), {}, false};
    for (int i = 0; i <= kCurvePoints; ++i) {
      const double rho = static_cast<double>(i) / kCurvePoints;
      series.points.push_back({rho, radial(rho), {}, {}});
    }
    plot.series.push_back(std::move(series));
  }
  return svg_plot(plot);
}

// The square of the plane that is drawn: the disk, or a pixel of an image of size x size.
struct Window {
  double left = -1.0;
  double top = 1.0;
  double side = 2.0;
  int points = 0;
};

Window window_of(const DrawOptions& options) {
  if (options.pixel.empty()) return {-1.0, 1.0, 2.0, options.size};
  if (options.pixel.size() != 2) throw UsageError("--pixel takes two numbers COLUMN,ROW");
  const int column = options.pixel[0];
  const int row = options.pixel[1];
  if (column < 0 || row < 0 || column >= options.size || row >= options.size) {
    throw UsageError(fmt::format("--pixel {},{} is outside an image of {} x {}", column, row,
                                 options.size, options.size));
  }
  const double size = options.size;
  return {2.0 * column / size - 1.0, 1.0 - 2.0 * row / size, 2.0 / size, options.points};
}

// The real or imaginary part of V_nm = R_nm e^{j m theta}, times e^{j phase} where there is one, at
// the window's points; points outside the disk are 0.
std::vector<double> kernel_values(const DrawOptions& options, const WeightedFamily& family) {
  const Window window = window_of(options);
  const FamilyRow& row = family.family.row();
  const int n = options.orders.front();
  const auto radial = row.radial(family.weight, n, options.repetition);
  const bool real = options.part == "real";
  std::vector<double> values;
  for (int j = 0; j < window.points; ++j) {
    const double y = window.top - window.side * (j + 0.5) / window.points;
    for (int i = 0; i < window.points; ++i) {
      const double x = window.left + window.side * (i + 0.5) / window.points;
      const double rho = std::hypot(x, y);
      const double phase = row.phase == nullptr ? 0.0 : row.phase(family.weight, n, rho);
      const double angle = options.repetition * std::atan2(y, x) + phase;
      values.push_back(rho > 1.0 ? 0.0 : radial(rho) * (real ? std::cos(angle) : std::sin(angle)));
    }
  }
  return values;
}

ExitCode run_draw(const DrawOptions& options) {
  const WeightedFamily family = weighted_family_from_text(options.family);
  check_orders(options, family.family);
  if (std::filesystem::path(options.out).extension() == ".svg") {
    write_file(options.out, curves(options, family));
    return ExitCode::kDone;
  }
  if (options.orders.size() != 1) {
    throw UsageError("a picture shows one kernel; several orders make curves, named with .svg");
  }
  std::vector<double> values = kernel_values(options, family);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double lowest = *low;
  const double highest = *high;
  // The value 0 becomes grey 127.5, so a part that is 0 everywhere gives a uniform picture.
  const double largest = std::max({-lowest, highest, 1e-300});
  for (double& value : values) value = 127.5 + 127.5 * value / largest;
  const int side = options.pixel.empty() ? options.size : options.points;
  write_image(options.out, side, side, {}, {values});
  std::cout << fmt::format("{}: {} part of {} n = {}, m = {}, from {:.4g} to {:.4g}\n", options.out,
                           options.part, family_text(family), options.orders.front(),
                           options.repetition, lowest, highest);
  return ExitCode::kDone;
}

}  // namespace

void add_draw_command(CLI::App& moments, CommandLine& line) {
  const auto options = std::make_shared<DrawOptions>();
  CLI::App* draw = add_command(
      moments, line, "draw", "Draw radial functions as curves (SVG), or a kernel as a picture",
      "leafglyph moments draw --order 20 --repetition 8 --pixel 256,255 --out kernel.png",
      [options] { return run_draw(*options); });
  draw->add_option("--family", options->family, "One on the disk: " + family_choices())
      ->capture_default_str();
  add_whole_numbers(*draw, "--order", options->orders, 0, kMaxOrder,
                    "n, or several for curves: 1,2,3 or 0:20:4")
      ->required();
  draw->add_option("--repetition", options->repetition, "m, 0 or more")
      ->check(whole_number(0, kMaxOrder))
      ->capture_default_str();
  draw->add_option("--part", options->part, "real or imaginary part of the kernel")
      ->check(one_of({"real", "imaginary"}))
      ->capture_default_str();
  draw->add_option("--size", options->size, "Width of the image that the disk is inscribed in")
      ->check(whole_number(2, kMaxSquareSide))
      ->capture_default_str();
  takes_list(
      draw->add_option("--pixel", options->pixel, "COLUMN,ROW: only the kernel inside this pixel"))
      ->check(whole_number());
  draw->add_option("--points", options->points, "Points per side inside the pixel")
      ->check(whole_number(2, kMaxSquareSide))
      ->capture_default_str();
  add_output(*draw, line, "--out", options->out, OutputKind::kImageOrSvg,
             "F.svg for curves of the radial functions, an image file for the kernel")
      ->required();
}

}  // namespace leafglyph
