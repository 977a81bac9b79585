// How the error of a reconstruction falls with the order.
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

/// Reconstructs one image once, order range by order range, and measures after each of `orders`
/// (growing; the last at most the plan's). `image` receives the reconstruction to the last.
std::vector<OrderError> error_by_order(MomentPlan& plan,
                                       std::span<const std::complex<double>> moments,
                                       std::span<const double> reference,
                                       std::span<const int> orders, std::span<double> image,
                                       const SampleRange& range = {});

/// The curve as CSV: order, psnr_whole, psnr_disk, mse_whole, mse_disk.
std::string error_curve_csv(std::span<const OrderError> curve);

}  // namespace leafglyph
