#include "features/separable/table_kernels.h"

#include <type_traits>

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/separable/table_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Registers of at most one cache line.
template <class T>
using Lanes = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vector = hn::Vec<Lanes<T>>;
template <class T>
constexpr std::size_t kLanes = hn::MaxLanes(Lanes<T>());
// Running sums that fit in registers. There are 32 registers if each has 64 bytes, else 16.
template <class T>
constexpr std::size_t kSums = kLanes<T> * sizeof(T) == 64 ? 24 : 12;

#if HWY_TARGET != HWY_SCALAR
template <class T, class In>
HWY_INLINE Vector<T> load_integers(const In* p) {
  const hn::Rebind<std::int32_t, Lanes<T>> integers;
  const hn::Rebind<In, Lanes<T>> pixels;
  const auto v = hn::PromoteTo(integers, hn::LoadU(pixels, p));
  if constexpr (sizeof(T) == 4) {
    return hn::ConvertTo(Lanes<T>(), v);
  } else {
    return hn::PromoteTo(Lanes<T>(), v);
  }
}
HWY_INLINE Vector<double> load_widened(const float* p) {
  const hn::Rebind<float, Lanes<double>> floats;
  return hn::PromoteTo(Lanes<double>(), hn::LoadU(floats, p));
}
HWY_INLINE Vector<float> load_narrowed(const double* p) {
  const Lanes<float> tag;
  const hn::Half<Lanes<float>> half;
  const hn::Rebind<double, hn::Half<Lanes<float>>> doubles;
  const auto low = hn::DemoteTo(half, hn::LoadU(doubles, p));
  const auto high = hn::DemoteTo(half, hn::LoadU(doubles, p + hn::MaxLanes(half)));
  return hn::Combine(tag, high, low);
}
#endif

template <class T, class In>
HWY_INLINE Vector<T> load_pixels(const In* p) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(Lanes<T>(), static_cast<T>(*p));
#else
  if constexpr (std::is_integral_v<In>) {
    return load_integers<T>(p);
  } else if constexpr (sizeof(In) == sizeof(T)) {
    return hn::LoadU(Lanes<T>(), p);
  } else if constexpr (sizeof(In) == 4) {
    return load_widened(p);
  } else {
    return load_narrowed(p);
  }
#endif
}

template <class T, class In>
HWY_INLINE void fold_register(const FoldSource<In>& from, std::size_t u, T* even, T* odd) {
  const Lanes<T> tag;
  constexpr std::size_t kLast = kLanes<T> - 1;
  const auto a = load_pixels<T>(from.a + u);
  // The left half is read leftwards from x = 0: a register ends at its first pixel.
  const auto b = hn::Reverse(tag, load_pixels<T>(from.b - u - kLast));
  const auto c = load_pixels<T>(from.c + u);
  const auto d = hn::Reverse(tag, load_pixels<T>(from.d - u - kLast));
  const auto upper_sum = hn::Add(a, b);
  const auto lower_sum = hn::Add(c, d);
  const auto upper_difference = hn::Sub(a, b);
  const auto lower_difference = hn::Sub(c, d);
  hn::StoreU(hn::Add(upper_sum, lower_sum), tag, even + u);
  hn::StoreU(hn::Sub(upper_sum, lower_sum), tag, even + kFoldedStride<T> + u);
  hn::StoreU(hn::Add(upper_difference, lower_difference), tag, odd + u);
  hn::StoreU(hn::Sub(upper_difference, lower_difference), tag, odd + kFoldedStride<T> + u);
}

// Prefetches the next pair of rows. With many images there are too many access streams for the
// processor to predict.
template <class In>
HWY_INLINE void prefetch_next(const FoldSource<In>& from, std::size_t columns) {
  if (from.next == 0) return;
  for (std::size_t u = 0; u < columns; u += 64 / sizeof(In)) {
    __builtin_prefetch(from.a - from.next + u, 0, 2);
    __builtin_prefetch(from.b - from.next - u, 0, 2);
    __builtin_prefetch(from.c + from.next + u, 0, 2);
    __builtin_prefetch(from.d + from.next - u, 0, 2);
  }
}

template <class T, class In>
void fold(const FoldSource<In>& from, std::size_t columns, T* even, T* odd) {
  constexpr std::size_t kStep = kLanes<T>;
  prefetch_next(from, columns);
  std::size_t u = 0;
  for (; u + kStep <= columns; u += kStep) fold_register<T>(from, u, even, odd);
  if (u == columns) return;
  // The rest is covered by one more register that overlaps the previous one or, for fewer columns
  // than a register holds, value by value.
  if (columns >= kStep) return fold_register<T>(from, columns - kStep, even, odd);
  for (; u < columns; ++u) {
    const auto a = static_cast<T>(from.a[u]);
    const auto b = static_cast<T>(*(from.b - u));
    const auto c = static_cast<T>(from.c[u]);
    const auto d = static_cast<T>(*(from.d - u));
    even[u] = (a + b) + (c + d);
    even[kFoldedStride<T> + u] = (a + b) - (c + d);
    odd[u] = (a - b) + (c - d);
    odd[kFoldedStride<T> + u] = (a - b) - (c - d);
  }
}

// R rows times V registers of the table from `at`.
//
// The loops over arrays of registers must be unrolled: only then do the arrays stay in registers.
template <std::size_t R, std::size_t V, class T>
void multiply_rows(const LineProduct<T>& product, std::size_t row, std::size_t at) {
  const Lanes<T> tag;
  Vector<T> sum[R][V];
  T* const out = product.out + row * product.width + at;
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) {
      sum[r][v] =
          product.add ? hn::LoadU(tag, out + r * product.width + v * kLanes<T>) : hn::Zero(tag);
    }
  }
  // Rows of the table. It is read from an outer cache, once for the images of a product.
  constexpr std::size_t kAhead = 24;
  const T* table = product.table + at;
  const T* folded = product.folded + row * kFoldedStride<T>;
  for (std::size_t u = 0; u < product.columns; ++u, table += product.width, ++folded) {
    __builtin_prefetch(table + kAhead * product.width);
    Vector<T> polynomial[V];
    for (std::size_t v = 0; v < V; ++v) polynomial[v] = hn::LoadU(tag, table + v * kLanes<T>);
    HWY_UNROLL(24)
    for (std::size_t r = 0; r < R; ++r) {
      const Vector<T> value = hn::Set(tag, folded[r * kFoldedStride<T>]);
      for (std::size_t v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(value, polynomial[v], sum[r][v]);
    }
  }
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) {
    for (std::size_t v = 0; v < V; ++v) {
      hn::StoreU(sum[r][v], tag, out + r * product.width + v * kLanes<T>);
    }
  }
}

template <std::size_t V, class T>
void multiply_columns(const LineProduct<T>& product, std::size_t at) {
  constexpr std::size_t kRows = kSums<T> / V;
  std::size_t row = 0;
  for (; row + kRows <= product.rows; row += kRows) multiply_rows<kRows, V>(product, row, at);
  // An image has two rows, so that the rest is even.
  for (; row + 4 <= product.rows; row += 4) multiply_rows<4, V>(product, row, at);
  for (; row + 2 <= product.rows; row += 2) multiply_rows<2, V>(product, row, at);
}

template <class T>
void line_product(const LineProduct<T>& product) {
  std::size_t at = 0;
  // Two registers of the table at a time: each folded value is then spread over a register for two
  // multiply-adds.
  for (; at + 2 * kLanes<T> <= product.width; at += 2 * kLanes<T>) {
    multiply_columns<2>(product, at);
  }
  for (; at < product.width; at += kLanes<T>) multiply_columns<1>(product, at);
}

// sum[r] += polynomial times what image r carries, line by line, for R images and one register of
// k.
template <std::size_t R, class T>
void cross_images(const CrossProduct<T>& product, std::size_t image, std::size_t at) {
  const Lanes<T> tag;
  Vector<T> sum[R];
  T* const out = product.out + image * product.out_image + at;
  const T* const carried = product.carried + image * product.carried_image + at;
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) sum[r] = hn::LoadU(tag, out + r * product.out_image);
  for (std::size_t l = 0; l < product.lines; ++l) {
    const auto polynomial = hn::LoadU(tag, product.table + l * product.table_stride + at);
    const T* const line = carried + l * product.carried_line;
    HWY_UNROLL(24)
    for (std::size_t r = 0; r < R; ++r) {
      sum[r] = hn::MulAdd(polynomial, hn::LoadU(tag, line + r * product.carried_image), sum[r]);
    }
  }
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) hn::StoreU(sum[r], tag, out + r * product.out_image);
}

template <class T>
void cross_product(const CrossProduct<T>& product) {
  for (std::size_t at = 0; at < product.width; at += kLanes<T>) {
    std::size_t image = 0;
    for (; image + kCrossImages <= product.images; image += kCrossImages) {
      cross_images<kCrossImages>(product, image, at);
    }
    for (; image + 2 <= product.images; image += 2) cross_images<2>(product, image, at);
    if (image < product.images) cross_images<1>(product, image, at);
  }
}

// sum[r] = component of the vectors times values[i], summed over i, for R images and one register
// of m.
template <std::size_t R, class T>
void rotate_images(const DegreeProduct<T>& product, std::size_t image, std::size_t at) {
  const Lanes<T> tag;
  Vector<T> sum[R];
  const T* const values = product.values + image * product.values_image;
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) sum[r] = hn::Zero(tag);
  for (std::size_t i = 0; i < product.terms; ++i) {
    const auto vectors = hn::LoadU(tag, product.table + i * product.table_stride + at);
    HWY_UNROLL(24)
    for (std::size_t r = 0; r < R; ++r) {
      sum[r] = hn::MulAdd(vectors, hn::Set(tag, values[r * product.values_image + i]), sum[r]);
    }
  }
  HWY_UNROLL(24)
  for (std::size_t r = 0; r < R; ++r) {
    hn::StoreU(sum[r], tag, product.out + (image + r) * product.width + at);
  }
}

template <class T>
void degree_product(const DegreeProduct<T>& product) {
  constexpr std::size_t kImages = 8;
  for (std::size_t at = 0; at < product.width; at += kLanes<T>) {
    std::size_t image = 0;
    for (; image + kImages <= product.images; image += kImages) {
      rotate_images<kImages>(product, image, at);
    }
    for (; image < product.images; ++image) rotate_images<1>(product, image, at);
  }
}

template <class T>
void magnitudes(std::size_t count, const T* re, const T* im, float* out) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(__builtin_sqrt(re[i] * re[i] + im[i] * im[i]));
  }
}

template <class T>
constexpr TableKernels<T> kTable = {
    {fold<T, std::uint8_t>, fold<T, std::uint16_t>, fold<T, float>, fold<T, double>},
    line_product<T>,
    cross_product<T>,
    degree_product<T>,
    magnitudes<T>,
};

const TableKernels<float>& float_table() { return kTable<float>; }
const TableKernels<double>& double_table() { return kTable<double>; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {
namespace {
HWY_EXPORT(float_table);
HWY_EXPORT(double_table);
}  // namespace

template <>
const TableKernels<float>& table_kernels() {
  return HWY_DYNAMIC_DISPATCH(float_table)();
}
template <>
const TableKernels<double>& table_kernels() {
  return HWY_DYNAMIC_DISPATCH(double_table)();
}

}  // namespace leafglyph
#endif
