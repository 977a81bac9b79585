// Bodies of the kernels in cpu_kernels.h. Included by one source file for each instruction set,
// which defines LEAFGLYPH_KERNELS (the table's name) and LEAFGLYPH_KERNELS_NAME. Everything but
// the table has internal linkage, so that no code for a newer processor leaks into the rest; for
// the same reason no standard-library template is used here.
#include "features/cpu_kernels.h"

namespace leafglyph {
namespace {

template <class In, class T>
void fold(const In* __restrict image, const FoldRange& range, const FoldOutputs<T>& outputs) {
  const std::int32_t* __restrict numbers = range.numbers + range.first;
  const std::size_t stride = range.stride;
  T* __restrict even0 = outputs.even0;
  T* __restrict odd0 = outputs.odd0;
  T* __restrict even2 = outputs.even2;
  T* __restrict odd2 = outputs.odd2;
  T* __restrict re_cos = outputs.re_cos;
  T* __restrict re_sin = outputs.re_sin;
  T* __restrict im_sin = outputs.im_sin;
  T* __restrict im_cos = outputs.im_cos;
  const std::size_t count = range.last - range.first;
#pragma omp simd
  for (std::size_t p = 0; p < count; ++p) {
    const T f1 = static_cast<T>(image[numbers[p]]);
    const T f2 = static_cast<T>(image[numbers[stride + p]]);
    const T f3 = static_cast<T>(image[numbers[2 * stride + p]]);
    const T f4 = static_cast<T>(image[numbers[3 * stride + p]]);
    const T f5 = static_cast<T>(image[numbers[4 * stride + p]]);
    const T f6 = static_cast<T>(image[numbers[5 * stride + p]]);
    const T f7 = static_cast<T>(image[numbers[6 * stride + p]]);
    const T f8 = static_cast<T>(image[numbers[7 * stride + p]]);
    const T plus18 = f1 + f8;
    const T minus18 = f1 - f8;
    const T plus45 = f4 + f5;
    const T minus45 = f4 - f5;
    const T plus27 = f2 + f7;
    const T minus27 = f2 - f7;
    const T plus36 = f3 + f6;
    const T minus36 = f3 - f6;
    even0[p] = (plus18 + plus45) + (plus27 + plus36);
    even2[p] = (plus18 + plus45) - (plus27 + plus36);
    odd0[p] = (minus18 - minus45) - (minus27 - minus36);
    odd2[p] = (minus18 - minus45) + (minus27 - minus36);
    re_cos[p] = plus18 - plus45;
    re_sin[p] = plus27 - plus36;
    im_sin[p] = minus18 + minus45;
    im_cos[p] = minus27 + minus36;
  }
}

}  // namespace

extern const CpuKernels LEAFGLYPH_KERNELS;
const CpuKernels LEAFGLYPH_KERNELS = {
    LEAFGLYPH_KERNELS_NAME, fold<std::uint8_t, float>,  fold<float, float>,
    fold<double, float>,    fold<std::uint8_t, double>, fold<float, double>,
    fold<double, double>,
};

}  // namespace leafglyph
