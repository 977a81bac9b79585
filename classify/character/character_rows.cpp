#include "classify/character/character_rows.h"

#include <algorithm>
#include <memory>

#include "features/base/threads.h"
#include "features/glyph/normalise.h"
#include "gpu/plans.h"

namespace leafglyph {
namespace {

constexpr std::size_t kPicturesAtOnce = 64;

DirectionMoments direction_moments(const CharacterFeatures& features) {
  return {features, [](const MomentSpec& spec, int size) {
            PlanOptions options = for_many_images();
            options.device = {DeviceChoice::Kind::kCpu};
            options.precision = Precision::kFloat;
            return make_moment_plan(spec, size, options);
          }};
}

}  // namespace

std::vector<float> rows_of(const CharacterFeatures& features, std::size_t count,
                           const std::function<Image<float>(std::size_t)>& ink) {
  const std::size_t n = columns(features), blocks = (count + kPicturesAtOnce - 1) / kPicturesAtOnce;
  std::vector<float> rows(count * n);
  parallel_for_with_scratch({blocks}, [&]() -> RoundJob {
    auto moments = std::make_shared<DirectionMoments>(direction_moments(features));
    return [&, moments](std::size_t block) {
      const std::size_t first = block * kPicturesAtOnce,
                        some = std::min(kPicturesAtOnce, count - first);
      std::vector<Image<float>> frames;
      for (std::size_t i = 0; i < some; ++i) {
        frames.push_back(normalised(ink(first + i), features.frame));
      }
      moments->rows(frames, std::span(rows).subspan(first * n, some * n));
    };
  });
  return rows;
}

}  // namespace leafglyph
