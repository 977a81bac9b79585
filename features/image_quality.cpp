#include "features/image_quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "features/errors.h"

namespace leafglyph {
namespace {

constexpr int kWindow = 11;
constexpr double kSigma = 1.5;
constexpr double kPeak = 255.0;

void check_sizes(std::span<const double> reference, std::span<const double> image,
                 const Image<unsigned char>& mask) {
  if (reference.size() == mask.size() && image.size() == mask.size()) return;
  throw UsageError("images of " + std::to_string(reference.size()) + " and " +
                   std::to_string(image.size()) + " pixels and a mask of " +
                   std::to_string(mask.size()) + " cannot be compared");
}

double psnr(double mse) {
  return mse > 0 ? 10 * std::log10(kPeak * kPeak / mse) : std::numeric_limits<double>::infinity();
}

std::array<double, kWindow> gaussian_window() {
  std::array<double, kWindow> window{};
  double sum = 0.0;
  for (int i = 0; i < kWindow; ++i) {
    const double x = i - kWindow / 2;
    window[static_cast<std::size_t>(i)] = std::exp(-x * x / (2 * kSigma * kSigma));
    sum += window[static_cast<std::size_t>(i)];
  }
  for (double& value : window) value /= sum;
  return window;
}

// Gaussian means over all windows inside the image: (N - 10) x (N - 10) values.
std::vector<double> window_means(const std::vector<double>& values, std::size_t size) {
  const auto window = gaussian_window();
  const std::size_t inner = size - kWindow + 1;
  std::vector<double> rows(size * inner, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t w = 0; w < kWindow; ++w) {
      for (std::size_t i = 0; i < inner; ++i) {
        rows[j * inner + i] += window[w] * values[j * size + i + w];
      }
    }
  }
  std::vector<double> means(inner * inner, 0.0);
  for (std::size_t j = 0; j < inner; ++j) {
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

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

// A linear scale of a drawing.
struct Axis {
  double low;
  double high;
  double from;
  double to;
  double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
         text + "</text>\n";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return result;
}

std::string polyline(std::span<const OrderError> curve, double ImageError::*member, const Axis& x,
                     const Axis& y, const std::string& colour) {
  std::string points;
  for (const OrderError& point : curve) {
    const double value = point.error.*member;
    if (!std::isfinite(value)) continue;
    points += number(x.at(point.order)) + "," + number(y.at(value)) + " ";
  }
  return "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" + colour + "\" points=\"" + points +
         "\"/>\n";
}

}  // namespace

ImageError image_error(std::span<const double> reference, std::span<const double> image,
                       const Image<unsigned char>& mask) {
  check_sizes(reference, image, mask);
  double sum = 0.0;
  std::size_t inside = 0;
  for (std::size_t p = 0; p < mask.size(); ++p) {
    if (mask.pixels()[p] == 0) continue;
    const double difference = std::clamp(image[p], 0.0, kPeak) - reference[p];
    sum += difference * difference;
    ++inside;
  }
  ImageError error;
  error.mse_whole = sum / static_cast<double>(mask.size());
  error.mse_disk = inside == 0 ? 0.0 : sum / static_cast<double>(inside);
  error.psnr_whole = psnr(error.mse_whole);
  error.psnr_disk = psnr(error.mse_disk);
  return error;
}

double structural_similarity(std::span<const double> reference, std::span<const double> image,
                             const Image<unsigned char>& mask) {
  check_sizes(reference, image, mask);
  if (mask.width() < kWindow || mask.height() != mask.width()) {
    throw UsageError("structural similarity needs square images of 11 x 11 pixels or more, not " +
                     std::to_string(mask.width()) + " x " + std::to_string(mask.height()));
  }
  const auto size = static_cast<std::size_t>(mask.width());
  const std::vector<double> a(reference.begin(), reference.end());
  std::vector<double> b(a);
  for (std::size_t p = 0; p < b.size(); ++p) {
    if (mask.pixels()[p] != 0) b[p] = std::clamp(image[p], 0.0, kPeak);
  }
  const auto mean_a = window_means(a, size);
  const auto mean_b = window_means(b, size);
  const auto square_a = window_means(products(a, a), size);
  const auto square_b = window_means(products(b, b), size);
  const auto both = window_means(products(a, b), size);
  constexpr double kC1 = 0.01 * kPeak * 0.01 * kPeak;
  constexpr double kC2 = 0.03 * kPeak * 0.03 * kPeak;
  double sum = 0.0;
  for (std::size_t p = 0; p < mean_a.size(); ++p) {
    const double product = mean_a[p] * mean_b[p];
    const double squares = mean_a[p] * mean_a[p] + mean_b[p] * mean_b[p];
    const double covariance = both[p] - product;
    const double variances = square_a[p] + square_b[p] - squares;
    sum += (2 * product + kC1) * (2 * covariance + kC2) / ((squares + kC1) * (variances + kC2));
  }
  return sum / static_cast<double>(mean_a.size());
}

std::vector<OrderError> error_by_order(Reconstructor& reconstructor,
                                       std::span<const std::complex<double>> moments,
                                       std::span<const double> reference,
                                       std::span<const int> orders, std::span<double> image) {
  std::vector<double> part(image.size());
  std::vector<OrderError> curve;
  std::fill(image.begin(), image.end(), 0.0);
  int next = 0;
  for (const int order : orders) {
    if (order < next) {
      throw UsageError("orders of a curve must grow: " + std::to_string(order) + " after " +
                       std::to_string(next - 1));
    }
    reconstructor.reconstruct(moments, {next, order, Repetitions::kAll}, part);
    for (std::size_t p = 0; p < image.size(); ++p) image[p] += part[p];
    curve.push_back({order, image_error(reference, image, reconstructor.mask())});
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

std::string error_curve_svg(std::span<const OrderError> curve, const std::string& title) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const auto& [order, error] : curve) {
    for (const double value : {error.psnr_whole, error.psnr_disk}) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (!(low <= high)) low = high = 0.0;
  const double first = curve.empty() ? 0.0 : curve.front().order;
  const double last = curve.empty() ? 1.0 : curve.back().order;
  const Axis x{first, std::max(last, first + 1), 60, 620};
  const Axis y{5 * std::floor(low / 5), 5 * std::floor(high / 5) + 5, 340, 40};
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"400\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"640\" height=\"400\" fill=\"white\"/>\n" +
      text_at(340, 24, "middle", escaped(title)) + text_at(340, 385, "middle", "order n");
  for (double value = y.low; value <= y.high; value += 5) {
    svg += "<line x1=\"60\" x2=\"620\" y1=\"" + number(y.at(value)) + "\" y2=\"" +
           number(y.at(value)) + "\" stroke=\"#ddd\"/>\n" +
           text_at(54, y.at(value) + 4, "end", number(value));
  }
  for (int tick = 0; tick <= 5; ++tick) {
    const double value = std::round(x.low + (x.high - x.low) * tick / 5);
    svg += text_at(x.at(value), 360, "middle", number(value));
  }
  svg += polyline(curve, &ImageError::psnr_whole, x, y, "#1b7837") +
         polyline(curve, &ImageError::psnr_disk, x, y, "#762a83") + "<g fill=\"#1b7837\">" +
         text_at(80, 56, "start", "PSNR in dB, whole image") + "</g><g fill=\"#762a83\">" +
         text_at(80, 72, "start", "PSNR in dB, disk only") + "</g>\n</svg>\n";
  return svg;
}

}  // namespace leafglyph
