#include "features/glyph/normalise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "features/base/keys.h"

namespace leafglyph {
namespace {

constexpr int kLeastFrame = 16, kLargestFrame = 256;
constexpr double kThinnest = 0.14;  // the smaller standard deviation of a stroke over the larger
constexpr double kLeastDeviation = 0.5;  // pixels
constexpr double kSmoothedFrom = 1.6;    // pixels of the picture per pixel of the frame
constexpr double kEdgeSigma = 0.7;       // pixels of the frame, before differences are taken
constexpr double kDensitySigma = 2.0;    // pixels of the frame
constexpr double kLeastDensity = 1.2;    // of the mean
constexpr double kNoDensity = 1e-4;      // where there are no edges at all, in grey values

// Where the ink of a picture lies along one axis, in pixels.
struct InkAxis {
  double centre = 0;
  double deviation = 0;
};

InkAxis axis_of(const std::vector<double>& sums) {
  double all = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    all += sums[i];
    first += sums[i] * static_cast<double>(i);
  }
  const double centre = first / all;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double apart = static_cast<double>(i) - centre;
    second += sums[i] * apart * apart;
  }
  return {centre, std::sqrt(second / all)};
}

struct InkPlace {
  InkAxis x, y;
  bool is_empty = true;
};

InkPlace place_of(const Image<float>& ink) {
  std::vector<double> columns(static_cast<std::size_t>(ink.width()));
  std::vector<double> rows(static_cast<std::size_t>(ink.height()));
  const float* p = ink.data();
  double all = 0;
  for (double& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i] += p[i];
      row += p[i];
    }
    p += columns.size();
    all += row;
  }
  if (!(all > 0)) return {};
  return {axis_of(columns), axis_of(rows), /*is_empty=*/false};
}

// The cubic convolution kernel with a = -3/4 at the four pixels around a point, `t` after the
// second of them (Keys, Cubic convolution interpolation for digital image processing, 1981).
std::array<double, 4> cubic_weights(double t) {
  constexpr double kA = -0.75;
  const auto near = [](double d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
  const auto far = [](double d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
  return {far(1 + t), near(t), near(1 - t), far(2 - t)};
}

// Weights g[0] to g[2 r] of a Gaussian, whose sum is 1; a single 1 if sigma is 0.
std::vector<double> smoothing_weights(double sigma) {
  const int radius = static_cast<int>(std::ceil(3 * sigma));
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(sigma > 0 ? std::exp(-0.5 * i * i / (sigma * sigma)) : 1.0);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// The pixels of the picture that a pixel of the frame is made of, along one axis.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

// Those within 0 to size - 1; beyond the picture there is paper.
Taps taps_at(double position, const std::vector<double>& smoothing, int size) {
  const double whole = std::floor(position);
  const int radius = static_cast<int>(smoothing.size()) / 2;
  const int first = static_cast<int>(std::clamp(whole, -1e6, 1e6)) - 1 - radius;
  const std::array<double, 4> cubic = cubic_weights(position - whole);
  std::vector<double> all(smoothing.size() + 3);
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t g = 0; g < smoothing.size(); ++g) all[c + g] += cubic[c] * smoothing[g];
  }
  const int from = std::clamp(-first, 0, static_cast<int>(all.size()));
  const int to = std::clamp(size - first, from, static_cast<int>(all.size()));
  return {first + from, {all.begin() + from, all.begin() + to}};
}

// The picture's pixels for each pixel of the frame.
std::vector<Taps> frame_taps(double centre, double step, double bend, int frame, int size) {
  const std::vector<double> smoothing =
      smoothing_weights(step > kSmoothedFrom ? 0.5 * (step - 1) : 0.0);
  std::vector<Taps> taps;
  taps.reserve(static_cast<std::size_t>(frame));
  const double half = 0.5 * frame;
  for (int u = 0; u < frame; ++u) {
    const double place = u - 0.5 * (frame - 1), t = place / half;
    taps.push_back(taps_at(centre + (place + bend * (1 - t * t) * half) * step, smoothing, size));
  }
  return taps;
}

// out[i] += sum over the taps of weight times row[first + tap][i].
void add_rows(const Image<float>& picture, const Taps& taps, std::vector<float>& out) {
  const auto width = static_cast<std::size_t>(picture.width());
  const float* row = picture.data() + static_cast<std::size_t>(taps.first) * width;
  for (const float weight : taps.weights) {
    for (std::size_t i = 0; i < width; ++i) out[i] += weight * row[i];
    row += width;
  }
}

Image<float> resampled(const Image<float>& picture, const std::vector<Taps>& columns,
                       const std::vector<Taps>& rows) {
  const int size = static_cast<int>(rows.size());
  Image<float> frame(size, size);
  std::vector<float> line(static_cast<std::size_t>(picture.width()));
  float* out = frame.data();
  for (const Taps& row : rows) {
    std::ranges::fill(line, 0.0f);
    if (!row.weights.empty()) add_rows(picture, row, line);
    for (const Taps& column : columns) {
      float sum = 0;
      for (std::size_t i = 0; i < column.weights.size(); ++i) {
        sum += column.weights[i] * line[static_cast<std::size_t>(column.first) + i];
      }
      *out++ = std::clamp(sum, 0.0f, 1.0f);
    }
  }
  return frame;
}

Image<float> moment_normalised(const Image<float>& ink, const InkPlace& place,
                               const CharacterFrame& frame) {
  const double least =
      std::max(kLeastDeviation, kThinnest * std::max(place.x.deviation, place.y.deviation));
  const double sx = std::max(place.x.deviation, least), sy = std::max(place.y.deviation, least);
  const double other = 0.5 * (1 - frame.squaring), radius = frame.spread * frame.size / 2;
  const auto step = [&](double along, double across) {
    return std::pow(along, 1 - other) * std::pow(across, other) / radius;
  };
  return resampled(
      ink, frame_taps(place.x.centre, step(sx, sy), frame.bend_x, frame.size, ink.width()),
      frame_taps(place.y.centre, step(sy, sx), frame.bend_y, frame.size, ink.height()));
}

cv::Mat float_view(const Image<float>& image) {
  return cv::Mat(image.height(), image.width(), CV_32F, const_cast<float*>(image.data()));
}

// The sums of |difference| to the next pixel and from the last one, halved, of each column.
std::vector<float> edges_of_columns(const cv::Mat& frame) {
  std::vector<float> edges(static_cast<std::size_t>(frame.cols));
  for (int row = 0; row < frame.rows; ++row) {
    const float* p = frame.ptr<float>(row);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      const float half = 0.5f * std::abs(p[i + 1] - p[i]);
      edges[i] += half;
      edges[i + 1] += half;
    }
  }
  return edges;
}

// Where the pixels of the frame come from along one axis: the place whose share of all density
// lies before it, mixed with their own.
std::vector<float> equalised_places(const std::vector<float>& edges, double strength) {
  const cv::Mat smooth_view(1, static_cast<int>(edges.size()), CV_32F,
                            const_cast<float*>(edges.data()));
  cv::Mat smooth;
  const int width = 2 * static_cast<int>(std::ceil(3 * kDensitySigma)) + 1;
  cv::GaussianBlur(smooth_view, smooth, {width, 1}, kDensitySigma, kDensitySigma,
                   cv::BORDER_REFLECT_101);
  const double added = kLeastDensity * cv::mean(smooth)[0] + kNoDensity;
  const auto count = edges.size();
  std::vector<double> before(count);  // at the middle of each pixel
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double density = smooth.at<float>(static_cast<int>(i)) + added;
    before[i] = sum + 0.5 * density;
    sum += density;
  }
  std::vector<float> places;
  std::size_t next = 1;
  for (std::size_t u = 0; u < count; ++u) {
    const double share = (static_cast<double>(u) + 0.5) / static_cast<double>(count) * sum;
    while (next + 1 < count && before[next] < share) ++next;
    const double part = (share - before[next - 1]) / (before[next] - before[next - 1]);
    const double place = static_cast<double>(next - 1) + std::clamp(part, 0.0, 1.0);
    places.push_back(
        static_cast<float>(strength * place + (1 - strength) * static_cast<double>(u)));
  }
  return places;
}

// The frame at these columns and rows, linear between pixels.
Image<float> sampled(const Image<float>& frame, const std::vector<float>& columns,
                     const std::vector<float>& rows) {
  const int last = frame.width() - 2;
  Image<float> result(frame.width(), frame.height());
  float* out = result.data();
  for (const float y : rows) {
    const int row = std::min(static_cast<int>(y), last);
    const float down = y - static_cast<float>(row);
    for (const float x : columns) {
      const int column = std::min(static_cast<int>(x), last);
      const float across = x - static_cast<float>(column);
      const float above = (1 - across) * frame.at(row, column) + across * frame.at(row, column + 1);
      const float below =
          (1 - across) * frame.at(row + 1, column) + across * frame.at(row + 1, column + 1);
      *out++ = (1 - down) * above + down * below;
    }
  }
  return result;
}

Image<float> density_equalised(const Image<float>& frame, double strength) {
  cv::Mat smooth;
  const int width = 2 * static_cast<int>(std::ceil(3 * kEdgeSigma)) + 1;
  cv::GaussianBlur(float_view(frame), smooth, {width, width}, kEdgeSigma, kEdgeSigma,
                   cv::BORDER_REFLECT_101);
  return sampled(frame, equalised_places(edges_of_columns(smooth), strength),
                 equalised_places(edges_of_columns(smooth.t()), strength));
}

bool differ_in_density_alone(CharacterFrame a, const CharacterFrame& b) {
  a.density = b.density;
  return a == b;
}

}  // namespace

void declare(Keys& keys, CharacterFrame& frame) {
  keys.number("size", frame.size, {kLeastFrame, kLargestFrame}, "Side of the frame, in pixels");
  keys.number("spread", frame.spread, {0.1, 1},
              "Standard deviation of the ink along an axis, in radii of the circle in the frame");
  keys.number("squaring", frame.squaring, {0, 1},
              "How far the ink's width and height are made equal: 0 not at all, 1 completely");
  keys.number("density", frame.density, {0, 1},
              "How far lines are moved to equal density: 0 not at all, 1 completely");
}

Image<float> normalised(const Image<float>& ink, const CharacterFrame& frame) {
  return std::move(normalised(ink, std::span(&frame, 1)).front());
}

std::vector<Image<float>> normalised(const Image<float>& ink,
                                     std::span<const CharacterFrame> frames) {
  const InkPlace place = place_of(ink);
  std::vector<Image<float>> views;
  Image<float> centred;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const CharacterFrame& frame = frames[i];
    if (place.is_empty) {
      views.emplace_back(frame.size, frame.size);
      continue;
    }
    if (i == 0 || !differ_in_density_alone(frame, frames[i - 1])) {
      centred = moment_normalised(ink, place, frame);
    }
    views.push_back(frame.density > 0 ? density_equalised(centred, frame.density) : centred);
  }
  return views;
}

}  // namespace leafglyph
