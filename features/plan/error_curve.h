// How the error of a reconstruction decreases with the order.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "features/image/image_quality.h"
#include "features/image/sample_range.h"
#include "features/plan/moment_plan.h"

namespace leafglyph {

/// One point of a curve of quality against order.
struct OrderError {
  int order = 0;
  ImageError error;
};

/// Reconstructs one image range by range of orders, each range once, and measures the error after
/// each of `orders`, which must increase and not exceed the plan's order. `image` receives the
/// reconstruction up to the last of them.
std::vector<OrderError> error_by_order(MomentPlan& plan,
                                       std::span<const std::complex<double>> moments,
                                       std::span<const double> reference,
                                       std::span<const int> orders, std::span<double> image,
                                       const SampleRange& range = {},
                                       Rounding rounding = Rounding::kSamples);

/// The curve as CSV: order, psnr_whole, psnr_disk, mse_whole, mse_disk.
std::string error_curve_csv(std::span<const OrderError> curve);

}  // namespace leafglyph
