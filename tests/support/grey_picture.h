// A small picture of grey values, and what files of it are read as.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "features/image_io/decode_image.h"
#include "tests/support/sample_values.h"

namespace leafglyph::testing {

inline constexpr int kGreysWidth = 17, kGreysHeight = 16;

// Grey values that cover 0 to 255.
inline std::vector<double> greys() {
  std::vector<double> values;
  for (int i = 0; i < kGreysWidth * kGreysHeight; ++i) values.push_back((i * 7) % 256);
  return values;
}

// Of the bytes of a file: a name alone would be that of one.
inline SampleImage samples(std::string_view bytes, const char* name = "a.tif") {
  return decode_samples(bytes, std::filesystem::path(name));
}
inline std::vector<double> picture(std::string_view bytes, const char* name = "a.tif",
                                   int bits = 0) {
  return values_of(decode_picture(bytes, std::filesystem::path(name), 1000, false, nullptr, bits));
}

}  // namespace leafglyph::testing
