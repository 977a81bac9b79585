#include "classify/glyph/lookalike_measure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

double equal_corners(const CharacterTraits& a, const CharacterTraits& b) {
  int equal = 0;
  for (std::size_t k = 0; k < a.corners.size(); ++k) {
    equal += a.corners[k] != 0 && a.corners[k] == b.corners[k] ? 1 : 0;
  }
  return equal;
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0.0; }

double sum_of(const PairColumns& weights, const PairColumns& columns) {
  double sum = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) sum += weights[k] * columns[k];
  return sum;
}

PairColumns weights_in(const nlohmann::json& json) {
  PairColumns weights{};
  for (std::size_t k = 0; k < kPairColumns.size(); ++k) {
    weights[k] = json.at(std::string(kPairColumns[k])).get<double>();
  }
  return weights;
}

// The number at the share of `to` that `value` has in `from`; both are sorted.
double carried(double value, std::span<const double> from, std::span<const double> to) {
  const auto above = std::upper_bound(from.begin() + 1, from.end() - 1, value);
  const double low = *(above - 1);
  const double step = *above - low;
  const double within = step > 0 ? (value - low) / step : 0.0;
  const double place = (static_cast<double>(above - from.begin() - 1) + within) /
                       static_cast<double>(from.size() - 1) * static_cast<double>(to.size() - 1);
  const double whole = std::clamp(std::floor(place), 0.0, static_cast<double>(to.size() - 2));
  const auto at = static_cast<std::size_t>(whole);
  return to[at] + (place - whole) * (to[at + 1] - to[at]);
}

}  // namespace

PairColumns pair_columns(const CharacterTraits& query, const CharacterTraits& candidate,
                         double distance) {
  const bool know_strokes = query.strokes > 0 && candidate.strokes > 0;
  const int strokes = know_strokes ? std::abs(query.strokes - candidate.strokes) : 0;
  // Shared parts explain a confusion as far as the drawings differ. Where these hardly differ, a
  // pair without parts is confused as easily as one with a shared part.
  const double root = std::sqrt(std::max(distance, 0.0));
  return {
      root,
      share_phonetic(query, candidate) ? root : 0.0,
      root * share_of(2.0 * shared_letters(query, candidate), query.letters + candidate.letters),
      equal_corners(query, candidate),
      share_of(strokes, query.strokes + candidate.strokes),
      query.radical > 0 && query.radical == candidate.radical ? 1.0 : 0.0,
      candidate.frequency,
      candidate.is_common ? 1.0 : 0.0,
      candidate.is_general ? 1.0 : 0.0,
      share_phonetic(query, candidate) ? 1.0 : 0.0};
}

LookalikeEvidence::LookalikeEvidence(LookalikeMeasure measure) : measure_(measure) {
  if (measure == LookalikeMeasure::kPublished) {
    throw UsageError(
        "only glyph similar and glyph distance compare by the published vectors; use another "
        "lookalikes.measure, such as windows");
  }
  try {
    const auto json = nlohmann::json::parse(lookalike_weights());
    const auto& own = json.at(std::string(name_of(kNamesOf<LookalikeMeasure>, measure)));
    quantiles_ = own.at("quantiles").get<std::vector<double>>();
    if (measure == LookalikeMeasure::kWindows) return;
    weights_ = weights_in(own.at("weights"));
    expected_weights_ = weights_in(own.at("expected"));
    drawn_weights_ = weights_in(json.at("drawn").at("weights"));
    alphabet_ = json.at("drawn").at("alphabet").get<double>();
    calibrate(json.at("drawn").at("quantiles").get<std::vector<double>>(), quantiles_);
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(std::string("the weights of look-alikes are damaged: ") + error.what());
  }
}

void LookalikeEvidence::calibrate(std::vector<double> drawn, std::vector<double> evidence) {
  if (drawn.size() < 2 || evidence.size() < 2) {
    throw FormatError("the known pairs of look-alikes are fewer than two");
  }
  std::ranges::sort(drawn);
  std::ranges::sort(evidence);
  known_drawn_ = std::move(drawn);
  known_evidence_ = std::move(evidence);
}

double LookalikeEvidence::expected(const CharacterTraits& query, const CharacterTraits& candidate,
                                   double windows) const {
  if (measure_ == LookalikeMeasure::kWindows) return -windows;
  return sum_of(expected_weights_, pair_columns(query, candidate, windows));
}

double LookalikeEvidence::drawn(const CharacterTraits& query, const CharacterTraits& candidate,
                                const PairDistances& distances) const {
  return sum_of(drawn_weights_, pair_columns(query, candidate, distances.edges));
}

double LookalikeEvidence::operator()(const CharacterTraits& query, const CharacterTraits& candidate,
                                     const PairDistances& distances) const {
  if (measure_ == LookalikeMeasure::kWindows) return -distances.windows;
  if (distances.windows <= 0) return std::numeric_limits<double>::infinity();
  if (query.letters == 0 || candidate.letters == 0) {
    const double odds = query.letters == candidate.letters ? alphabet_ : 0.0;
    return carried(drawn(query, candidate, distances) + odds, known_drawn_, known_evidence_);
  }
  return sum_of(weights_, pair_columns(query, candidate, distances.edges));
}

}  // namespace leafglyph
