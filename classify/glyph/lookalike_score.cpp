#include "classify/glyph/lookalike_score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {

LookalikeScore::LookalikeScore(std::vector<Knot> knots) : knots_(std::move(knots)) {
  bool sound = knots_.size() >= 2 && knots_.front() == Knot{0.0, 1.0};
  for (std::size_t k = 1; sound && k < knots_.size(); ++k) {
    sound = knots_[k].distance > knots_[k - 1].distance && knots_[k].score < knots_[k - 1].score &&
            knots_[k].score >= 0.0 && std::isfinite(knots_[k].distance);
  }
  if (!sound) throw FormatError("the knots of a look-alike score do not fall from (0, 1)");
}

LookalikeScore LookalikeScore::calibrate(std::vector<double> distances, std::size_t sampled) {
  std::sort(distances.begin(), distances.end());
  const auto score_of = [&](std::size_t count) {
    const double others = static_cast<double>(count) / static_cast<double>(sampled);
    const double all = static_cast<double>(distances.size()) / static_cast<double>(sampled);
    return 1.0 - std::log1p(others) / std::log1p(all);
  };
  std::vector<Knot> knots = {{0.0, 1.0}};
  // Steps of a quarter in the number of pairs, from the first pair to all of them.
  for (std::size_t count = 1;; count = std::min(count + count / 4 + 1, distances.size())) {
    const Knot knot{distances[count - 1], score_of(count)};
    if (knot.distance > knots.back().distance) {
      knots.push_back(knot);
    } else if (knots.size() > 1) {
      knots.back().score = knot.score;  // ties: the number of pairs up to and with them
    }
    if (count == distances.size()) break;
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
