// Files of moments: what they hold is written beside the numbers and checked when they are read.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/sample_range.h"
#include "features/moments/moment_spec.h"

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

/// A header in lines that start with "# " (key: value; format, convention, family, order, method,
/// points, mask, size, depth, peak, rows; without depth and peak it is read as one of 8-bit
/// images), then columns row, n, m, re, im, magnitude.
std::string moment_csv(const MomentFile& file);

/// The content of F.npy, complex, rows x moments; its header stands in header_path().
std::string moment_npy(const MomentFile& file);

/// The content of F.npy's side file: the header of moment_csv as lines "key: value", and the
/// SHA-256 of `npy`, the content of F.npy. Write F.npy first.
std::string moment_side_file(const MomentFile& file, std::string_view npy);

/// The side file of F.npy: F.npy.txt.
std::filesystem::path header_path(const std::filesystem::path& npy);

/// Throws FormatError, which says what to do, unless the content of F.npy has the SHA-256 that its
/// side file states: two files are written one after the other, and what interrupts that, or two
/// programs at once, leaves the numbers of one image with the header of another.
void check_belongs_to_header(const std::filesystem::path& npy, std::string_view content,
                             std::string_view stated_sha256);

/// Reads F.npy with its side file, or F.csv. Throws InputError when a file is missing, FormatError
/// when it is damaged, of another format or convention, does not hold the moments that its header
/// promises, or the array is not the one that the header was written for (a side file of format
/// leafglyph-moments-1 has no digest, so that nobody knows, and is refused); UsageError for another
/// extension.
MomentFile read_moment_file(const std::filesystem::path& path);

}  // namespace leafglyph
