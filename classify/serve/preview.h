// Photographs of formats that browsers do not show, as JPEG.
#pragma once

#include <string>
#include <string_view>

namespace leafglyph {

/// The photograph as a JPEG file, its longer side at most kPreviewSide pixels, upright. Throws
/// InputError, naming `name`, when the bytes are no image that can be read.
std::string preview_jpeg(std::string_view bytes, const std::string& name);
inline constexpr int kPreviewSide = 1000;

}  // namespace leafglyph
