// Files of moments, of every family: what they hold is written beside the numbers and checked when
// they are read.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/image/sample_range.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Moments of one spec, a row for each channel of each image, or for a volume.
struct MomentFile {
  MomentSpec spec;
  ArraySize size;  ///< of the arrays that the moments are of: images after padding to a square
  int width = 0;   ///< before padding
  int height = 0;
  SampleRange range;              ///< of the samples
  std::vector<std::string> rows;  ///< "name:channel" of each row
  /// Moment c of row r at values[r * moment_count() + c], in storage order; of families on the
  /// square the imaginary parts are 0.
  std::vector<std::complex<double>> values;

  std::size_t moment_count() const { return leafglyph::moment_count(spec, size); }
};

/// Writes F.npy or F.csv. Throws UsageError for another extension, Error as write_file.
///
/// F.npy is an array rows x moments: complex numbers for families on the disk, real ones for those
/// on the square. F.columns.npy beside it is an array moments x 2 of integers, n and m of each
/// column (volumes: x 3, the degrees in x, y and z), and F.npy.txt the header, in lines
/// "key: value":
///   format, convention (that of convention.h; orthonormal on the square), centre and radius (as
///   convention_from_text reads them; on the disk, image and inscribed where they are missing),
///   family, order, angular order (where it is another), method, points, mask (centre, whole; all
///   on the square; own: that of another program), repetitions (what of m < 0), width, height
///   (before padding), slices (0: an image), padded width, padded height, depth, peak (of the
///   samples), row (a line each), sha256 (of F.npy: two files are written one after the other, and
///   what interrupts that, or two programs at once, leaves the numbers of one image with the header
///   of another), header sha256 (of the lines before it).
/// F.csv holds the header in lines that start with "# ", and the columns row, n, m, re, im,
/// magnitude; for families on the square row, n, m, value; for volumes row, n, m, o, value. Its
/// line table sha256 is of all other lines; a table without it is read as it is.
void write_moment_file(const std::filesystem::path& path, const MomentFile& file);

/// The files that write_moment_file writes for `path`.
std::vector<std::filesystem::path> moment_file_parts(const std::filesystem::path& path);

/// Reads F.npy with F.npy.txt, or F.csv. Throws InputError when a file is missing, FormatError
/// when it is damaged, of another format or convention, does not hold the moments that its header
/// promises, or the array is not the one that the header was written for; UsageError for another
/// extension.
MomentFile read_moment_file(const std::filesystem::path& path);

}  // namespace leafglyph
