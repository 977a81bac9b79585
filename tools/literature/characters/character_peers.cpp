#include "tools/literature/characters/character_peers.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <span>
#include <utility>

#include "classify/character/character_rows.h"
#include "features/base/threads.h"
#include "features/glyph/direction_channels.h"

namespace leafglyph {
namespace {

constexpr int kDirections = 8, kCells = 8, kPixels = 16;
constexpr double kBlur = 1;  // pixels of the frame

cv::Mat reduced(const float* pixels, int size, int side) {
  cv::Mat small;
  cv::resize(cv::Mat(size, size, CV_32F, const_cast<float*>(pixels)), small, {side, side}, 0, 0,
             cv::INTER_AREA);
  return small;
}

// The means of blocks of each channel, one after another.
void add_hog(const Image<float>& frame, std::span<float> row) {
  DirectionChannels channels(kDirections, 0.5);
  std::vector<float> images(kDirections * frame.size());
  channels.compute(frame, kBlur, images);
  for (int d = 0; d < kDirections; ++d) {
    const cv::Mat cells =
        reduced(images.data() + static_cast<std::size_t>(d) * frame.size(), frame.width(), kCells);
    std::copy(cells.begin<float>(), cells.end<float>(), row.begin() + d * kCells * kCells);
  }
}

void add_pixels(const Image<float>& frame, std::span<float> row) {
  const cv::Mat small = reduced(frame.data(), frame.width(), kPixels);
  std::copy(small.begin<float>(), small.end<float>(), row.begin());
}

CharacterPeer of_frames(std::string name, std::size_t columns, const CharacterFeatures& features,
                        void (*add)(const Image<float>&, std::span<float>)) {
  const auto rows = [=](std::size_t count, const std::function<Image<float>(std::size_t)>& ink,
                        const FramesOf& frames) {
    const auto seen = [&](std::size_t i) {
      return frames ? frames(i) : std::vector{features.frame};
    };
    const std::size_t views = seen(0).size();
    std::vector<float> all(count * views * columns);
    parallel_for(count, [&](std::size_t i) {
      const std::vector<Image<float>> of_picture = normalised(ink(i), seen(i));
      for (std::size_t v = 0; v < views; ++v) {
        add(of_picture[v], std::span(all).subspan((i * views + v) * columns, columns));
      }
    });
    return all;
  };
  return {std::move(name), columns, features, rows};
}

CharacterPeer of_features(std::string name, const CharacterSpec& spec) {
  const CharacterFeatures features = spec.features;
  const auto rows = [features](
                        std::size_t count, const std::function<Image<float>(std::size_t)>& ink,
                        const FramesOf& frames) { return rows_of(features, count, ink, frames); };
  return {std::move(name), columns(features), features, rows, spec.classifier.directions};
}

}  // namespace

std::vector<CharacterPeer> character_peers() {
  const CharacterSpec usual = load_character_spec("glyph");
  return {of_features("moments", usual),
          of_frames("hog", kDirections * kCells * kCells, usual.features, add_hog),
          of_frames("pixels", kPixels * kPixels, usual.features, add_pixels),
          of_features("published", load_character_spec("glyph_published"))};
}

}  // namespace leafglyph
