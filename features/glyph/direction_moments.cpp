#include "features/glyph/direction_moments.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "features/base/errors.h"
#include "features/base/keys.h"
#include "features/base/limits.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

constexpr int kFewestDirections = 4, kMostDirections = 32;
constexpr double kLeastBlur = 0.3, kLargestBlur = 20;
constexpr double kLeastPower = 0.05;

// A plan is asked for the channels of so many characters at once, whether there are as many or not:
// products of matrices round differently with the number of their rows.
constexpr std::size_t kCharactersPerCall = 8;

// Real and imaginary parts, of which m = 0 has none.
std::size_t numbers_per_channel(const DirectionScale& scale, Family family) {
  const auto indices = moment_indices(moment_spec(scale, family));
  const auto without = std::ranges::count(indices, 0, &MomentIndex::m);
  return 2 * indices.size() - static_cast<std::size_t>(without);
}

}  // namespace

void declare(Keys& keys, CharacterFeatures& features) {
  keys.group("frame", [&] { declare(keys, features.frame); });
  keys.number("bend", features.bend, {0, kMostBend},
              "How far the middle moves in further views of a picture, in halves of the frame; 0: "
              "one view");
  keys.number("directions", features.directions, {0, kMostDirections},
              "Directions of the gradient, of the full circle; 0: the grey picture itself");
  keys.check("directions", [&] {
    if (features.directions > 0 && features.directions < kFewestDirections) {
      throw UsageError(std::to_string(features.directions) + " directions; use 0, or " +
                       std::to_string(kFewestDirections) + " or more");
    }
  });
  keys.number("power", features.power, {kLeastPower, 1},
              "Power of the gradient's size; below 1 faint and thin strokes count more");
  keys.choice("family", features.family, kCharacterFamilies, "Family of the moments");
  std::vector<double> blurs;
  std::vector<int> orders;
  for (const DirectionScale& scale : features.scales) {
    blurs.push_back(scale.blur);
    orders.push_back(scale.order);
  }
  keys.key({"blurs",
            &blurs,
            "Standard deviations of the Gaussians, in pixels of the frame: one for each scale at "
            "which edges are found",
            {kLeastBlur, kLargestBlur}});
  keys.key(
      {"orders", &orders, "Order of the moments at each of these scales", {0, kMaxFeatureOrder}});
  keys.check("orders", [&] {
    if (orders.empty() || orders.size() != blurs.size()) {
      throw UsageError(std::to_string(orders.size()) + " orders for " +
                       std::to_string(blurs.size()) + " blurs; use one for each, and at least one");
    }
  });
  features.scales.assign(std::min(blurs.size(), orders.size()), {});
  for (std::size_t i = 0; i < features.scales.size(); ++i) {
    features.scales[i] = {blurs[i], orders[i]};
  }
}

void validate(const CharacterFeatures& features) { check_keys(features, "features."); }

std::size_t columns(const CharacterFeatures& features) {
  std::size_t count = 0;
  for (const DirectionScale& scale : features.scales)
    count += numbers_per_channel(scale, features.family);
  return count * static_cast<std::size_t>(DirectionChannels(features.directions, 1).channels());
}

MomentSpec moment_spec(const DirectionScale& scale, Family family) {
  MomentSpec spec;
  spec.family = family;
  spec.order = scale.order;
  return spec;
}

DirectionMoments::DirectionMoments(const CharacterFeatures& features,
                                   const MomentPlanMaker& make_plan)
    : size_(features.frame.size),
      family_(features.family),
      channels_(features.directions, features.power),
      columns_(leafglyph::columns(features)) {
  validate(features);
  for (const DirectionScale& scale : features.scales) add_scale(scale, make_plan);
}

void DirectionMoments::add_scale(const DirectionScale& scale, const MomentPlanMaker& make_plan) {
  Scale added;
  added.blur = scale.blur;
  added.plan = make_plan(moment_spec(scale, family_), size_);
  for (const auto& [n, m] : added.plan->indices()) {
    added.factors.push_back(std::sqrt(std::numbers::pi / (n + 1) * (m > 0 ? 2 : 1)));
  }
  added.columns =
      numbers_per_channel(scale, family_) * static_cast<std::size_t>(channels_.channels());
  scales_.push_back(std::move(added));
}

void DirectionMoments::rows(std::span<const Image<float>> frames, std::span<float> rows) {
  if (rows.size() != frames.size() * columns_) {
    throw UsageError(std::to_string(frames.size()) + " characters of " + std::to_string(columns_) +
                     " columns do not fit " + std::to_string(rows.size()) + " values");
  }
  const SmallTeams alone(1);
  for (std::size_t first = 0; first < frames.size(); first += kCharactersPerCall) {
    const std::size_t count = std::min(kCharactersPerCall, frames.size() - first);
    std::size_t start = 0;
    for (Scale& scale : scales_) {
      add_columns(scale, frames.subspan(first, count),
                  rows.subspan(first * columns_, count * columns_), start);
      start += scale.columns;
    }
  }
}

void DirectionMoments::add_columns(Scale& scale, std::span<const Image<float>> frames,
                                   std::span<float> rows, std::size_t start) {
  const auto side = static_cast<std::size_t>(size_);
  const auto directions = static_cast<std::size_t>(channels_.channels());
  const std::size_t pixels = directions * side * side;
  images_.assign(kCharactersPerCall * pixels, 0.0f);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    channels_.compute(frames[i], scale.blur, std::span(images_).subspan(i * pixels, pixels));
  }
  const auto indices = scale.plan->indices();
  const std::size_t images = kCharactersPerCall * directions;
  moments_.resize(images * indices.size());
  scale.plan->moments({std::span<const float>(images_), images, size_}, moments_);
  const std::complex<double>* moment = moments_.data();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    float* out = rows.data() + i * columns_ + start;
    for (std::size_t d = 0; d < directions; ++d) {
      for (std::size_t c = 0; c < indices.size(); ++c, ++moment) {
        const std::complex<double> value = scale.factors[c] * *moment;
        *out++ = static_cast<float>(value.real());
        if (indices[c].m > 0) *out++ = static_cast<float>(value.imag());
      }
    }
  }
}

}  // namespace leafglyph
