// Whether a prediction is known or unknown, and the word for its certainty. This is decided nowhere
// else: only decide() can make a Decision that is not known.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>

#include "features/base/names.h"

namespace leafglyph {

/// The certainty of a prediction in a word.
enum class Word {
  kSure,      ///< known, as probable as WordLimits::sure says, and no evidence against it
  kLikely,    ///< known, and as probable as WordLimits::likely says
  kDoubtful,  ///< known, and less probable
  kUnknown,   ///< unlike all training leaves
};
template <>
inline constexpr Names<Word, 4> kNamesOf<Word> = {"word",
                                                  {{{Word::kSure, "sure"},
                                                    {Word::kLikely, "likely"},
                                                    {Word::kDoubtful, "doubtful"},
                                                    {Word::kUnknown, "unknown"}}}};
inline constexpr double kSureFrom = 0.97, kLikelyFrom = 0.8;

/// The probabilities from which a prediction is sure, and likely.
struct WordLimits {
  double sure = kSureFrom, likely = kLikelyFrom;
  friend bool operator==(const WordLimits&, const WordLimits&) = default;
};

/// What speaks against the first class, whatever its probability.
enum class Against {
  kNothing,
  kEvidence,      ///< some of the evidence: the word is likely at best
  kAnotherClass,  ///< other evidence is for another class: doubtful at best
  kUnclear,       ///< it is not clear what was classified: doubtful at best
};

/// The grounds of a decision.
struct Grounds {
  /// The outlier score: for a leaf Prediction::outlier_score, for an image the distance to the
  /// nearest row of the index, for a plant the share of its leaves that are unknown.
  double unlike = 0;
  /// The largest outlier score that counts as known: NearestClassifier::threshold,
  /// FeatureIndex::usual_distance or kMostUnknownLeaves.
  double threshold = std::numeric_limits<double>::infinity();
  std::optional<double> probability = std::nullopt;  ///< that the first class is correct
  Against against = Against::kNothing;
  WordLimits limits = {};  ///< of a model may be higher (NearestClassifier::limits)
};
inline constexpr double kMostUnknownLeaves = 0.5;  ///< share of a plant's leaves

class Decision {
 public:
  Decision() = default;  ///< known, without a word

  bool known() const { return known_; }
  /// Word::kUnknown if it is not known; none if a known prediction has no probability.
  std::optional<Word> word() const { return word_; }
  /// The index of the grounds that were used, among those given.
  std::size_t reading() const { return reading_; }

 private:
  friend Decision decide(std::initializer_list<Grounds> readings);

  bool known_ = true;
  std::optional<Word> word_ = std::nullopt;
  std::size_t reading_ = 0;
};

/// Decides about one query. A score above the threshold, or NaN, means unknown. A query that was
/// classified in several ways has several grounds, of which the best are used: known before
/// unknown, then the more probable, then the earlier.
Decision decide(std::initializer_list<Grounds> readings);

}  // namespace leafglyph
