// Reads the characters of a page of printed text.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "classify/character/character_recogniser.h"
#include "classify/character/known_lookalikes.h"
#include "classify/character/page_layout.h"

namespace leafglyph {

struct ReadCharacter {
  MaskBox box;  ///< of its ink, on the page as it was given
  /// Empty for a mark: ink that is too small to be recognised, such as a comma.
  std::optional<CharacterPrediction> prediction = std::nullopt;
  LookalikeRemark remark = {};  ///< remark_lookalikes
  bool after_blank = false;     ///< whether there is a gap of a character or more before it
};

struct ReadLine {
  MaskBox box;  ///< around its characters
  std::vector<ReadCharacter> characters;
};

struct ReadPage {
  TextDirection direction = TextDirection::kHorizontal;
  double tilt = 0;  ///< degrees by which the page was turned clockwise
  int width = 0, height = 0;
  std::vector<ReadLine> lines;
};

struct PageRequest {
  std::optional<TextDirection> direction = std::nullopt;  ///< none: found (layout_of)
  std::size_t top = 5;                                    ///< ranked characters of each
  /// Hears how many more pictures were recognised, of so many of the page; may throw.
  std::function<void(std::size_t done, std::size_t all)> advance = {};
};

/// Reads the ink of a page (page_ink). Of each line (layout_of) all joins of pieces that can be a
/// character are recognised, and those are chosen whose costs sum to the least:
///
///   -log(1 - u) - log(p) / 2   of a character: u the probability that it is none, p that of its
///                              first candidate,
///   ((d / P - 1) / s)^2        of two neighbours, d from centre to centre, up to a limit, where P
///                              is the pitch of the line: the median of the distances that a first
///                              reading with a wide s finds,
///
/// and small constants of marks and of narrow characters, which have no pitch (dynamic programming
/// over the places between pieces).
ReadPage read_page(const CharacterRecogniser& recogniser, const Image<float>& ink,
                   const PageRequest& request);

/// Adds the remarks on look-alikes (KnownLookalikes::remarks).
void remark_lookalikes(ReadPage& page, const KnownLookalikes& lookalikes);

/// What stands for a prediction in text: its first candidate, or 〓 if it is unknown.
char32_t answer_of(const CharacterPrediction& prediction);
/// The text of a line, without marks, with a blank for a gap.
std::string text_of(const ReadLine& line);
/// The same of all lines, each with a line end.
std::string text_of(const ReadPage& page);

}  // namespace leafglyph
