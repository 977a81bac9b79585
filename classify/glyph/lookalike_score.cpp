#include "classify/glyph/lookalike_score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kQuantiles = 64;
// The distances below which 1/16, 2/16, ... of the calibration pairs lie, checked by the test
// DefaultProfile.StandardScoreIsThatOfTheCalibrationPairs.
constexpr double kStandard[] = {0.302, 0.355, 0.382, 0.406, 0.417, 0.435, 0.444, 0.459,
                                0.476, 0.487, 0.507, 0.544, 0.595, 0.643, 0.745, 0.814};

}  // namespace

LookalikeScore::LookalikeScore(std::vector<Knot> knots) : knots_(std::move(knots)) {
  bool sound = knots_.size() >= 2 && knots_.front() == Knot{0.0, 1.0};
  for (std::size_t k = 1; sound && k < knots_.size(); ++k) {
    sound = knots_[k].distance > knots_[k - 1].distance && knots_[k].score < knots_[k - 1].score &&
            knots_[k].score >= 0.0 && std::isfinite(knots_[k].distance);
  }
  if (!sound) throw FormatError("the knots of a look-alike score must fall from (0, 1)");
}

LookalikeScore LookalikeScore::of_pairs(std::vector<double> distances) {
  std::sort(distances.begin(), distances.end());
  std::vector<Knot> knots = {{0.0, 1.0}};
  const std::size_t steps = std::min(kQuantiles, distances.size());
  for (std::size_t step = 1; step <= steps; ++step) {
    const std::size_t count = step * distances.size() / steps;
    const Knot knot{distances[count - 1],
                    1.0 - static_cast<double>(count) / static_cast<double>(distances.size())};
    if (knot.distance > knots.back().distance) {
      knots.push_back(knot);
    } else if (knots.size() > 1) {
      knots.back().score = knot.score;  // ties: the share that is farther apart
    }
  }
  if (knots.size() < 2) knots.push_back({1.0, 0.0});  // all pairs consist of equal glyphs
  return LookalikeScore(std::move(knots));
}

LookalikeScore LookalikeScore::standard() {
  std::vector<Knot> knots = {{0.0, 1.0}};
  for (std::size_t k = 0; k < std::size(kStandard); ++k) {
    knots.push_back({kStandard[k], 1.0 - static_cast<double>(k + 1) / std::size(kStandard)});
  }
  return LookalikeScore(std::move(knots));
}

double LookalikeScore::operator()(double distance) const {
  const auto above =
      std::upper_bound(knots_.begin(), knots_.end(), distance,
                       [](double value, const Knot& knot) { return value < knot.distance; });
  if (above == knots_.begin()) return 1.0;
  if (above == knots_.end()) return knots_.back().score;
  const Knot& low = *(above - 1);
  const double share = (distance - low.distance) / (above->distance - low.distance);
  return low.score + share * (above->score - low.score);
}

}  // namespace leafglyph
