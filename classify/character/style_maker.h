// Makes the rows of styles that a classifier of characters is fitted to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "classify/character/character_drawing.h"
#include "classify/character/character_fit.h"
#include "classify/character/character_pictures.h"
#include "classify/character/character_rows.h"
#include "classify/character/character_spec.h"

namespace leafglyph {

/// Picture i, as ink.
using Ink = std::function<Image<float>(std::size_t i)>;
/// Rows of pictures, as rows_of makes them.
using MakeRows =
    std::function<std::vector<float>(std::size_t count, const Ink& ink, const FramesOf& frames)>;

/// Takes one source after another: a font, or the pictures of one style. Each gives clean rows, in
/// the usual frame, and spec.copies damaged ones, each in a frame that is drawn at random; some of
/// both, and `unlike` pictures of no character, in all views. `advance` hears how many rows were
/// made. All that is given must outlive it.
class StyleMaker {
 public:
  StyleMaker(const CharacterSpec& spec, std::size_t unlike, MakeRows rows,
             const std::function<void(std::size_t)>& advance);

  void add_font(const std::string& style, const FontDrawings& drawn);
  /// Throws InputError when no picture can be used.
  void add_pictures(const std::string& style, std::span<const CharacterPicture> pictures,
                    std::span<const int> labels);

  std::vector<StyleRows>& styles() { return styles_; }
  std::vector<std::string>& errors() { return errors_; }  ///< of pictures that were not used

 private:
  StyleRows& style_of(const std::string& name);
  void add(std::vector<float>& rows, std::size_t count, const Ink& ink,
           const FramesOf& frames = {});
  void add_views(std::vector<float>& rows, std::size_t count, const Ink& ink);
  void judge(StyleRows::Pictures& judged, std::size_t before, std::size_t count, std::size_t all,
             const Ink& ink);
  void add_copies(StyleRows& style, const std::vector<Drawing>& drawings,
                  const std::vector<int>& labels);

  const CharacterSpec& spec_;
  std::size_t unlike_;
  MakeRows rows_;
  const std::function<void(std::size_t)>& advance_;
  std::vector<CharacterFrame> views_;
  std::uint64_t sources_ = 0;
  std::vector<StyleRows> styles_;
  std::vector<std::string> errors_;
};

}  // namespace leafglyph
