#include "features/image/image_quality.h"

#include <array>
#include <cmath>
#include <limits>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr int kWindow = 11;
constexpr double kSigma = 1.5;

void check_sizes(std::span<const double> reference, std::span<const double> image,
                 const Image<unsigned char>& mask) {
  if (reference.size() == mask.size() && image.size() == mask.size()) return;
  throw UsageError("images of " + std::to_string(reference.size()) + " and " +
                   std::to_string(image.size()) + " pixels and a mask of " +
                   std::to_string(mask.size()) + " cannot be compared");
}

std::array<double, kWindow> gaussian_window() {
  std::array<double, kWindow> window{};
  double sum = 0.0;
  for (int i = 0; i < kWindow; ++i) {
    constexpr int kMiddle = kWindow / 2;
    const double x = i - kMiddle;
    window[static_cast<std::size_t>(i)] = std::exp(-x * x / (2 * kSigma * kSigma));
    sum += window[static_cast<std::size_t>(i)];
  }
  for (double& value : window) value /= sum;
  return window;
}

// Means under the Gaussian window, for all windows inside the image: (N - 10) x (N - 10) values.
// The window is separable: rows first, then columns.
std::vector<double> window_means(const std::vector<double>& values, std::size_t size) {
  const auto window = gaussian_window();
  const std::size_t inner = size - kWindow + 1;
  std::vector<double> rows(size * inner, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    throw_if_interrupted();
    for (std::size_t w = 0; w < kWindow; ++w) {
      for (std::size_t i = 0; i < inner; ++i) {
        rows[j * inner + i] += window[w] * values[j * size + i + w];
      }
    }
  }
  std::vector<double> means(inner * inner, 0.0);
  for (std::size_t j = 0; j < inner; ++j) {
    throw_if_interrupted();
    for (std::size_t w = 0; w < kWindow; ++w) {
      for (std::size_t i = 0; i < inner; ++i) {
        means[j * inner + i] += window[w] * rows[(j + w) * inner + i];
      }
    }
  }
  return means;
}

std::vector<double> products(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t p = 0; p < a.size(); ++p) result[p] = a[p] * b[p];
  return result;
}

}  // namespace

double psnr(double mse, const SampleRange& range) {
  return mse > 0 ? 10 * std::log10(range.peak * range.peak / mse)
                 : std::numeric_limits<double>::infinity();
}

ImageError image_error(std::span<const double> reference, std::span<const double> image,
                       const Image<unsigned char>& mask, const SampleRange& range,
                       Rounding rounding) {
  check_sizes(reference, image, mask);
  double sum = 0.0;
  std::size_t inside = 0;
  for (std::size_t p = 0; p < mask.size(); ++p) {
    if (mask.pixels()[p] == 0) continue;
    const double difference = range.compared(image[p], rounding) - reference[p];
    sum += difference * difference;
    ++inside;
  }
  ImageError error;
  error.mse_whole = sum / static_cast<double>(mask.size());
  error.mse_disk = inside == 0 ? 0.0 : sum / static_cast<double>(inside);
  error.psnr_whole = psnr(error.mse_whole, range);
  error.psnr_disk = psnr(error.mse_disk, range);
  return error;
}

double structural_similarity(std::span<const double> reference, std::span<const double> image,
                             const Image<unsigned char>& mask, const SampleRange& range,
                             Rounding rounding) {
  check_sizes(reference, image, mask);
  if (mask.width() < kWindow || mask.height() != mask.width()) {
    throw UsageError("structural similarity needs square images of 11 x 11 pixels or more, not " +
                     std::to_string(mask.width()) + " x " + std::to_string(mask.height()));
  }
  const auto size = static_cast<std::size_t>(mask.width());
  std::vector<double> a(reference.begin(), reference.end());
  for (std::size_t p = 0; p < a.size(); ++p) {
    if (mask.pixels()[p] == 0 && !std::isfinite(a[p])) a[p] = 0.0;
  }
  std::vector<double> b(a);
  for (std::size_t p = 0; p < b.size(); ++p) {
    if (mask.pixels()[p] != 0) b[p] = range.compared(image[p], rounding);
  }
  const auto mean_a = window_means(a, size);
  const auto mean_b = window_means(b, size);
  const auto square_a = window_means(products(a, a), size);
  const auto square_b = window_means(products(b, b), size);
  const auto both = window_means(products(a, b), size);
  const double c1 = 0.01 * range.peak * 0.01 * range.peak;
  const double c2 = 0.03 * range.peak * 0.03 * range.peak;
  double sum = 0.0;
  for (std::size_t p = 0; p < mean_a.size(); ++p) {
    const double product = mean_a[p] * mean_b[p];
    const double squares = mean_a[p] * mean_a[p] + mean_b[p] * mean_b[p];
    const double covariance = both[p] - product;
    const double variances = square_a[p] + square_b[p] - squares;
    sum += (2 * product + c1) * (2 * covariance + c2) / ((squares + c1) * (variances + c2));
  }
  return sum / static_cast<double>(mean_a.size());
}

}  // namespace leafglyph
