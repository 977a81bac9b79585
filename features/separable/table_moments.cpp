#include "features/separable/table_moments.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "features/base/threads.h"
#include "features/separable/degree_rotation.h"
#include "features/separable/line_basis.h"
#include "features/separable/table_kernels.h"

namespace leafglyph {
namespace {

// Images that are folded and multiplied together; they form the rows of one product. Each has two
// rows, even and odd in y: 24, as many as the running sums of table_kernels.cpp with 32 registers.
constexpr std::size_t kProductImages = 12;
// Most images in a tile. A row's table is read from the outer caches once per tile.
constexpr std::size_t kTableImages = 4 * kProductImages;
// Most lines in one product across lines. What they carry for a tile takes 786 KB for order 60 in
// double.
constexpr std::size_t kCrossLines = 16;

template <class T>
std::size_t whole_lines(std::size_t count) {
  constexpr std::size_t kEntries = kCacheLine / sizeof(T);
  return (count + kEntries - 1) / kEntries * kEntries;
}

// values[k + 1] = P_k(t) for k <= order + 1, and values[0] = 0 for k = -1.
void legendre(std::size_t order, double t, std::vector<double>& values) {
  values.resize(order + 3);
  values[0] = 0.0;
  values[1] = 1.0;
  values[2] = t;
  for (std::size_t k = 1; k <= order; ++k) {
    const auto d = static_cast<double>(k);
    values[k + 2] = ((2 * d + 1) * t * values[k + 1] - d * values[k]) / (d + 1);
  }
}

// Integrals of every P_k(x / s) over the pairs of columns along a line: calls
// add(column, k, value), possibly several times per pair. The exact method uses that the integral
// of P_k is (P_{k+1} - P_{k-1}) / (2 k + 1).
template <class Add>
void for_integrals(const DiskLines& lines, const DiskLine& line, std::size_t order,
                   const Add& add) {
  std::vector<double> values;
  if (!lines.is_exact()) {
    for (std::size_t p = 0; p < line.places; ++p) {
      legendre(order, std::min(1.0, lines.x()[p] / line.half_chord), values);
      for (std::size_t k = 0; k <= order; ++k) {
        add(lines.column()[p], k, lines.weight()[p] * values[k + 1]);
      }
    }
    return;
  }
  const std::size_t columns = std::min(line.places, lines.columns(line.row));
  for (std::size_t e = 0; e <= columns; ++e) {
    const double t = std::min(1.0, lines.x()[e] / line.half_chord);
    legendre(order, t, values);
    for (std::size_t k = 0; k <= order; ++k) {
      const double below = k == 0 ? 0.0 : values[k];
      const double integral =
          line.half_chord * (values[k + 2] - below) / (2.0 * static_cast<double>(k) + 1.0);
      if (e < columns) add(e, k, -integral);
      if (e > 0) add(e - 1, k, integral);
    }
  }
}

// Calls take(n, k, phi_nk(y)) for 0 <= k <= n <= order, by the recurrence of line_basis.h.
template <class Take>
void koornwinder_values(const DiskLine& line, std::size_t order, const Take& take) {
  double lowest = std::sqrt(std::numbers::inv_pi);
  for (std::size_t k = 0; k <= order; ++k) {
    const auto degree = static_cast<double>(k);
    double before = 0.0;
    double current = lowest;
    double a = 0.0;
    for (std::size_t n = k; n <= order; ++n) {
      take(n, k, current);
      const double next_a = koornwinder_coefficient(static_cast<double>(n - k + 1), degree);
      const double next = (line.y * current - a * before) / next_a;
      before = current;
      current = next;
      a = next_a;
    }
    lowest *= line.half_chord * std::sqrt(2 * (degree + 2) / (2 * degree + 1));
  }
}

// One past the last consecutive line in the same row as line `first`, at most kCrossLines lines on.
std::size_t end_of_row(const std::vector<DiskLine>& lines, std::size_t first) {
  std::size_t last = first + 1;
  while (last < lines.size() && lines[last].row == lines[first].row && last - first < kCrossLines) {
    ++last;
  }
  return last;
}

template <class T>
FoldSource<T> fold_source(const T* pixels, std::ptrdiff_t size, std::ptrdiff_t row_step,
                          std::size_t v, std::size_t first_column) {
  const std::ptrdiff_t lower = size / 2 + static_cast<std::ptrdiff_t>(v);
  const std::ptrdiff_t right = size / 2 + static_cast<std::ptrdiff_t>(first_column);
  const T* upper_row = pixels + (size - 1 - lower) * row_step;
  const T* lower_row = pixels + lower * row_step;
  return {upper_row + right, upper_row + (size - 1 - right), lower_row + right,
          lower_row + (size - 1 - right), lower + 1 < size ? row_step : 0};
}

}  // namespace

template <class T>
struct TableMoments<T>::Tile {
  AlignedVector<T> folded;   // [parity of x][image][parity of y][kFoldedStride]
  AlignedVector<T> carried;  // [line][parity of k][image][parity of y][width]
  AlignedVector<T> sums;     // [image][n][parity of k][width]
  AlignedVector<T> parts;    // [parity][image][width]
  std::size_t carried_line;
};

template <class T>
TableMoments<T>::TableMoments(const DiskRule& rule)
    : lines_(rule),
      order_(static_cast<std::size_t>(rule.order)),
      width_(whole_lines<T>(order_ / 2 + 1)),
      offsets_(1, 0) {
  for (const DiskLine& line : lines_.lines()) {
    offsets_.push_back(offsets_.back() + 2 * lines_.columns(line.row) * width_);
  }
  along_.resize(offsets_.back());
  across_.resize(lines_.lines().size() * (order_ + 1) * 2 * width_);
  parallel_for(lines_.lines().size(), [&](std::size_t line) { fill_line(line); });
  group_lines();
  parallel_for(crossings_.size() - 1, [&](std::size_t group) { fill_cross(group); });
  fill_rotation();
}

template <class T>
double TableMoments<T>::bytes(const DiskLines& lines) {
  const auto order = static_cast<std::size_t>(lines.rule().order);
  const auto width = static_cast<double>(whole_lines<T>(order / 2 + 1));
  std::size_t rows = (order + 1) * lines.lines().size();
  for (const DiskLine& line : lines.lines()) rows += lines.columns(line.row);
  for (std::size_t n = 0; n <= order; ++n) rows += n / 2 + 1;
  return 2 * static_cast<double>(rows) * width * sizeof(T);
}

template <class T>
void TableMoments<T>::fill_line(std::size_t index) {
  const DiskLine& line = lines_.lines()[index];
  const std::size_t columns = lines_.columns(line.row);
  std::vector<double> sums(2 * columns * width_, 0.0);
  for_integrals(lines_, line, order_, [&](std::size_t column, std::size_t k, double value) {
    sums[(k % 2 * columns + column) * width_ + k / 2] += value;
  });
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // The weight across the lines is in the table, so that no image is multiplied by it.
    along_[offsets_[index] + i] = static_cast<T>(line.weight * sums[i]);
  }
}

// Groups lines for the products across them. Lines of one row stay together unless there are too
// many.
template <class T>
void TableMoments<T>::group_lines() {
  const auto& lines = lines_.lines();
  crossings_ = {0};
  for (std::size_t first = 0; first < lines.size();) {
    const std::size_t last = end_of_row(lines, first);
    if (last - crossings_.back() > kCrossLines) crossings_.push_back(first);
    first = last;
  }
  crossings_.push_back(lines.size());
}

template <class T>
void TableMoments<T>::fill_cross(std::size_t group) {
  const std::size_t first = crossings_[group];
  const std::size_t count = crossings_[group + 1] - first;
  for (std::size_t l = 0; l < count; ++l) {
    T* const table = across_.data() + (first * (order_ + 1) * 2 + l) * width_;
    koornwinder_values(lines_.lines()[first + l], order_,
                       [&](std::size_t n, std::size_t k, double value) {
                         table[(2 * n + k % 2) * count * width_ + k / 2] = static_cast<T>(value);
                       });
  }
}

template <class T>
void TableMoments<T>::fill_rotation() {
  const DegreeRotation rotation(static_cast<int>(order_));
  rotations_.resize((order_ + 1) * 2 * (order_ / 2 + 1) * width_);
  std::vector<double> in(rotation.padded_terms());
  std::vector<double> out(rotation.padded_terms());
  for (int n = 0; n <= static_cast<int>(order_); ++n) {
    for (int parity = 0; parity < 2 && parity <= n; ++parity) {
      const auto scale = rotation.scale(n, parity);
      T* table =
          rotations_.data() + static_cast<std::size_t>(2 * n + parity) * (order_ / 2 + 1) * width_;
      // For both parts, entry c is m = n mod 2 + 2 c.
      const std::size_t first = parity == 1 && n % 2 == 0 ? 1 : 0;
      for (std::size_t i = 0; i < scale.size(); ++i, table += width_) {
        std::fill(in.begin(), in.end(), 0.0);
        // The recurrence yields the rotation applied to a vector; applied to unit vectors, its
        // columns.
        in[i] = scale[i];
        rotation.sums(n, parity, in.data(), out.data());
        for (std::size_t c = 0; c < scale.size(); ++c) {
          const int m = n % 2 + 2 * static_cast<int>(c + first);
          table[c + first] = static_cast<T>(zernike_norm(n, m) * out[c]);
        }
      }
    }
  }
}

template <class T>
void TableMoments<T>::fold(const ImageBatch& images, std::size_t v, std::size_t first_column,
                           std::size_t columns, T* folded) const {
  const TableKernels<T>& kernels = table_kernels<T>();
  for (std::size_t b = 0; b < images.count; ++b) {
    const ImageBatch image = images.slice(b, 1);
    T* even = folded + 2 * b * kFoldedStride<T>;
    T* odd = even + 2 * kProductImages * kFoldedStride<T>;
    with_pixels(image.type, image.pixels, [&](const auto* pixels) {
      kernels.fold(fold_source(pixels, image.size.width, image.row_step(), v, first_column),
                   columns, even, odd);
    });
  }
}

// Sums the lines of one pair of rows into the carried values, starting at `slot`.
template <class T>
void TableMoments<T>::sum_row(const ImageBatch& images, std::size_t first_line,
                              std::size_t last_line, std::size_t slot, Tile& work) const {
  const TableKernels<T>& kernels = table_kernels<T>();
  const std::size_t v = lines_.lines()[first_line].row;
  const std::size_t columns = lines_.columns(v);
  // Pixels are folded once per row and chunk, for all lines of the row.
  for (std::size_t first = 0; first < images.count; first += kProductImages) {
    const ImageBatch some = images.slice(first, std::min(kProductImages, images.count - first));
    for (std::size_t u = 0; u < columns; u += kColumnChunk) {
      const std::size_t count = std::min(kColumnChunk, columns - u);
      fold(some, v, u, count, work.folded.data());
      for (std::size_t line = first_line; line < last_line; ++line) {
        for (std::size_t parity = 0; parity < 2; ++parity) {
          T* out = work.carried.data() + (slot + line - first_line) * work.carried_line +
                   (parity * kTableImages + first) * 2 * width_;
          kernels.line_product({2 * some.count, count,
                                work.folded.data() + parity * 2 * kProductImages * kFoldedStride<T>,
                                along_.data() + offsets_[line] + (parity * columns + u) * width_,
                                width_, out, u > 0});
        }
      }
    }
  }
}

template <class T>
void TableMoments<T>::cross_lines(std::size_t group, std::size_t images, Tile& work) const {
  const TableKernels<T>& kernels = table_kernels<T>();
  const std::size_t first_line = crossings_[group];
  const std::size_t count = crossings_[group + 1] - first_line;
  const std::size_t row = 2 * width_;  // length of an image's carried values
  // What kCrossImages images carry stays in the nearest cache for all degrees.
  for (std::size_t b = 0; b < images; b += kCrossImages) {
    const T* table = across_.data() + first_line * (order_ + 1) * row;
    for (std::size_t n = 0; n <= order_; ++n) {
      for (std::size_t parity = 0; parity < 2; ++parity, table += count * width_) {
        kernels.cross_product(
            {std::min(kCrossImages, images - b), count, whole_lines<T>(n / 2 + 1), table, width_,
             work.carried.data() + (parity * kTableImages + b) * row + (n + parity) % 2 * width_,
             work.carried_line, row,
             work.sums.data() + (b * (order_ + 1) + n) * row + parity * width_,
             (order_ + 1) * row});
      }
    }
  }
}

template <class T>
void TableMoments<T>::sum_tile(const ImageBatch& tile, Tile& work) const {
  std::fill_n(work.sums.begin(), tile.count * (order_ + 1) * 2 * width_, T(0));
  for (std::size_t group = 0; group + 1 < crossings_.size(); ++group) {
    for (std::size_t first = crossings_[group]; first < crossings_[group + 1];) {
      const std::size_t last = end_of_row(lines_.lines(), first);
      sum_row(tile, first, last, first - crossings_[group], work);
      first = last;
    }
    cross_lines(group, tile.count, work);
  }
}

// Calls write(image, n, real parts, imaginary parts) for every image and degree. The factor (-j)^m
// is not yet applied.
template <class T>
template <class Write>
void TableMoments<T>::for_each_degree(const ImageBatch& images, const Write& write) const {
  const TableKernels<T>& kernels = table_kernels<T>();
  // Each thread's share of the images is rounded up to full products.
  const auto threads = static_cast<std::size_t>(thread_count());
  const std::size_t share = (images.count + threads - 1) / threads;
  const std::size_t tile_images =
      std::min(kTableImages, (share + kProductImages - 1) / kProductImages * kProductImages);
  const std::size_t tiles = (images.count + tile_images - 1) / tile_images;
  const auto make_tile = [&] {
    Tile work;
    work.carried_line = 2 * kTableImages * 2 * width_;
    work.folded.resize(4 * kProductImages * kFoldedStride<T>);
    work.carried.resize(kCrossLines * work.carried_line);
    work.sums.resize(tile_images * (order_ + 1) * 2 * width_);
    work.parts.resize(2 * kTableImages * width_);
    return work;
  };
  parallel_for_with_scratch({tiles}, [&]() -> RoundJob {
    return [&, work = make_tile()](std::size_t t) mutable {
      const std::size_t first = t * tile_images;
      const ImageBatch tile = images.slice(first, std::min(tile_images, images.count - first));
      sum_tile(tile, work);
      for (std::size_t n = 0; n <= order_; ++n) {
        const std::size_t width = whole_lines<T>(n / 2 + 1);
        for (std::size_t parity = 0; parity < 2; ++parity) {
          const std::size_t terms =
              DegreeRotation::terms(static_cast<int>(n), static_cast<int>(parity));
          kernels.degree_product({tile.count, terms, width, width_,
                                  rotations_.data() + (2 * n + parity) * (order_ / 2 + 1) * width_,
                                  work.sums.data() + (2 * n + parity) * width_,
                                  (order_ + 1) * 2 * width_,
                                  work.parts.data() + parity * kTableImages * width_});
        }
        for (std::size_t b = 0; b < tile.count; ++b) {
          const T* re = work.parts.data() + b * width;
          write(first + b, static_cast<int>(n), re, re + kTableImages * width_);
        }
      }
    };
  });
}

template <class T>
void TableMoments<T>::moments(const ImageBatch& images,
                              std::span<std::complex<double>> moments) const {
  const std::size_t count = moment_count(Family::kZernike, static_cast<int>(order_));
  for_each_degree(images, [&](std::size_t image, int n, const T* re, const T* im) {
    std::complex<double>* row =
        moments.data() + image * count + moment_position(Family::kZernike, n, n % 2);
    for (int m = n % 2; m <= n; m += 2) {
      *row++ = turned_back(static_cast<double>(*re++), static_cast<double>(*im++), m);
    }
  });
}

template <class T>
void TableMoments<T>::magnitudes(const ImageBatch& images, std::span<float> magnitudes) const {
  const TableKernels<T>& kernels = table_kernels<T>();
  const std::size_t count = moment_count(Family::kZernike, static_cast<int>(order_));
  for_each_degree(images, [&](std::size_t image, int n, const T* re, const T* im) {
    kernels.magnitudes(
        static_cast<std::size_t>(n / 2 + 1), re, im,
        magnitudes.data() + image * count + moment_position(Family::kZernike, n, n % 2));
  });
}

template class TableMoments<float>;
template class TableMoments<double>;

}  // namespace leafglyph
