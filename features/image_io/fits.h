// Images and cubes in FITS files (FITS standard 4.0), as telescopes and optical programs write
// them.
#pragma once

#include <cstdio>
#include <filesystem>

#include "features/base/npy.h"

namespace leafglyph::detail {

/// Reads the first image of the file, from its first byte: in the primary part or in an extension.
/// The slowest axis is NAXISn, the fastest NAXIS1, so that the first row of the file is row 0;
/// leading axes of length 1 are left out. Values are BZERO + BSCALE * value; integers equal to
/// BLANK are NaN. `type` is "|u1" or "<u2" if they are integers of that kind, otherwise "<f8".
/// Messages use `path`. Throws FormatError for damaged files and those without an image, and
/// InputError as check_memory.
NpyArray<double> read_fits(std::FILE* file, const std::filesystem::path& path);

}  // namespace leafglyph::detail
