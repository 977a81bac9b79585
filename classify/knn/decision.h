// Whether an answer is known or unknown, and the word for it. No other file decides that: only
// decide makes a Decision that is not known.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

#include "features/base/names.h"

namespace leafglyph {

/// An answer in a word.
enum class Word {
  kSure,      ///< known, and right with a probability of at least kSureFrom
  kLikely,    ///< known, and right with a probability of at least kLikelyFrom
  kDoubtful,  ///< known, and less probable
  kUnknown,   ///< unlike all that was learnt
};
template <>
inline constexpr Names<Word, 4> kNamesOf<Word> = {"word",
                                                  {{{Word::kSure, "sure"},
                                                    {Word::kLikely, "likely"},
                                                    {Word::kDoubtful, "doubtful"},
                                                    {Word::kUnknown, "unknown"}}}};
inline constexpr double kSureFrom = 0.97, kLikelyFrom = 0.8;

/// What an answer rests on.
struct Grounds {
  /// How unlike the query is what was learnt: of a leaf its outlier score (Answer::outlier score),
  /// of an image the distance of the nearest row of the index, of a plant the share of its leaves
  /// that are unknown.
  double unlike = 0;
  /// The largest of these that is known: NearestClassifier::threshold, FeatureIndex::usual_distance
  /// or kMostUnknownLeaves.
  double threshold = std::numeric_limits<double>::infinity();
  std::optional<double> probability = std::nullopt;  ///< that the first class is right
};
inline constexpr double kMostUnknownLeaves = 0.5;  ///< share of a plant's leaves

class Decision {
 public:
  Decision() = default;  ///< known, without a word

  bool known() const { return known_; }
  /// Word::kUnknown where it is not known; none where a known answer has no probability.
  std::optional<Word> word() const { return word_; }
  /// The place of the grounds that it rests on among those that it was asked with.
  std::size_t reading() const { return reading_; }

 private:
  friend Decision decide(std::initializer_list<Grounds> readings);

  bool known_ = true;
  std::optional<Word> word_ = std::nullopt;
  std::size_t reading_ = 0;
};

/// Decides about one query. What is more unlike than the threshold is unknown, and so is NaN. A
/// query that was classified in several ways has several readings, of which one counts: a known
/// one before an unknown one, then the more probable one, then the earlier one.
Decision decide(std::initializer_list<Grounds> readings);

}  // namespace leafglyph
