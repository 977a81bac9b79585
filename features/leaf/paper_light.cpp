#include "features/leaf/paper_light.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "features/base/statistics.h"
#include "features/leaf/mat_view.h"
#include "features/leaf/pixel_kernels.h"

namespace leafglyph {
namespace {

// Black has no logarithm. A camera's black is at least this bright.
constexpr float kBlack = 2;
// Light that is weaker than the brightest by more than this factor comes from something that is not
// paper.
constexpr float kStrongest = 8;

cv::Size grid_of(const Image<std::uint8_t>& grey) {
  const double factor =
      std::min(1.0, static_cast<double>(kLightCells) / std::max(grey.width(), grey.height()));
  return {std::max(1, static_cast<int>(std::lround(grey.width() * factor))),
          std::max(1, static_cast<int>(std::lround(grey.height() * factor)))};
}

// Calls visit(part, row, weight) for the rows of `count` equal parts, with the weight of each row
// in the mean over the part. A row that two parts share counts in each by its share.
template <class Visit>
void each_part(int rows, int count, Visit visit) {
  const double height = static_cast<double>(rows) / count;
  for (int part = 0; part < count; ++part) {
    const double begin = part * height, end = std::min<double>(rows, begin + height);
    for (int row = static_cast<int>(begin); row < end; ++row) {
      const double share = std::min<double>(end, row + 1) - std::max<double>(begin, row);
      visit(part, row, static_cast<float>(share / height));
    }
  }
}

// Equals cv::resize with INTER_AREA on columns and rows together, which takes ten times as long if
// the parts are not whole numbers of pixels.
cv::Mat means_down(const cv::Mat& values, int count) {
  cv::Mat means(count, values.cols, CV_32F, cv::Scalar(0));
  each_part(values.rows, count, [&](int part, int row, float weight) {
    auto* mean = means.ptr<float>(part);
    const auto* value = values.ptr<float>(row);
    for (int column = 0; column < values.cols; ++column) mean[column] += weight * value[column];
  });
  return means;
}

cv::Mat means_across(const cv::Mat& values, int count) { return means_down(values.t(), count).t(); }

cv::Mat cell_means(const cv::Mat& values, cv::Size grid) {
  return means_across(means_down(values, grid.height), grid.width);
}

Image<float> full_size(const cv::Mat& cells, int width, int height) {
  Image<float> light(width, height);
  cv::Mat to(height, width, CV_32F, light.data());
  cv::resize(cells, to, to.size(), 0, 0, cv::INTER_LINEAR);
  return light;
}

constexpr int kTerms = 6;

std::array<double, kTerms> terms(int row, int column, cv::Size grid) {
  const double x = (2.0 * column + 1) / grid.width - 1, y = (2.0 * row + 1) / grid.height - 1;
  return {1, x, y, x * x, x * y, y * y};
}

// The polynomial of degree 2 in the position that is the weighted least-squares fit to `values`.
// With few or no cells, some of its terms are 0.
cv::Mat fitted(const cv::Mat& values, const cv::Mat& weights) {
  std::array<double, kTerms * kTerms> products{};
  std::array<double, kTerms> sums{};
  for (int row = 0; row < values.rows; ++row) {
    const auto *value = values.ptr<float>(row), *of_row = weights.ptr<float>(row);
    for (int column = 0; column < values.cols; ++column) {
      const double weight = of_row[column];
      if (weight == 0) continue;
      const auto t = terms(row, column, values.size());
      for (int i = 0; i < kTerms; ++i) {
        for (int j = 0; j < kTerms; ++j) products[kTerms * i + j] += weight * t[i] * t[j];
        sums[i] += weight * t[i] * value[column];
      }
    }
  }
  cv::Mat normal(kTerms, kTerms, CV_64F, products.data()), right(kTerms, 1, CV_64F, sums.data());
  // A ridge that is negligible if there are many cells keeps undetermined terms at 0.
  for (int i = 1; i < kTerms; ++i) normal.at<double>(i, i) += 1e-3 * normal.at<double>(0, 0);
  cv::Mat solution;
  cv::solve(normal, right, solution, cv::DECOMP_SVD);
  cv::Mat surface(values.size(), CV_32F);
  for (int row = 0; row < values.rows; ++row) {
    for (int column = 0; column < values.cols; ++column) {
      const auto t = terms(row, column, values.size());
      double sum = 0;
      for (int i = 0; i < kTerms; ++i) sum += solution.at<double>(i) * t[i];
      surface.at<float>(row, column) = static_cast<float>(sum);
    }
  }
  return surface;
}

cv::Mat logarithm(const cv::Mat& cells) {
  cv::Mat result = cv::max(cells, kBlack);
  cv::log(result, result);
  return result;
}

cv::Mat exponential(const cv::Mat& logarithms) {
  cv::Mat result;
  cv::exp(logarithms, result);
  return result;
}

// Extends residuals from cells with a weight to cells without one. Gaussian means are taken from
// wide to narrow; where a narrow one has little weight it uses the value of the wider one. The wide
// ones are computed on means over 2 x 2, 4 x 4 and 8 x 8 cells, where a Gaussian of 24 cells has a
// width of 3.
cv::Mat carried_on(const cv::Mat& residuals, const cv::Mat& weights) {
  constexpr double kLittle = 0.02;
  std::array<cv::Mat, 4> weighted{residuals.mul(weights)}, weight{weights};
  for (std::size_t level = 1; level < weight.size(); ++level) {
    const cv::Size size((weight[level - 1].cols + 1) / 2, (weight[level - 1].rows + 1) / 2);
    weighted[level] = cell_means(weighted[level - 1], size);
    weight[level] = cell_means(weight[level - 1], size);
  }
  cv::Mat value(weight.back().size(), CV_32F, cv::Scalar(0)), sum, of_cells;
  const auto refine = [&](std::size_t level, double sigma) {
    if (value.size() != weight[level].size()) {
      cv::Mat wider = value;
      cv::resize(wider, value, weight[level].size(), 0, 0, cv::INTER_LINEAR);
    }
    cv::GaussianBlur(weighted[level], sum, {0, 0}, sigma, 0, cv::BORDER_REPLICATE);
    cv::GaussianBlur(weight[level], of_cells, {0, 0}, sigma, 0, cv::BORDER_REPLICATE);
    value = (sum + kLittle * value) / (of_cells + kLittle);
  };
  for (std::size_t level = weight.size(); level-- > 0;) refine(level, 3.0);
  for (const double sigma : {1.5, 0.8}) refine(0, sigma);
  return value;
}

/// The bare paper in the cells of a grid.
struct PaperCells {
  cv::Mat weights;     // share of the cell that is paper
  cv::Mat logarithms;  // of the mean grey value of the paper
};

PaperCells paper_around(const Image<std::uint8_t>& grey, const Image<std::uint8_t>& leaf) {
  // The blur of the outline and the leaf's contact shadow are not paper.
  const int rim = 3 + std::max(grey.width(), grey.height()) / 100;
  cv::Mat bare;
  cv::dilate(view(leaf), bare,
             cv::getStructuringElement(cv::MORPH_RECT, {2 * rim + 1, 2 * rim + 1}));
  cv::bitwise_xor(bare, cv::Scalar(1), bare);
  const cv::Size grid = grid_of(grey);
  cv::Mat shares(grid.height, bare.cols, CV_32F, cv::Scalar(0)), sums = shares.clone();
  each_part(bare.rows, grid.height, [&](int part, int row, float weight) {
    pixel_kernels().add_masked(bare.ptr(row), view(grey).ptr(row),
                               static_cast<std::size_t>(bare.cols), weight, shares.ptr<float>(part),
                               sums.ptr<float>(part));
  });
  const cv::Mat weights = means_across(shares, grid.width);
  return {weights, logarithm(means_across(sums, grid.width) / cv::max(weights, 1e-6F))};
}

// The light on the paper, extended to cells without paper; 0 if there is no paper at all.
cv::Mat light_of(const PaperCells& paper) {
  if (cv::countNonZero(paper.weights) == 0) return cv::Mat::zeros(paper.weights.size(), CV_32F);
  const cv::Mat surface = fitted(paper.logarithms, paper.weights);
  const cv::Mat light = surface + carried_on(paper.logarithms - surface, paper.weights);
  double brightest = 0;
  cv::minMaxLoc(light, nullptr, &brightest, nullptr, nullptr, paper.weights > 0.5F);
  const cv::Mat bounded = cv::min(cv::max(light, brightest - std::log(kStrongest)), brightest);
  return exponential(bounded);
}

// The light of the cells that are near it: a polynomial that starts as `start` everywhere.
Image<float> light_near(const cv::Mat& logarithms, float start, const Image<std::uint8_t>& grey) {
  cv::Mat surface(logarithms.size(), CV_32F, cv::Scalar(start));
  for (const double most : {0.3, 0.2, 0.12, 0.12, 0.12}) {
    cv::Mat near;
    cv::threshold(cv::abs(logarithms - surface), near, most, 1, cv::THRESH_BINARY_INV);
    if (cv::countNonZero(near) < 2 * kTerms) break;
    surface = fitted(logarithms, near);
  }
  return full_size(exponential(surface), grey.width(), grey.height());
}

// The middle of the narrow range with the most values.
float commonest(std::vector<float> values) {
  constexpr float kRange = 0.12F;
  std::ranges::sort(values);
  std::size_t most = 0, first = 0, best = 0;
  for (std::size_t last = 0; last < values.size(); ++last) {
    while (values[last] - values[first] > kRange) ++first;
    if (last - first < most) continue;
    most = last - first;
    best = first;
  }
  return values[best + most / 2];
}

}  // namespace

Image<float> envelope_light(const Image<std::uint8_t>& grey, double share) {
  cv::Mat cells = cell_means(as_float(view(grey)), grid_of(grey));
  const int side = std::max(3, static_cast<int>(share * std::min(cells.rows, cells.cols)) | 1);
  cv::morphologyEx(cells, cells, cv::MORPH_CLOSE,
                   cv::getStructuringElement(cv::MORPH_RECT, {side, side}));
  cv::GaussianBlur(cells, cells, {0, 0}, 1.5, 0, cv::BORDER_REPLICATE);
  return full_size(cv::max(cells, kBlack), grey.width(), grey.height());
}

Image<float> smooth_light(const Image<std::uint8_t>& grey) {
  const cv::Mat values = logarithm(cell_means(as_float(view(grey)), grid_of(grey)));
  cv::Mat weights(values.size(), CV_32F, cv::Scalar(1));
  cv::Mat surface = fitted(values, weights);
  constexpr float kExpectile = 0.97F;
  for (int round = 0; round < 15; ++round) {
    for (int i = 0; i < static_cast<int>(values.total()); ++i) {
      const bool above = values.ptr<float>()[i] > surface.ptr<float>()[i];
      weights.ptr<float>()[i] = above ? kExpectile : 1 - kExpectile;
    }
    surface = fitted(values, weights);
  }
  // Paper varies by less than this; a leaf is darker by more.
  constexpr float kPaper = 0.12F;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < static_cast<int>(values.total()); ++i) {
      const float below = surface.ptr<float>()[i] - values.ptr<float>()[i];
      weights.ptr<float>()[i] = below < kPaper ? 1.0F : 0.0F;
    }
    if (cv::countNonZero(weights) < 2 * kTerms) break;
    surface = fitted(values, weights);
  }
  return full_size(exponential(surface), grey.width(), grey.height());
}

Image<float> light_of_most(const Image<std::uint8_t>& grey) {
  const cv::Mat values = logarithm(cell_means(as_float(view(grey)), grid_of(grey)));
  const int rim = 1 + std::min(values.rows, values.cols) / 16;
  std::vector<float> along_the_frame;
  for (int row = 0; row < values.rows; ++row) {
    const auto* value = values.ptr<float>(row);
    const bool is_whole = row < rim || row >= values.rows - rim;
    for (int column = 0; column < values.cols; ++column) {
      const bool is_rim = is_whole || column < rim || column >= values.cols - rim;
      if (is_rim) along_the_frame.push_back(value[column]);
    }
  }
  return light_near(values, median(std::move(along_the_frame)), grey);
}

Image<float> light_of_commonest(const Image<std::uint8_t>& grey) {
  const cv::Mat values = logarithm(cell_means(as_float(view(grey)), grid_of(grey)));
  return light_near(values, commonest({values.begin<float>(), values.end<float>()}), grey);
}

Image<float> light_around(const Image<std::uint8_t>& grey, const Image<std::uint8_t>& leaf) {
  return full_size(light_of(paper_around(grey, leaf)), grey.width(), grey.height());
}

std::optional<Image<float>> uneven_light(const Image<std::uint8_t>& grey,
                                         const Image<std::uint8_t>& leaf) {
  const PaperCells paper = paper_around(grey, leaf);
  double darkest = 0, brightest = 0;
  cv::minMaxLoc(paper.logarithms, &darkest, &brightest, nullptr, nullptr, paper.weights > 0);
  if (brightest - darkest <= std::log(kUnevenLight)) return std::nullopt;
  const cv::Mat cells = light_of(paper);
  if (light_span({cells.ptr<float>(), cells.total()}) <= kUnevenLight) return std::nullopt;
  return full_size(cells, grey.width(), grey.height());
}

double light_span(std::span<const float> light) {
  std::vector<float> values(light.begin(), light.end());
  const float low = quantile(values, 0.05);
  return low > 0 ? quantile(std::move(values), 0.95) / low : 0;
}

Image<std::uint8_t> levelled(const Image<std::uint8_t>& grey, const Image<float>& light) {
  const float full =
      quantile(std::vector<float>(light.pixels().begin(), light.pixels().end()), 0.95);
  Image<std::uint8_t> result(grey.width(), grey.height());
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const float factor = full / std::max(light.data()[i], kBlack);
    result.data()[i] = cv::saturate_cast<std::uint8_t>(factor * grey.data()[i]);
  }
  return result;
}

}  // namespace leafglyph
