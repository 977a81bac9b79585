// Where the lines of a page of text are, and the pieces that their characters consist of.
#pragma once

#include <optional>
#include <vector>

#include "features/base/names.h"
#include "features/glyph/page_ink.h"

namespace leafglyph {

/// Lines from left to right, the first at the top; or from top to bottom, the first on the right.
enum class TextDirection { kHorizontal, kVertical };
template <>
inline constexpr Names<TextDirection, 2> kNamesOf<TextDirection> = {
    "direction",
    {{{TextDirection::kHorizontal, "horizontal"}, {TextDirection::kVertical, "vertical"}}}};

/// A box as a reader of the direction meets it: `along` the lines, from the start of each, and
/// `across` them, from the first line.
struct TextBox {
  RowSpan along, across;
  int length() const { return along.last - along.first + 1; }
  int height() const { return across.last - across.first + 1; }
};
TextBox joined(const TextBox& a, const TextBox& b);

/// Both ways between boxes of a picture of this width and those of its reader.
TextBox text_box(const MaskBox& box, TextDirection direction, int width);
MaskBox mask_box(const TextBox& box, TextDirection direction, int width);

/// What is never divided: parts that lie over each other across the line, or, where characters
/// touch, the pixels of such parts within `along`. A character is one or several pieces.
struct TextPiece {
  TextBox box;
  std::vector<std::size_t> parts;  ///< of InkParts, in ascending order
  bool cut = false;                ///< whether it has only a part of their pixels
};

struct TextLine {
  double height = 0;              ///< H: of its larger characters, across the line, in pixels
  std::vector<TextPiece> pieces;  ///< as they follow each other
};

struct PageLayout {
  TextDirection direction = TextDirection::kHorizontal;
  TurnedInk page;  ///< straightened: what all boxes are in
  InkParts ink;    ///< of it
  std::vector<TextLine> lines;
};

/// The layout of the ink of a page (page_ink) of one column of text whose lines are straight and
/// tilted by at most 3.5 degrees. The direction, unless it is given, is that in which ink that is
/// smeared by a part of a character joins to longer rows; the tilt is that for which the profile of
/// the lines is steepest. Lines are runs of this profile; where characters touch, pieces longer
/// than one are divided at minima of their ink. Specks, rules and frames are left out. No lines if
/// nothing else is there.
PageLayout layout_of(const Image<float>& ink, std::optional<TextDirection> direction);

}  // namespace leafglyph
