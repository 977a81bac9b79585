#include "features/pixel_sums/pixel_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/moments/disk_grid.h"
#include "features/moments/radial.h"
#include "features/pixel_sums/unit_circle.h"

namespace leafglyph {
namespace {

// Each of this many groups of rows has its own sums, which are added at the end, whatever the
// number of threads.
constexpr int kRowGroups = 16;
constexpr std::size_t kBlock = 128;
// Bytes per moment: the sums of every group of rows, and slope, shift, back and position of its
// term.
constexpr double kMomentBytes =
    kRowGroups * sizeof(std::complex<double>) + 2.0 * (3 * sizeof(double) + sizeof(std::size_t));

// The largest rho^2 that counts. Mahotas and Nyxus compare the rounded square root with 1.
double largest_square(Convention convention) {
  switch (convention) {
    case Convention::kTextbook:
      return kDiskSquare;
    case Convention::kCentrosome:
      return 1.0;
    case Convention::kMahotas:
    case Convention::kNyxus:
      break;
  }
  return 1.0 + std::numeric_limits<double>::epsilon();
}

// Whether a pixel inside the circle counts.
bool counts(Convention convention, double value, double square) {
  switch (convention) {
    case Convention::kMahotas:
      return value > 0.0;
    case Convention::kCentrosome:
      return value != 0.0;
    case Convention::kNyxus:
      return std::sqrt(square) >= std::numeric_limits<double>::epsilon();
    case Convention::kTextbook:
      break;
  }
  return true;
}

std::complex<double> turned(std::complex<double> z, int quarters) {
  switch (quarters % 4) {
    case 1:
      return {-z.imag(), z.real()};
    case 2:
      return -z;
    case 3:
      return {z.imag(), -z.real()};
    default:
      return z;
  }
}

void check_finite(std::span<const double> image, const ArraySize& size) {
  const auto bad =
      std::find_if(image.begin(), image.end(), [](double v) { return !std::isfinite(v); });
  if (bad == image.end()) return;
  const auto pixel = static_cast<std::size_t>(bad - image.begin());
  const auto width = static_cast<std::size_t>(size.width);
  throw InputError("the value in row " + std::to_string(pixel / width) + ", column " +
                   std::to_string(pixel % width) + " is not finite");
}

// For stored moment c the sum of f R_nm e^{-j m theta}, and the sum of f over the same points.
struct Sums {
  std::vector<std::complex<double>> values;
  double weight = 0.0;
};

// Points on the disk that are summed together, x to the right and y down.
struct Points {
  std::size_t count = 0;
  std::array<double, kBlock> x;
  std::array<double, kBlock> y;
  std::array<double, kBlock> value;
};

class PixelSums final : public ForwardTransform, private TransformShape {
 public:
  PixelSums(const MomentSpec& spec, const ArraySize& size);

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override;
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override;
  std::string describe() const override {
    return "sums over pixels, " + leafglyph::describe(spec().convention);
  }

 private:
  Convention convention() const { return spec().convention.convention; }
  void image_moments(std::span<const double> image, std::span<std::complex<double>> moments) const;
  void add_rows(std::span<const double> image, const UnitCircle& circle, int first, int last,
                Sums& sums) const;
  void add_subpoints(int row, int column, double value, const UnitCircle& circle, Points& points,
                     Sums& sums) const;
  void add_points(Points& points, Sums& sums) const;
  void normalise(const Sums& sums, double whole_sum, const UnitCircle& circle,
                 std::span<std::complex<double>> moments) const;

  std::vector<RadialRecurrence> recurrences_;        // one per m
  std::vector<std::vector<std::size_t>> positions_;  // of the moments of each n
};

PixelSums::PixelSums(const MomentSpec& spec, const ArraySize& size) : TransformShape(spec, size) {
  for (int m = 0; m <= spec.order; ++m) {
    const auto& recurrence = recurrences_.emplace_back(spec.family, m, spec.order);
    auto& positions = positions_.emplace_back();
    for (int i = 0; i < recurrence.count(); ++i) {
      positions.push_back(moment_position(spec.family, recurrence.order_of(i), m));
    }
  }
}

// For each m in turn, starts the recurrence in n at every point with the value times
// (x + j y)^m = rho^m e^{-j m theta}, since y points down.
void PixelSums::add_points(Points& points, Sums& sums) const {
  throw_if_interrupted();
  const std::size_t count = points.count;
  std::array<double, kBlock> t;
  std::array<double, kBlock> power_re = points.value;
  std::array<double, kBlock> power_im{};
  std::array<double, kBlock> re, im, re_before, im_before;
  for (std::size_t p = 0; p < count; ++p) {
    const double rho = std::sqrt(points.x[p] * points.x[p] + points.y[p] * points.y[p]);
    t[p] = recurrences_[0].variable(rho);
    sums.weight += points.value[p];
    if (convention() == Convention::kNyxus) {  // the angle is (m + 1) theta
      power_re[p] = points.value[p] * (points.x[p] / rho);
      power_im[p] = points.value[p] * (points.y[p] / rho);
    }
  }
  for (std::size_t m = 0; m < recurrences_.size(); ++m) {
    const RadialRecurrence& recurrence = recurrences_[m];
    re = power_re;
    im = power_im;
    re_before.fill(0.0);
    im_before.fill(0.0);
    for (std::size_t i = 0; i < recurrence.slope.size(); ++i) {
      const double slope = recurrence.slope[i];
      const double shift = recurrence.shift[i];
      const double back = recurrence.back[i];
      double sum_re = 0.0;
      double sum_im = 0.0;
      if (i > 0) {
#pragma omp simd
        for (std::size_t p = 0; p < count; ++p) {
          const double factor = slope * t[p] + shift;
          const double next_re = factor * re[p] + back * re_before[p];
          const double next_im = factor * im[p] + back * im_before[p];
          re_before[p] = re[p];
          im_before[p] = im[p];
          re[p] = next_re;
          im[p] = next_im;
        }
      }
#pragma omp simd reduction(+ : sum_re, sum_im)
      for (std::size_t p = 0; p < count; ++p) {
        sum_re += re[p];
        sum_im += im[p];
      }
      sums.values[positions_[m][i]] += std::complex<double>(sum_re, sum_im);
    }
    for (std::size_t p = 0; p < count; ++p) {
      const double next = power_re[p] * points.x[p] - power_im[p] * points.y[p];
      power_im[p] = power_re[p] * points.y[p] + power_im[p] * points.x[p];
      power_re[p] = next;
    }
  }
  points.count = 0;
}

// Adds the k x k sub-pixel centres of a pixel, if it counts under the textbook's masks.
void PixelSums::add_subpoints(int row, int column, double value, const UnitCircle& circle,
                              Points& points, Sums& sums) const {
  const int k = spec().points;
  const auto at = [k](int pixel, int s) { return pixel - 0.5 + (2 * s + 1) / (2.0 * k); };
  const auto u = [&](double x) { return (x - circle.x) / circle.radius; };
  const auto v = [&](double y) { return (y - circle.y) / circle.radius; };
  // The outermost of the points that decide: the corners or the outermost sub-pixel centres.
  const double reach = mask_of(spec()) == Mask::kWhole ? 0.5 : at(0, k - 1);
  for (const double side_y : {-reach, reach}) {
    for (const double side_x : {-reach, reach}) {
      const double x = u(column + side_x);
      const double y = v(row + side_y);
      if (!(x * x + y * y <= kDiskSquare)) return;
    }
  }
  for (int sy = 0; sy < k; ++sy) {
    for (int sx = 0; sx < k; ++sx) {
      if (points.count == kBlock) add_points(points, sums);
      points.x[points.count] = u(at(column, sx));
      points.y[points.count] = v(at(row, sy));
      points.value[points.count++] = value / (k * k);
    }
  }
}

void PixelSums::add_rows(std::span<const double> image, const UnitCircle& circle, int first,
                         int last, Sums& sums) const {
  const double limit = largest_square(convention());
  Points points;
  for (int row = first; row < last; ++row) {
    const double v = (row - circle.y) / circle.radius;
    for (int column = 0; column < size().width; ++column) {
      const double value =
          image[static_cast<std::size_t>(row) * static_cast<std::size_t>(size().width) +
                static_cast<std::size_t>(column)];
      if (convention() == Convention::kTextbook) {
        add_subpoints(row, column, value, circle, points, sums);
        continue;
      }
      const double u = (column - circle.x) / circle.radius;
      const double square = u * u + v * v;
      if (!(square <= limit) || !counts(convention(), value, square)) continue;
      if (points.count == kBlock) add_points(points, sums);
      points.x[points.count] = u;
      points.y[points.count] = v;
      points.value[points.count++] = convention() == Convention::kCentrosome ? 1.0 : value;
    }
  }
  add_points(points, sums);
}

void PixelSums::normalise(const Sums& sums, double whole_sum, const UnitCircle& circle,
                          std::span<std::complex<double>> moments) const {
  const Convention own = convention();
  const bool is_share = own == Convention::kMahotas || own == Convention::kNyxus;
  const double weight = own == Convention::kMahotas ? sums.weight : whole_sum;
  if (is_share && !(weight > 0.0)) {
    throw InputError("the values whose sum normalises the moments must have a sum above 0");
  }
  const double unit = std::numbers::pi * (is_share ? weight : circle.radius * circle.radius);
  std::size_t c = 0;
  for (const MomentIndex& index : moment_indices(spec().family, spec().order)) {
    const std::complex<double> sum = sums.values[c];
    switch (own) {
      case Convention::kTextbook:
        moments[c] = sum * (index.n + 1.0) / unit;
        break;
      case Convention::kCentrosome:
        moments[c] = turned(std::conj(sum), index.m) / unit;
        break;
      case Convention::kMahotas:
      case Convention::kNyxus:
        moments[c] = std::conj(sum) * (index.n + 1.0) / unit;
        break;
    }
    ++c;
  }
}

void PixelSums::image_moments(std::span<const double> image,
                              std::span<std::complex<double>> moments) const {
  check_finite(image, size());
  const UnitCircle circle = unit_circle(spec().convention, image, size());
  std::array<Sums, kRowGroups> groups;
  parallel_for(kRowGroups, [&](std::size_t g) {
    const auto row = [&](std::size_t group) {
      return static_cast<int>(group * static_cast<std::size_t>(size().height) / kRowGroups);
    };
    groups[g].values.resize(moment_count());
    add_rows(image, circle, row(g), row(g + 1), groups[g]);
  });
  for (std::size_t g = 1; g < kRowGroups; ++g) {
    groups[0].weight += groups[g].weight;
    for (std::size_t c = 0; c < moment_count(); ++c) groups[0].values[c] += groups[g].values[c];
  }
  double whole_sum = 0.0;
  for (const double value : image) whole_sum += value;
  normalise(groups[0], whole_sum, circle, moments);
}

void PixelSums::compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) {
  // Threads share the rows of a single image, or the images of a batch.
  parallel_for(images.count, [&](std::size_t b) {
    std::vector<double> room;
    try {
      image_moments(host_doubles(images.slice(b, 1), room),
                    moments.subspan(b * moment_count(), moment_count()));
    } catch (const InputError& error) {
      if (images.count == 1) throw;
      throw InputError("image " + std::to_string(b) + " of the batch: " + error.what());
    }
  });
}

void PixelSums::compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) {
  std::vector<std::complex<double>> values(magnitudes.size());
  compute_moments(images, values);
  std::transform(values.begin(), values.end(), magnitudes.begin(),
                 [](const std::complex<double>& z) { return static_cast<float>(std::abs(z)); });
}

}  // namespace

std::shared_ptr<ForwardTransform> make_pixel_sums(const MomentSpec& spec, const ArraySize& size) {
  return std::make_shared<PixelSums>(spec, size);
}

constinit const CpuAlgorithm kPixelSums = {
    .name = "pixel-sums",
    .moments = {
        .supports =
            [](const PlanRequest& request) {
              return !is_inscribed_textbook(request.spec.convention);
            },
        .make =
            [](const PlanRequest& request) { return make_pixel_sums(request.spec, request.size); },
        .bytes =
            [](const PlanRequest& request) {
              return static_cast<double>(moment_count(request.spec, request.size)) * kMomentBytes;
            },
        .work =
            [](const PlanRequest& request) {
              const auto moments = static_cast<double>(moment_count(request.spec, request.size));
              const double points = static_cast<double>(request.size.elements()) *
                                    request.spec.points * request.spec.points;
              return TransformWork{{1.0, moments}, {1.0, points, points * moments}};
            }},
};

}  // namespace leafglyph
