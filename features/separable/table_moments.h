// Zernike moments of batches of images, with polynomials from tables.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/base/aligned_vector.h"
#include "features/image/image.h"
#include "features/separable/disk_lines.h"

namespace leafglyph {

/// The separable transform as three products per tile of images, with T float or double. The table
/// of the first product holds the integral of each Legendre polynomial along a line over each
/// pixel, so a line costs the same under every rule. Threads share the tiles. The results for an
/// image do not depend on the other images of its tile. Immutable.
template <class T>
class TableMoments {
 public:
  explicit TableMoments(const DiskRule& rule);

  /// The stored moments of every image, one image after another. Arguments are not checked.
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments) const;
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes) const;

  /// Bytes of a plan. Grows as N^2 T and with the number of lines that the method needs.
  static double bytes(const DiskLines& lines);

 private:
  struct Tile;
  void fill_line(std::size_t line);
  void group_lines();
  void fill_cross(std::size_t group);
  void fill_rotation();
  void sum_tile(const ImageBatch& tile, Tile& work) const;
  void sum_row(const ImageBatch& images, std::size_t first_line, std::size_t last_line,
               std::size_t slot, Tile& work) const;
  void fold(const ImageBatch& images, std::size_t v, std::size_t first_column, std::size_t columns,
            T* folded) const;
  void cross_lines(std::size_t group, std::size_t images, Tile& work) const;
  template <class Write>
  void for_each_degree(const ImageBatch& images, const Write& write) const;

  DiskLines lines_;
  std::size_t order_;
  std::size_t width_;                   // padded entries of one parity of k
  std::vector<std::size_t> offsets_;    // of each line in along_
  AlignedVector<T> along_;              // [line][parity][column][width]
  std::vector<std::size_t> crossings_;  // first line of each group that is summed across together
  AlignedVector<T> across_;             // [group][n][parity][line][width]
  AlignedVector<T> rotations_;          // [n][parity][i][width]
};

}  // namespace leafglyph
