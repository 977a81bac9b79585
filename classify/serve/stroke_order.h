// The order in which the strokes of characters are written, from a folder of the user's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace leafglyph {

/// A folder in the form of the npm package hanzi-writer-data: a file CHARACTER.json for each
/// character, with "strokes", outlines of its strokes in order as paths of SVG, in a square of 1024
/// units with y upwards from -124.
class StrokeOrder {
 public:
  /// An empty path: no character has strokes. Throws InputError when the folder has none of
  /// 一.json.
  explicit StrokeOrder(std::filesystem::path folder);

  bool is_there() const { return !folder_.empty(); }
  /// The outlines of a character's strokes; empty where the folder does not have it. Throws
  /// FormatError for a file of another form.
  std::vector<std::string> strokes(char32_t character) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace leafglyph
