#include "classify/glyph/lookalike_score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

constexpr std::size_t kQuantiles = 64;

}  // namespace

LookalikeScore::LookalikeScore(std::vector<Knot> knots) : knots_(std::move(knots)) {
  bool sound = !knots_.empty() && knots_.front().score >= 0.0 && knots_.back().score <= 1.0 &&
               std::isfinite(knots_.front().evidence);
  for (std::size_t k = 1; sound && k < knots_.size(); ++k) {
    sound = knots_[k].evidence > knots_[k - 1].evidence && knots_[k].score > knots_[k - 1].score &&
            std::isfinite(knots_[k].evidence);
  }
  if (!sound)
    throw FormatError("the knots of a look-alike score must rise, from 0 at least to 1 at most");
}

LookalikeScore LookalikeScore::of_pairs(std::vector<double> evidence) {
  const std::size_t pairs = evidence.size();
  return of_quantiles(std::move(evidence), pairs);
}

LookalikeScore LookalikeScore::of_quantiles(std::vector<double> evidence, std::size_t pairs) {
  std::sort(evidence.begin(), evidence.end());
  const std::size_t last = evidence.size() - 1;
  const std::size_t steps = std::max<std::size_t>(1, std::min(kQuantiles, last));
  std::vector<Knot> knots;
  for (std::size_t step = 0; step <= steps; ++step) {
    const std::size_t place = step * last / steps;
    const double share = last == 0 ? 1.0 : static_cast<double>(place) / static_cast<double>(last);
    const auto count = static_cast<double>(pairs);
    const Knot knot{evidence[place], (share * count + 0.5) / (count + 1.0)};
    if (knots.empty() || knot.evidence > knots.back().evidence) {
      knots.push_back(knot);
    } else {
      knots.back().score = knot.score;  // ties: the share up to the last of them
    }
  }
  return LookalikeScore(std::move(knots));
}

double LookalikeScore::operator()(double evidence) const {
  const auto above =
      std::upper_bound(knots_.begin(), knots_.end(), evidence,
                       [](double value, const Knot& knot) { return value < knot.evidence; });
  if (above == knots_.begin()) return knots_.front().score;
  if (above == knots_.end()) return knots_.back().score;
  const Knot& low = *(above - 1);
  const double share = (evidence - low.evidence) / (above->evidence - low.evidence);
  return low.score + share * (above->score - low.score);
}

}  // namespace leafglyph
