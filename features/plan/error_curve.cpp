#include "features/plan/error_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

}  // namespace

std::vector<OrderError> error_by_order(MomentPlan& plan,
                                       std::span<const std::complex<double>> moments,
                                       std::span<const double> reference,
                                       std::span<const int> orders, std::span<double> image,
                                       const SampleRange& range, Rounding rounding) {
  std::vector<double> part(image.size());
  std::vector<OrderError> curve;
  std::fill(image.begin(), image.end(), 0.0);
  int next = 0;
  for (const int order : orders) {
    if (order < next) {
      throw UsageError("orders of a curve must increase: " + std::to_string(order) + " after " +
                       std::to_string(next - 1));
    }
    plan.reconstruct(moments, {next, order, Repetitions::kAll}, part);
    for (std::size_t p = 0; p < image.size(); ++p) image[p] += part[p];
    curve.push_back({order, image_error(reference, image, plan.mask(), range, rounding)});
    next = order + 1;
  }
  return curve;
}

std::string error_curve_csv(std::span<const OrderError> curve) {
  std::string text = "order,psnr_whole,psnr_disk,mse_whole,mse_disk\n";
  for (const auto& [order, error] : curve) {
    text += std::to_string(order) + "," + number(error.psnr_whole) + "," + number(error.psnr_disk) +
            "," + number(error.mse_whole) + "," + number(error.mse_disk) + "\n";
  }
  return text;
}

}  // namespace leafglyph
