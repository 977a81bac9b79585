// QR codes, which a phone's camera reads.
#pragma once

#include <string>

namespace leafglyph {

/// The square of a code: side x side modules, row by row; true is dark.
struct QrCode {
  int side = 0;         ///< 0: LeafGlyph was built without libqrencode
  std::string modules;  ///< one byte each, '1' or '0'

  bool is_dark(int row, int column) const;
  /// Lines for a terminal, two rows of modules per line, with a light border.
  std::string text() const;
  /// An SVG path in units of modules, without the border.
  std::string path() const;
};

/// Throws Error when the text is too long.
QrCode qr_code(const std::string& text);

}  // namespace leafglyph
