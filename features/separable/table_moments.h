// Zernike moments of batches of images, with polynomials from tables.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "features/image/image.h"
#include "features/separable/aligned_vector.h"
#include "features/separable/disk_lines.h"

namespace leafglyph {

/// The separable transform as three products a tile of images, T being float or double. In the
/// first one a pixel's integral of each Legendre polynomial along a line stands in the table, so
/// that every rule costs the same for a line. Threads share the tiles; an image's results do not
/// depend on what is in its tile. Immutable.
template <class T>
class TableMoments {
 public:
  explicit TableMoments(const DiskRule& rule);

  /// The stored moments of every image, one image after the other; not checked.
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments) const;
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes) const;

  /// Of a plan. Grows as N^2 T, and with the lines that the method needs.
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
  std::size_t width_;                   // entries of one parity of k
  std::vector<std::size_t> offsets_;    // of each line in along_
  AlignedVector<T> along_;              // [line][parity][column][width]
  std::vector<std::size_t> crossings_;  // first line of every group that is summed across together
  AlignedVector<T> across_;             // [group][n][parity][line][width]
  AlignedVector<T> rotations_;          // [n][parity][i][width]
};

}  // namespace leafglyph
