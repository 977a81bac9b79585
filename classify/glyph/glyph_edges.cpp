#include "classify/glyph/glyph_edges.h"

#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "features/distance/edge_kernels.h"
#include "features/glyph/direction_channels.h"
#include "features/image/image.h"

namespace leafglyph {
namespace {

constexpr int kSide = static_cast<int>(kEdgeSide);
constexpr int kDirections = static_cast<int>(kEdgeDirections);
constexpr double kBlur = 1.0, kPower = 0.7, kSmoothing = 0.6;
constexpr double kUnlike = 1.3;  // d that counts as 1 - 1/e of a complete mismatch

Image<float> frame_of(std::span<const std::uint8_t> ink, int size) {
  Image<float> frame(kSide, kSide);
  cv::Mat shown(kSide, kSide, CV_32F, frame.data());
  const cv::Mat given(size, size, CV_8U, const_cast<std::uint8_t*>(ink.data()));
  cv::Mat scaled;
  given.convertTo(scaled, CV_32F, 1.0 / 255);
  cv::resize(scaled, shown, shown.size(), 0, 0, size > kSide ? cv::INTER_AREA : cv::INTER_LINEAR);
  return frame;
}

double unlike(const float* differences, const float* a, const float* b) {
  double sum = 0.0;
  double counted = 0.0;
  for (std::size_t p = 0; p < kEdgeNeighbourhoods; ++p) {
    const double weight = 1 - std::exp(-(static_cast<double>(a[p]) + b[p]));
    sum += weight * (1 - std::exp(-differences[p] / kUnlike));
    counted += weight;
  }
  return counted > 0 ? sum / counted : 0.0;
}

}  // namespace

GlyphEdges glyph_edges(std::span<const std::uint8_t> ink, int size) {
  const std::size_t pixels = kEdgeSide * kEdgeSide;
  std::vector<float> turns(2 * kEdgeValues);
  DirectionChannels(2 * kDirections, kPower).compute(frame_of(ink, size), kBlur, turns);
  GlyphEdges edges(kEdgeValues + kEdgeNeighbourhoods);
  for (std::size_t i = 0; i < kEdgeValues; ++i) edges[i] = turns[i] + turns[i + kEdgeValues];
  double squares = 0.0;
  for (std::size_t d = 0; d < kEdgeDirections; ++d) {
    cv::Mat channel(kSide, kSide, CV_32F, edges.data() + d * pixels);
    cv::GaussianBlur(channel, channel, {}, kSmoothing, kSmoothing, cv::BORDER_CONSTANT);
    squares += channel.dot(channel);
  }
  const float factor =
      squares > 0 ? static_cast<float>(std::sqrt(static_cast<double>(pixels) / squares)) : 0.0F;
  for (std::size_t i = 0; i < kEdgeValues; ++i) edges[i] *= factor;
  edge_kernels().amounts(edges.data(), edges.data() + kEdgeValues);
  return edges;
}

double edge_difference(const GlyphEdges& a, const GlyphEdges& b) {
  std::array<float, kEdgeNeighbourhoods> forth, back;
  edge_kernels().differences(a.data(), b.data(), forth.data(), back.data());
  const float* amounts_a = a.data() + kEdgeValues;
  const float* amounts_b = b.data() + kEdgeValues;
  return (unlike(forth.data(), amounts_a, amounts_b) + unlike(back.data(), amounts_b, amounts_a)) /
         2;
}

}  // namespace leafglyph
