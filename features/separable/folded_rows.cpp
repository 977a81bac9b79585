#include "features/separable/folded_rows.h"

#include <cstdint>
#include <type_traits>

namespace leafglyph {
namespace {

// The first pixels of a pair of rows at x > 0 and, going to the left, at x < 0.
template <class T>
struct RowPair {
  RowPair(T* pixels, std::size_t size, std::size_t v) {
    const std::size_t lower_row = size / 2 + v;
    T* const upper = pixels + (size - 1 - lower_row) * size;
    T* const lower = pixels + lower_row * size;
    const std::size_t right = size / 2;
    const std::size_t left = size - 1 - right;
    a = upper + right;
    b = upper + left;
    c = lower + right;
    d = lower + left;
  }
  T* a;
  T* b;
  T* c;
  T* d;
};

// Integers are added as integers, the others as they are summed.
template <class T>
void fold(const T* pixels, std::size_t size, std::size_t v, std::size_t columns,
          const FoldedValues<double>& folded) {
  using Sum = std::conditional_t<std::is_integral_v<T>, int, double>;
  const RowPair<const T> rows(pixels, size, v);
  for (std::size_t u = 0; u < columns; ++u) {
    const Sum a = rows.a[u];
    const Sum b = *(rows.b - u);
    const Sum c = rows.c[u];
    const Sum d = *(rows.d - u);
    folded.even_even[u] = static_cast<double>((a + b) + (c + d));
    folded.even_odd[u] = static_cast<double>((a + b) - (c + d));
    folded.odd_even[u] = static_cast<double>((a - b) + (c - d));
    folded.odd_odd[u] = static_cast<double>((a - b) - (c - d));
  }
}

}  // namespace

void fold_rows(const ImageBatch& image, std::size_t v, std::size_t columns,
               const FoldedValues<double>& folded) {
  with_pixels(image.type, image.pixels, [&](const auto* pixels) {
    fold(pixels, static_cast<std::size_t>(image.size.width), v, columns, folded);
  });
}

void unfold_rows(const FoldedValues<const double>& folded, std::size_t v, std::size_t columns,
                 int size, double* pixels) {
  const RowPair<double> rows(pixels, static_cast<std::size_t>(size), v);
  for (std::size_t u = 0; u < columns; ++u) {
    const double even = folded.even_even[u];
    const double even_odd = folded.even_odd[u];
    const double odd_even = folded.odd_even[u];
    const double odd = folded.odd_odd[u];
    rows.a[u] = (even + even_odd) + (odd_even + odd);
    *(rows.b - u) = (even + even_odd) - (odd_even + odd);
    rows.c[u] = (even - even_odd) + (odd_even - odd);
    *(rows.d - u) = (even - even_odd) - (odd_even - odd);
  }
}

}  // namespace leafglyph
