// Files of moments: what they hold is written beside the numbers and checked when they are read.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "features/moment_spec.h"
#include "features/sample_range.h"

namespace leafglyph {

/// Images are padded to squares of up to this side: 64 million pixels.
inline constexpr int kMaxSquareSide = 8192;

/// Moments of one spec, a row for each channel of each image.
struct MomentFile {
  MomentSpec spec;
  int image_size = 0;  ///< N: the images' size after padding to a square
  int width = 0;       ///< before padding
  int height = 0;
  SampleRange range;              ///< of the images' samples
  std::vector<std::string> rows;  ///< "name:channel" of each row
  /// Moment c of row r at values[r * moment_count + c], in the order of moment_indices.
  std::vector<std::complex<double>> values;

  std::size_t moment_count() const { return leafglyph::moment_count(spec.family, spec.order); }
};

/// Lines "key: value": format, convention, family, order, method, points, mask, size, depth, peak,
/// rows. A file without depth and peak is read as one of 8-bit images.
std::string moment_header(const MomentFile& file);

/// The header in lines that start with "# ", then columns row, n, m, re, im, magnitude.
std::string moment_csv(const MomentFile& file);

/// The array of a .npy file, complex, rows x moments; its header stands in header_path().
std::string moment_npy(const MomentFile& file);

/// The side file of F.npy: F.npy.txt.
std::filesystem::path header_path(const std::filesystem::path& npy);

/// Reads F.npy with its side file, or F.csv. Throws InputError when a file is missing, FormatError
/// when it is damaged, of another format or convention, or does not hold the moments that its
/// header promises; UsageError for another extension.
MomentFile read_moment_file(const std::filesystem::path& path);

}  // namespace leafglyph
