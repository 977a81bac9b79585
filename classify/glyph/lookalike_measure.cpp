#include "classify/glyph/lookalike_measure.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

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
      candidate.is_general ? 1.0 : 0.0};
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
    for (std::size_t k = 0; k < kPairColumns.size(); ++k) {
      weights_[k] = own.at("weights").at(std::string(kPairColumns[k])).get<double>();
    }
  } catch (const nlohmann::json::exception& error) {
    throw FormatError(std::string("the weights of look-alikes are damaged: ") + error.what());
  }
}

double LookalikeEvidence::operator()(const CharacterTraits& query, const CharacterTraits& candidate,
                                     double distance) const {
  if (measure_ == LookalikeMeasure::kWindows) return -distance;
  if (distance <= 0) return std::numeric_limits<double>::infinity();
  const PairColumns columns = pair_columns(query, candidate, distance);
  double sum = 0.0;
  for (std::size_t k = 0; k < columns.size(); ++k) sum += weights_[k] * columns[k];
  return sum;
}

}  // namespace leafglyph
