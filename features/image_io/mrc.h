// Volumes in MRC2014 files (Cheng and others 2015), as electron microscopes and their programs
// write them: .mrc, .map, .ccp4.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string_view>

#include "features/image_io/nifti.h"

namespace leafglyph::detail {

/// Whether a file begins so.
bool is_mrc(std::string_view head);

/// Reads the file from its first byte: sections, rows and columns as they are stored, whatever axes
/// of the crystal they are, a single section as an image. `type` is "<u2" for unsigned integers,
/// otherwise "<f8"; voxels are measured in angstrom. Messages use `path`. Throws FormatError for
/// damaged files and for complex numbers, and InputError as check_memory.
MeasuredVolume read_mrc(std::FILE* file, const std::filesystem::path& path);

}  // namespace leafglyph::detail
