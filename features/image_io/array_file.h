// Arrays of numbers in files: .npy and FITS.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "features/base/npy.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// Whether a file is an array: by its first bytes, or by the ending .npy.
bool is_array_file(std::string_view head, const std::filesystem::path& path);
/// The same of an open file at its first byte.
bool is_array_file(std::FILE* file, const std::filesystem::path& path);

/// Reads one from an open file at its first byte. Throws as read_npy and detail::read_fits.
NpyArray<double> read_array_file(std::FILE* file, const std::filesystem::path& path);

/// The depth of images in an array, by its type.
SampleDepth depth_of_array(std::string_view type);

}  // namespace leafglyph
