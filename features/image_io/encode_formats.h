// Helpers shared by the writers of encode_image.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "features/base/errors.h"
#include "features/image_io/encode_image.h"

namespace leafglyph::detail {

/// Throws Error with the library's `reason`.
[[noreturn]] inline void refuse_to_write(const SampleImage& image, std::string_view format,
                                         const std::string& reason) {
  throw Error("an image of " + std::to_string(image.width) + " x " + std::to_string(image.height) +
              " pixels cannot be written as " + std::string(format) + ": " + reason);
}

/// Throws UsageError unless the samples have 8 bits.
inline const std::vector<std::uint8_t>& bytes_of(const SampleImage& image,
                                                 std::string_view format) {
  const auto* bytes = std::get_if<std::vector<std::uint8_t>>(&image.samples);
  if (bytes == nullptr) throw UsageError(std::string(format) + " files hold 8-bit samples only");
  return *bytes;
}

/// Samples per row.
inline std::size_t row_length(const SampleImage& image) {
  return static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
}

}  // namespace leafglyph::detail
