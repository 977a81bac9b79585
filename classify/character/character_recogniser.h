// Names the character in a picture.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_model.h"
#include "classify/classifier/decision.h"

namespace leafglyph {

struct CharacterPrediction {
  struct Ranked {
    char32_t character = 0;
    double probability = 0;    ///< that it is this one or another of its shape, by the calibration
    std::u32string same = {};  ///< the others of its shape (same_shape) that are answers
  };
  std::vector<Ranked> ranking;  ///< best first
  double unlike = 0;  ///< the probability that the picture shows no character of the model
  Decision decision;
};

/// What a classifier says of a picture: the probabilities of those that were found, that it shows
/// no character of the model, and the word.
struct CharacterJudgement {
  std::vector<double> chances;
  double unlike = 0;
  Decision decision;
};
CharacterJudgement judgement_of(const CharacterClassifier& classifier,
                                const FoundCharacters& found);

/// What a picture is compared with: enough characters that the evidence for all others is nothing
/// beside it, since they share the probabilities.
inline constexpr std::size_t kSharedCharacters = 64;

/// Safe to use from one thread at a time; it computes on all.
class CharacterRecogniser {
 public:
  explicit CharacterRecogniser(CharacterModel model);

  const CharacterModel& model() const { return model_; }

  /// From now on only these characters are answers; empty: all of the model. Throws UsageError if
  /// the model has none of them.
  void restrict_to(std::u32string_view characters);

  bool knows(char32_t character) const {
    return model_.characters.find(character) != std::u32string::npos;
  }

  /// Prediction i is of ink(i) (ink_of), which is called from many threads. With as many ranked
  /// characters as requested, or all.
  std::vector<CharacterPrediction> recognise(std::size_t count,
                                             const std::function<Image<float>(std::size_t)>& ink,
                                             std::size_t top) const;

 private:
  CharacterPrediction::Ranked ranked(std::size_t character, double probability) const;

  CharacterModel model_;
  std::vector<std::size_t> among_;
};

}  // namespace leafglyph
