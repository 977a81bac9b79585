// The inner loops of the separable transform of batches, with polynomials from tables, compiled
// once per instruction set and chosen at run time.
//
// Polynomials are stored by parity of k: entry i of parity p is k = 2 i + p. Rows of such entries
// are padded with 0 to whole cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace leafglyph {

/// Pairs of columns that are folded and multiplied at a time.
inline constexpr std::size_t kColumnChunk = 128;

/// Number of images whose sums across lines stay in registers.
inline constexpr std::size_t kCrossImages = 8;

/// Distance between two rows of folded values: the columns and one cache line more, because rows
/// would otherwise compete for the same places in the cache.
template <class T>
inline constexpr std::size_t kFoldedStride = kColumnChunk + 64 / sizeof(T);

/// The first pixels of a pair of rows: a and c are to the right of x = 0, in the upper and the
/// lower row; b and d are to the left and are read leftwards. `next` is the distance to the next
/// pair of rows, for a prefetch: backwards from a and b, forwards from c and d; 0 if there is no
/// next pair.
template <class T>
struct FoldSource {
  const T* a;
  const T* b;
  const T* c;
  const T* d;
  std::ptrdiff_t next;
};

/// Multiplies rows of folded values [row][kFoldedStride] by a table [column][width] into
/// out[row][width].
template <class T>
struct LineProduct {
  std::size_t rows;
  std::size_t columns;
  const T* folded;
  const T* table;
  std::size_t width;  ///< a multiple of a cache line
  T* out;
  bool add;  ///< adds to what `out` already holds
};

/// Sums across lines for one degree and one parity of k: to `out` of image b adds the sum over
/// lines l of table[l] carried[l][b].
template <class T>
struct CrossProduct {
  std::size_t images;
  std::size_t lines;
  std::size_t width;
  const T* table;
  std::size_t table_stride;
  const T* carried;
  std::size_t carried_line;   ///< distance between two lines
  std::size_t carried_image;  ///< distance between two images
  T* out;
  std::size_t out_image;
};

/// The rotation of one degree and parity: out[b][m] = sum over i of values[b][i] table[i][m].
template <class T>
struct DegreeProduct {
  std::size_t images;
  std::size_t terms;
  std::size_t width;
  std::size_t table_stride;
  const T* table;
  const T* values;
  std::size_t values_image;
  T* out;  ///< [image][width]
};

template <class In, class T>
using ColumnFold = void (*)(const FoldSource<In>&, std::size_t columns, T* even, T* odd);

template <class T>
struct TableKernels {
  /// Folds `columns` pairs of pixels. Values even in x go to `even` (even in y) and
  /// even + kFoldedStride (odd in y); values odd in x go to `odd` and odd + kFoldedStride likewise.
  std::tuple<ColumnFold<std::uint8_t, T>, ColumnFold<std::uint16_t, T>, ColumnFold<float, T>,
             ColumnFold<double, T>>
      folds;
  void (*line_product)(const LineProduct<T>&);
  void (*cross_product)(const CrossProduct<T>&);
  void (*degree_product)(const DegreeProduct<T>&);
  /// out[i] = sqrt(re[i]^2 + im[i]^2)
  void (*magnitudes)(std::size_t count, const T* re, const T* im, float* out);

  template <class In>
  void fold(const FoldSource<In>& from, std::size_t columns, T* even, T* odd) const {
    std::get<ColumnFold<In, T>>(folds)(from, columns, even, odd);
  }
};

/// The fastest kernels that this processor can run.
template <class T>
const TableKernels<T>& table_kernels();

}  // namespace leafglyph
