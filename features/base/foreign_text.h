// Text files that people and other programs write: their encodings and ends of lines.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// A text as UTF-8 with lines that end in LF.
struct ForeignText {
  std::string text;
  /// A line for people where that is a guess or a loss: "FILE: read as GB 18030", or that some
  /// bytes are not UTF-8. Empty otherwise.
  std::string note;
};

/// The text of a file: UTF-8, UTF-16 of either byte order, or GB 18030; with or without a byte
/// order mark; lines end in LF, CR LF or CR. A text that is not UTF-8 counts as GB 18030 if its
/// pairs of bytes are those of Chinese text: such as are common there, not the accents of Latin-1.
/// Bytes of any other text stay as they are, so that names of files do. `file` stands for it in
/// messages. Throws InputError for UTF-16 that ends within a character or has unpaired surrogates.
ForeignText foreign_text(std::string bytes, const std::string& file);

}  // namespace leafglyph
