// The inner loops of the separable transform of batches, whose polynomials stand in tables,
// compiled once for each instruction set and chosen at run time.
//
// Polynomials are kept by parity of k: entry i of parity p is k = 2 i + p. Rows of such entries are
// filled up with 0 to whole cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace leafglyph {

/// Pairs of columns that are folded and multiplied at a time.
inline constexpr std::size_t kColumnChunk = 128;

/// Images whose sums across lines stay in registers.
inline constexpr std::size_t kCrossImages = 8;

/// Distance of two rows of folded values. A cache line more than the columns: rows would otherwise
/// compete for the same places in the cache.
template <class T>
inline constexpr std::size_t kFoldedStride = kColumnChunk + 64 / sizeof(T);

/// The first pixels of a pair of rows, and how far it is to the next pair for a prefetch (a, b down
/// by `next`, c, d up by it; 0: there is none): a, c of the upper and lower one to the right of x =
/// 0, b, d to the left, which are read towards the left.
template <class T>
struct FoldSource {
  const T* a;
  const T* b;
  const T* c;
  const T* d;
  std::size_t next;
};

/// Rows of folded values [row][kFoldedStride] times a table [column][width], to out[row][width].
template <class T>
struct LineProduct {
  std::size_t rows;
  std::size_t columns;
  const T* folded;
  const T* table;
  std::size_t width;  ///< a multiple of a cache line
  T* out;
  bool add;  ///< to what out holds already
};

/// Sums across lines, for one degree and one parity of k: out of image b += sum over lines l of
/// table[l] carried[l][b].
template <class T>
struct CrossProduct {
  std::size_t images;
  std::size_t lines;
  std::size_t width;
  const T* table;
  std::size_t table_stride;
  const T* carried;
  std::size_t carried_line;   ///< distance of two lines
  std::size_t carried_image;  ///< distance of two images
  T* out;
  std::size_t out_image;
};

/// The rotation of one degree and parity: out[b][m] += sum over i of values[b][i] table[i][m].
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
  /// Folded values of `columns` pairs: even in x to even, even + kFoldedStride (odd in y), odd in
  /// x to odd, odd + kFoldedStride.
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
