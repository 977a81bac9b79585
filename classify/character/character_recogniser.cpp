#include "classify/character/character_recogniser.h"

#include <algorithm>
#include <utility>

#include "classify/character/character_rows.h"
#include "datasets/glyph/same_shape.h"
#include "features/base/errors.h"

namespace leafglyph {

CharacterJudgement judgement_of(const CharacterClassifier& classifier,
                                const FoundCharacters& found) {
  std::vector<double> evidence;
  for (const CharacterCandidate& candidate : found.best) evidence.push_back(candidate.evidence);
  const UnlikeRule& rule = classifier.parts().unlike;
  CharacterJudgement judgement{
      classifier.parts().calibration.probabilities(evidence), rule.probability(found.signs), {}};
  // That it shows a character, and if so this one.
  const double chance = (1 - judgement.unlike) * judgement.chances.front();
  judgement.decision = decide({{judgement.unlike, rule.threshold, chance, Against::kNothing}});
  return judgement;
}

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
  const CharacterFeatures& features = model_.spec.features;
  const std::vector<float> rows = rows_of_views(features, count, ink);
  const CharacterClassifier::Request request{std::max(top, kSharedCharacters),
                                             views_of(features).size(), among_};
  std::vector<CharacterPrediction> predictions;
  for (const FoundCharacters& found : classifier.find(rows, request)) {
    const CharacterJudgement judgement = judgement_of(classifier, found);
    CharacterPrediction prediction;
    for (std::size_t k = 0; k < std::min(top, judgement.chances.size()); ++k) {
      prediction.ranking.push_back(ranked(found.best[k].character, judgement.chances[k]));
    }
    prediction.unlike = judgement.unlike;
    prediction.decision = judgement.decision;
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

}  // namespace leafglyph
