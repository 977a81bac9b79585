#include "classify/serve/qr_code.h"

#include <fmt/format.h>

#ifdef LEAFGLYPH_QRENCODE
#include <qrencode.h>

#include <memory>

#include "features/base/errors.h"
#endif

namespace leafglyph {
namespace {

constexpr int kBorder = 2;  // modules around a code on a terminal

}  // namespace

bool QrCode::is_dark(int row, int column) const {
  const bool inside = row >= 0 && row < side && column >= 0 && column < side;
  return inside && modules[static_cast<std::size_t>(row) * side + column] == '1';
}

// Light modules are drawn, because terminals are mostly dark.
std::string QrCode::text() const {
  std::string text;
  if (side == 0) return text;
  for (int row = -kBorder; row < side + kBorder; row += 2) {
    for (int column = -kBorder; column < side + kBorder; ++column) {
      const bool upper = !is_dark(row, column), lower = !is_dark(row + 1, column);
      text += upper ? (lower ? "\u2588" : "\u2580") : (lower ? "\u2584" : " ");
    }
    text += '\n';
  }
  return text;
}

std::string QrCode::path() const {
  std::string path;
  for (int row = 0; row < side; ++row) {
    for (int column = 0; column < side; ++column) {
      if (is_dark(row, column)) path += fmt::format("M{} {}h1v1h-1z", column, row);
    }
  }
  return path;
}

#ifdef LEAFGLYPH_QRENCODE
QrCode qr_code(const std::string& text) {
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> made(
      QRcode_encodeString(text.c_str(), /*version=*/0, QR_ECLEVEL_M, QR_MODE_8,
                          /*casesensitive=*/1),
      &QRcode_free);
  if (!made) throw Error("the text is too long for a QR code");
  QrCode code{made->width, ""};
  for (int i = 0; i < made->width * made->width; ++i) {
    code.modules += (made->data[i] & 1) != 0 ? '1' : '0';
  }
  return code;
}
#else
QrCode qr_code(const std::string&) { return {}; }
#endif

}  // namespace leafglyph
