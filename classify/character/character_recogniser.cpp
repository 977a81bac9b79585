#include "classify/character/character_recogniser.h"

#include <algorithm>
#include <utility>

#include "classify/character/character_rows.h"
#include "datasets/glyph/same_shape.h"
#include "features/base/errors.h"

namespace leafglyph {
namespace {

// Characters whose evidence the probabilities share: that of others is nothing beside it.
constexpr std::size_t kShared = 64;

}  // namespace

CharacterRecogniser::CharacterRecogniser(CharacterModel model) : model_(std::move(model)) {}

void CharacterRecogniser::restrict_to(std::u32string_view characters) {
  std::vector<std::size_t> among;
  for (std::size_t c = 0; c < model_.characters.size(); ++c) {
    if (characters.find(model_.characters[c]) != characters.npos) among.push_back(c);
  }
  if (among.empty() && !characters.empty()) {
    throw UsageError("the model knows none of these characters");
  }
  among_ = std::move(among);
}

CharacterPrediction::Ranked CharacterRecogniser::ranked(std::size_t character,
                                                        double probability) const {
  CharacterPrediction::Ranked ranked{model_.characters[character], probability};
  std::u32string answers;
  for (const char32_t of_shape : same_shape(ranked.character)) {
    const std::size_t c = model_.characters.find(of_shape);
    if (c != std::u32string::npos && (among_.empty() || std::ranges::binary_search(among_, c))) {
      answers += of_shape;
    }
  }
  ranked.character = answers.front();
  ranked.same = answers.substr(1);
  return ranked;
}

std::vector<CharacterPrediction> CharacterRecogniser::recognise(
    std::size_t count, const std::function<Image<float>(std::size_t)>& ink, std::size_t top) const {
  const CharacterClassifier& classifier = model_.classifier;
  const UnlikeRule& unlike = classifier.parts().unlike;
  const std::vector<float> rows = rows_of(model_.spec.features, count, ink);
  std::vector<CharacterPrediction> predictions;
  for (const FoundCharacters& found : classifier.find(rows, std::max(top, kShared), among_)) {
    std::vector<double> evidence;
    for (const CharacterCandidate& candidate : found.best) evidence.push_back(candidate.evidence);
    const std::vector<double> chances = classifier.parts().calibration.probabilities(evidence);
    CharacterPrediction prediction;
    for (std::size_t k = 0; k < std::min(top, chances.size()); ++k) {
      prediction.ranking.push_back(ranked(found.best[k].character, chances[k]));
    }
    prediction.unlike = unlike.probability(found.signs);
    prediction.decision =
        decide({{prediction.unlike, unlike.threshold, chances.front(), Against::kNothing}});
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace leafglyph
