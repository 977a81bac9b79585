#include "features/plan/error_curve.h"

#include <algorithm>

#include "features/base/errors.h"
#include "features/base/table.h"

namespace leafglyph {

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
  Table table("order psnr_whole:.6g psnr_disk:.6g mse_whole:.6g mse_disk:.6g");
  for (const auto& [order, error] : curve) {
    table.add(order, error.psnr_whole, error.psnr_disk, error.mse_whole, error.mse_disk);
  }
  return table.csv();
}

}  // namespace leafglyph
