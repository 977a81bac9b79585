// Pictures of single characters in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// A picture whose character is known.
struct CharacterPicture {
  std::string file;   ///< or the name of `grey`, for messages
  std::string style;  ///< a writer, a type: what pictures have in common beside the character
  char32_t character = 0;
  Image<std::uint8_t> grey = {};  ///< the picture itself; empty: it is in the file
};

struct CharacterPictures {
  std::vector<CharacterPicture> pictures;  ///< folder by folder, in the order of their paths
  std::vector<std::string> warnings;       ///< about files that are skipped
};

/// The pictures FOLDER/CHARACTER/*.png and FOLDER/STYLE/CHARACTER/*.png: a folder is named by its
/// character or the code of it, 永 or U+6C38. Without a folder of their own the style of pictures
/// is named by FOLDER; styles of the same name are one. Throws InputError when a folder cannot be
/// read or holds no picture, or the folder of a picture is not named so.
CharacterPictures load_character_folders(std::span<const std::string> folders);

/// How many styles there are among them.
std::size_t count_styles(std::span<const CharacterPicture> pictures);

/// How pictures of characters are read: light strokes on a transparent ground stay visible.
PhotographRequest character_request();

/// The ink in files that could be read.
struct ReadInks {
  std::vector<Image<float>> inks;
  std::vector<std::size_t> files;   ///< of each, its number
  std::vector<std::string> errors;  ///< a line for each other file
};
ReadInks read_inks(std::span<const std::string> files);
ReadInks read_inks(std::span<const CharacterPicture> pictures);

}  // namespace leafglyph
