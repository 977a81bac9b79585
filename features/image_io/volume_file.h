// Reads and writes volumes: .npy arrays, FITS cubes and NIfTI volumes, folders of slices, and
// pictures of slices.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/sample_range.h"
#include "features/image/volume.h"

namespace leafglyph {

/// A volume. An image is a volume with one slice.
struct VolumeInput {
  Volume volume;
  bool is_image = false;
  SampleRange range;
  std::vector<std::string> notes =
      {};  ///< SampleImage::notes of the first slice, or of read_array_file
};

/// Reads a .npy, FITS, NIfTI or MRC array of numbers with three axes (slice, row, column) or two
/// (an image); a folder whose files are slices, in natural order of their names (numbers by value);
/// a TIFF file whose pages are slices; or an image file. Samples keep their depth, and colours
/// become grey. An array of unsigned bytes is 8-bit, one of unsigned 16-bit integers 16-bit, any
/// other float. Throws InputError if there is no input, or a slice is not an image or differs from
/// the first in size or depth (the message names both); FormatError for a damaged array or one of
/// another shape.
VolumeInput read_volume(const std::filesystem::path& path);

/// The same of the bytes of an array; messages use `path`. Throws FormatError for any other file
/// and for an array that is not a volume.
VolumeInput read_volume(std::string_view bytes, const std::filesystem::path& path);

/// Writes float values with axes slice, row, column.
void write_volume(const std::filesystem::path& path, const Volume& volume);

/// Writes an image file. Values are clipped to 0..peak and scaled to 0..255.
void write_picture(const std::filesystem::path& path, const Image<double>& image, double peak);

}  // namespace leafglyph
