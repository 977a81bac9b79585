// Volumes in NIfTI-1 and NIfTI-2 files, as brain scanners and microscopes write them. libnifti
// reads files by their names alone, and believes what their headers say of sizes.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "features/base/npy.h"

namespace leafglyph::detail {

/// Whether a file in one part, or one packed by gzip with an ending in .nii.gz, begins so.
bool is_nifti(std::string_view head, const std::filesystem::path& path);

/// The values of a volume, and how large a voxel is in x, y and z, 0 where the file does not say;
/// the unit after a blank (" mm"), or nothing.
struct MeasuredVolume {
  NpyArray<double> array;
  std::array<double, 3> voxel = {};
  std::string unit;
};

/// Reads the file from its first byte. The slowest axis is the last one of the header, the fastest
/// the first (x); leading axes of length 1 are left out. Values are slope * value + intercept where
/// the slope is not 0. `type` is "|u1" or "<u2" if they are integers of that kind, otherwise "<f8".
/// No more is unpacked than the header says. Messages use `path`. Throws FormatError for damaged
/// files and for colours and complex numbers, and InputError as check_memory.
MeasuredVolume read_nifti(std::FILE* file, const std::filesystem::path& path);

}  // namespace leafglyph::detail
