#include "features/separable/separable_image.h"

#include <algorithm>
#include <numbers>
#include <type_traits>

#include "features/base/threads.h"

namespace leafglyph {
namespace {

// One thread's scratch memory and sums along the lines.
class LineValues {
 public:
  explicit LineValues(const RecurrenceTables& tables)
      : tables_(tables),
        t_(padded_to_block(tables.lines.x().size())),
        even_(tables.legendre.slope.size()),
        odd_(even_.size()),
        values_(t_.size()) {}

  // The folded values at the first `columns` pixel centres of line l of the group. `carried` holds
  // the line's values: blocks of k are kCarriedBlock apart, parities of y kGroupBlock apart.
  FoldedValues<const double> at(const LineGroups::Group& group, std::size_t l, std::size_t columns,
                                const double* carried) {
    const std::size_t terms = group.blocks * kRecurrenceBlock;
    for (std::size_t k = 0; k < terms; ++k) {
      const double* from = carried + k / kRecurrenceBlock * kCarriedBlock + k % kRecurrenceBlock;
      // The factors of the recurrences are applied to the coefficients, once per line, not to the
      // polynomials at every place.
      even_[k] = tables_.legendre.factor[k] * from[0];
      odd_[k] = tables_.legendre.factor[k] * from[kGroupBlock];
    }
    const double inverse = 1.0 / group.half_chord[l];
    const std::size_t points = padded_to_block(columns);
    for (std::size_t u = 0; u < points; ++u) {
      // Rounding must not put a place beyond the end of its line, where P_k grows with k.
      t_[u] = u < columns ? std::min(1.0, tables_.lines.x()[u] * inverse) : 0.0;
    }
    recurrence_kernels().legendre_values(
        {points, t_.data(), tables_.legendre.slope.data(), terms, nullptr, nullptr}, even_.data(),
        odd_.data(), values_.all());
    return values_.read_only();
  }

 private:
  const RecurrenceTables& tables_;
  AlignedVector<double> t_;
  AlignedVector<double> even_;
  AlignedVector<double> odd_;
  FoldedArrays values_;
};

}  // namespace

SeparableImage::SeparableImage(const DiskRule& rule) : tables_(centres_of(rule), false) {
  const DiskLines counted(rule);
  for (std::size_t v = 0; v < counted.pairs(); ++v) columns_.push_back(counted.columns(v));
}

double SeparableImage::bytes(const DiskRule& rule) {
  const LineLayout layout(centres_of(rule), false);
  const double terms =
      static_cast<double>(padded_to_block(static_cast<std::size_t>(rule.order) + 1));
  const auto carried = static_cast<double>(layout.lines.lines().size() + kGroupLines);
  return RecurrenceTables::bytes(layout) +
         sizeof(double) * terms * ((terms + kRecurrenceBlock) / 2 + 2 * carried);
}

// kappa at [block of k][j][k]: the transposed rotation of every degree, from moments to the
// coefficients of Koornwinder's basis, scaled for the recurrences.
void SeparableImage::rotate(std::span<const std::complex<double>> weighted,
                            std::span<double> kappa) const {
  const DegreeRotation& rotation = tables_.rotation;
  const LineBasis& basis = tables_.basis;
  const auto degrees = static_cast<std::size_t>(rotation.order()) + 1;
  const std::size_t length = rotation.padded_terms();
  parallel_for_with_scratch({degrees, kDegreesAtATime}, [&]() -> RoundJob {
    return [&, parts = FoldedArrays(length), out = AlignedVector<double>(length),
            scratch = AlignedVector<double>(kRecurrenceBlock * length)](std::size_t round) mutable {
      const int n = static_cast<int>(degrees - 1 - round);
      std::fill_n(parts.array(0), 2 * length, 0.0);
      const std::complex<double>* row =
          weighted.data() + moment_position(Family::kZernike, n, n % 2);
      double* cosines = parts.array(0);
      double* sines = parts.array(1) - (n % 2 == 0 ? 1 : 0);
      // V_nm = pi / (n + 1) norm (cosine part - j sine part) j^m
      for (int m = n % 2; m <= n; m += 2, ++cosines, ++sines, ++row) {
        const double norm = zernike_norm(n, m) * std::numbers::pi / (n + 1);
        const std::complex<double> value = norm * turned_back(row->real(), row->imag(), -m);
        *cosines = value.real();
        if (m > 0) *sines = value.imag();
      }
      for (int parity = 0; parity < 2 && parity <= n; ++parity) {
        rotation.values(n, parity, parts.array(static_cast<std::size_t>(parity)), out.data(),
                        scratch.data());
        const auto scale = rotation.scale(n, parity);
        for (std::size_t i = 0; i < scale.size(); ++i) {
          const std::size_t k = 2 * i + static_cast<std::size_t>(parity);
          const std::size_t at = basis.offset(k / kRecurrenceBlock) +
                                 (static_cast<std::size_t>(n) - k) * kRecurrenceBlock +
                                 k % kRecurrenceBlock;
          // As the transpose, the factors of the recurrence across the lines come before the sums.
          kappa[at] = scale[i] * out[i] * basis.factor(0)[at];
        }
      }
    };
  });
}

void SeparableImage::image(std::span<const std::complex<double>> weighted,
                           std::span<double> pixels) const {
  AlignedVector<double> kappa(tables_.basis.length());
  rotate(weighted, kappa);
  // [group][block of k][parity of y][line][k]
  AlignedVector<double> carried(tables_.groups.groups().size() * tables_.basis.blocks() *
                                kCarriedBlock);
  sum_degrees(kappa, carried);
  sum_lines(carried, pixels);
}

void SeparableImage::sum_degrees(std::span<const double> kappa, std::span<double> carried) const {
  const RecurrenceKernels& kernels = recurrence_kernels();
  const LineBasis& basis = tables_.basis;
  const std::size_t groups = tables_.groups.groups().size();
  parallel_for_with_scratch({basis.blocks()}, [&]() -> RoundJob {
    return [&, states = GroupStates(tables_.groups, 0, groups)](std::size_t block) mutable {
      const double* sums = kappa.data() + basis.offset(block);
      for_chunks(tables_, states, block, [&](std::size_t g, std::size_t first, std::size_t last) {
        double* values = carried.data() + (g * basis.blocks() + block) * kCarriedBlock;
        kernels.line_values(basis.slope(block), first, last, states.block(g, values), sums);
      });
    };
  });
}

void SeparableImage::sum_lines(std::span<const double> carried, std::span<double> pixels) const {
  const std::size_t stride = tables_.basis.blocks() * kCarriedBlock;
  parallel_for_with_scratch({tables_.groups.groups().size()}, [&]() -> RoundJob {
    return [&, values = LineValues(tables_)](std::size_t g) mutable {
      const LineGroups::Group& group = tables_.groups.groups()[g];
      for (std::size_t l = 0; l < group.lines; ++l) {
        const std::size_t row = tables_.lines.lines()[group.first_line + l].row;
        const double* line = carried.data() + g * stride + l * kRecurrenceBlock;
        // There is one line per row, so no two threads write the same pixels.
        unfold_rows(values.at(group, l, columns_[row], line), row, columns_[row],
                    tables_.lines.rule().size, pixels.data());
      }
    };
  });
}

namespace {

// The first pixels of a pair of rows at x > 0 and at x < 0. The latter are read leftwards.
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

// Adds integers as integers, other types as double.
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
