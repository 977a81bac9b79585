// Volumes in files: .npy arrays, folders of slices, pictures of slices.
#pragma once

#include <filesystem>
#include <vector>

#include "features/image/sample_range.h"
#include "features/image/volume.h"

namespace leafglyph {

/// A volume, or an image as a volume of one slice.
struct VolumeInput {
  Volume volume;
  bool is_image = false;
  SampleRange range;
};

/// Reads a .npy array of integers, float or double with three axes (slice, row, column) or two (an
/// image); a folder whose files, in order of their names (numbers by value), are slices; or an
/// image file. Samples keep their depth, colours become grey; an array is 8-bit when it is of
/// unsigned bytes, 16-bit of unsigned 16-bit integers, else float. Throws InputError when there is
/// nothing, a slice is not an image or of another size or depth than the first (both are named),
/// FormatError for a damaged array or one of another shape.
VolumeInput read_volume(const std::filesystem::path& path);

/// Writes float values, axes slice, row, column.
void write_volume(const std::filesystem::path& path, const Volume& volume);

/// Writes an image file, values clipped to 0..peak and stretched to 0..255.
void write_picture(const std::filesystem::path& path, const Image<double>& image, double peak);

}  // namespace leafglyph
