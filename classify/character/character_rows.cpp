#include "classify/character/character_rows.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "features/base/random_numbers.h"
#include "features/base/threads.h"
#include "features/glyph/normalise.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPicturesAtOnce = 16;  // by a thread

DirectionMoments direction_moments(const CharacterFeatures& features) {
  return {features, [](const MomentSpec& spec, int size) {
            PlanOptions options = for_many_images();
            options.device = {DeviceChoice::Kind::kCpu};
            options.precision = Precision::kFloat;
            return make_moment_plan(spec, size, options);
          }};
}

}  // namespace

std::vector<CharacterFrame> views_of(const CharacterFeatures& features) {
  const CharacterFrame& usual = features.frame;
  std::vector<CharacterFrame> views = {usual};
  if (!(features.bend > 0)) return views;
  for (const double density : {0.0, 1.0}) {
    views.push_back(usual);
    views.back().density = density;
  }
  for (const double bend : {-features.bend, features.bend}) {
    views.push_back(usual);
    views.back().bend_x = bend;
  }
  return views;
}

CharacterFrame drawn_frame(const CharacterFeatures& features, std::uint64_t seed) {
  CharacterFrame frame = features.frame;
  if (!(features.bend > 0)) return frame;
  RandomNumbers random(seed);
  frame.squaring = random.uniform(0, 1);
  frame.density = random.uniform(0, 1);
  frame.bend_x = random.uniform(-features.bend, features.bend);
  frame.bend_y = random.uniform(-features.bend, features.bend);
  return frame;
}

std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink,
                           const FramesOf& frames) {
  if (count == 0) return {};
  const auto frames_of = [&](std::size_t i) {
    return frames ? frames(i) : std::vector{features.frame};
  };
  const std::size_t n = columns(features) * frames_of(0).size();
  std::vector<float> rows(count * n);
  parallel_for_with_scratch({(count + kPicturesAtOnce - 1) / kPicturesAtOnce}, [&]() -> RoundJob {
    auto moments = std::make_shared<DirectionMoments>(direction_moments(features));
    return [&, moments](std::size_t block) {
      const std::size_t first = block * kPicturesAtOnce,
                        some = std::min(kPicturesAtOnce, count - first);
      std::vector<Image<float>> seen;
      for (std::size_t i = first; i < first + some; ++i) {
        std::ranges::move(normalised(ink(i), frames_of(i)), std::back_inserter(seen));
      }
      moments->rows(seen, std::span(rows).subspan(first * n, some * n));
    };
  });
  return rows;
}

std::vector<float> rows_of_views(const CharacterFeatures& features, std::size_t count,
                                 const std::function<Image<float>(std::size_t)>& ink) {
  const std::vector<CharacterFrame> views = views_of(features);
  return rows_of(features, count, ink, [&](std::size_t) { return views; });
}

}  // namespace leafglyph
