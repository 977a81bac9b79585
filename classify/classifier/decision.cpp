#include "classify/classifier/decision.h"

#include <algorithm>
#include <tuple>

namespace leafglyph {
namespace {

bool is_known(const Grounds& grounds) { return grounds.unlike <= grounds.threshold; }

bool is_better(const Grounds& a, const Grounds& b) {
  return std::tuple(is_known(a), a.probability) > std::tuple(is_known(b), b.probability);
}

std::optional<Word> word_for(bool known, const Grounds& grounds) {
  const std::optional<double>& probability = grounds.probability;
  if (!known) return Word::kUnknown;
  if (!probability) return std::nullopt;
  if (grounds.against == Against::kAnotherClass || grounds.against == Against::kUnclear) {
    return Word::kDoubtful;
  }
  if (*probability >= grounds.limits.sure && grounds.against == Against::kNothing) {
    return Word::kSure;
  }
  return *probability >= grounds.limits.likely ? Word::kLikely : Word::kDoubtful;
}

}  // namespace

Decision decide(std::initializer_list<Grounds> readings) {
  // The first of equally good readings wins: is_better(a, b) means "a before b".
  const Grounds* best = std::min_element(readings.begin(), readings.end(), is_better);
  Decision decision;
  decision.known_ = is_known(*best);
  decision.word_ = word_for(decision.known_, *best);
  decision.reading_ = static_cast<std::size_t>(best - readings.begin());
  return decision;
}

}  // namespace leafglyph
