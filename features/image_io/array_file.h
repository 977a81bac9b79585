// Arrays of numbers in files: .npy, FITS, NIfTI and MRC.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/npy.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// The kinds of pictures and arrays differ in their first bytes, so many at most.
inline constexpr std::size_t kHeadBytes = 352;

/// Whether a file is an array: by its first bytes, or by the ending .npy.
bool is_array_file(std::string_view head, const std::filesystem::path& path);
/// The same of an open file at its first byte.
bool is_array_file(std::FILE* file, const std::filesystem::path& path);

/// Reads one from an open file at its first byte. Throws as read_npy, detail::read_fits,
/// detail::read_nifti and detail::read_mrc. Where the sides of a volume are of different lengths in
/// space, as its file says, `notes` gets a sentence.
NpyArray<double> read_array_file(std::FILE* file, const std::filesystem::path& path,
                                 std::vector<std::string>* notes = nullptr);

/// The depth of images in an array, by its type.
SampleDepth depth_of_array(std::string_view type);

}  // namespace leafglyph
