// Files of moments of every family. A description of the contents is stored with the numbers and
// checked on reading.
#pragma once

#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/image/sample_range.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Moments of one spec: one row per channel of each image, or one row for a volume.
struct MomentFile {
  MomentSpec spec;
  ArraySize size;  ///< of the arrays the moments belong to: images after padding to a square
  int width = 0;   ///< before padding
  int height = 0;
  SampleRange range;              ///< of the samples
  std::vector<std::string> rows;  ///< "name:channel" of each row
  /// Moment c of row r is at values[r * moment_count() + c], in storage order. For families on the
  /// square the imaginary parts are 0.
  std::vector<std::complex<double>> values;

  std::size_t moment_count() const { return leafglyph::moment_count(spec, size); }
};

/// Writes F.npy or F.csv. Throws UsageError for another extension, Error as write_file.
///
/// F.npy is an array rows x moments, of complex numbers for families on the disk and the ball and
/// real ones for families on the square. Beside it, F.columns.npy is an array moments x 2 of
/// integers, n and m of each column (for volumes x 3, the degrees in x, y and z; on the ball n, l
/// and m). F.npy.txt is the header, in lines "key: value":
///   format, convention (a name from convention.h; orthonormal on the square, novotni-klein on the
///   ball), centre and radius (as convention_from_text reads them; on the disk, image and inscribed
///   if missing), family, order, angular order (if it differs from the order), method, points, mask
///   (centre, whole; all on the square; centre on the ball; own for another program's mask),
///   repetitions (how m < 0 follows), width, height (before padding), slices (0: an image), padded
///   width, padded height, depth, peak (of the samples), row (one line each), sha256 (of F.npy; the
///   files are written one after another, so an interruption or a second program may combine the
///   numbers of one image with the header of another), header sha256 (of the lines before it).
/// F.csv holds the header in lines that start with "# ", and the columns row, n, m, re, im,
/// magnitude; for families on the square row, n, m, value; for volumes row, n, m, o, value, on the
/// ball row, n, l, m, re, im, magnitude. It is
/// for other programs, and not read back.
void write_moment_file(const std::filesystem::path& path, const MomentFile& file);

/// The files that write_moment_file writes for `path`.
std::vector<std::filesystem::path> moment_file_parts(const std::filesystem::path& path);

/// Reads F.npy with F.npy.txt. Throws InputError when a file is missing. Throws
/// FormatError when a file is damaged, has another format or convention, does not hold the moments
/// that its header states, or when the array is not the one that the header was written for. Throws
/// UsageError for another extension.
MomentFile read_moment_file(const std::filesystem::path& path);

}  // namespace leafglyph
