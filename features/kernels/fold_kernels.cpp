#include "features/kernels/fold_kernels.h"

#include "features/kernels/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/kernels/fold_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace leafglyph {
namespace HWY_NAMESPACE {
namespace {

// Folds the eight mirror images f1 ... f8 of each octant pixel into the sums of FoldOutputs: by way
// of the sums and differences of pairs, with 20 additions instead of 56. Of 8- and 16-bit pixels
// all of them are exact, in float too, because eight pixels add up to 19 bits.
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

// cos m theta and sin m theta of every point, stepped from m to m + 1 in double. After 1000 steps
// the error is still about 1e-14; in float it would be visible, so rows of float are stepped in
// double, too.
struct PhaseFactors {
  double cosines[kAngleRangePoints];
  double sines[kAngleRangePoints];
};

void first_phase(const AngleRange& angles, PhaseFactors& phases) {
  for (std::size_t p = 0; p < angles.points; ++p) {
    phases.cosines[p] = 1.0;
    phases.sines[p] = 0.0;
  }
}

inline void next_phase(const AngleRange& angles, PhaseFactors& phases, std::size_t p) {
  const double next = phases.cosines[p] * angles.cosines[p] - phases.sines[p] * angles.sines[p];
  phases.sines[p] = phases.sines[p] * angles.cosines[p] + phases.cosines[p] * angles.sines[p];
  phases.cosines[p] = next;
}

template <class T>
void angular_rows(const AngleRange& angles, std::size_t repetitions, const double* folded,
                  T* __restrict rows) {
  const std::size_t count = angles.points;
  PhaseFactors phases;
  first_phase(angles, phases);
  for (std::size_t m = 0; m < repetitions; ++m) {
    T* __restrict re = rows + 2 * m * count;
    T* __restrict im = re + count;
    // By symmetry an even m needs only one sum for the cosine and one for the sine; an odd m needs
    // two of each, because x and y change roles between the octants.
    if (m % 2 == 0) {
      const double* even = folded + (m % 4 == 0 ? 0 : 2) * count;
      const double* odd = even + count;
#pragma omp simd
      for (std::size_t p = 0; p < count; ++p) {
        re[p] = static_cast<T>(even[p] * phases.cosines[p]);
        im[p] = static_cast<T>(-odd[p] * phases.sines[p]);
        next_phase(angles, phases, p);
      }
    } else {
      const double* sums = folded + 4 * count;
      const double sign = m % 4 == 1 ? 1.0 : -1.0;
#pragma omp simd
      for (std::size_t p = 0; p < count; ++p) {
        const double cosine = phases.cosines[p];
        const double sine = phases.sines[p];
        re[p] = static_cast<T>(sums[p] * cosine + sign * sums[count + p] * sine);
        im[p] = static_cast<T>(-(sums[2 * count + p] * sine + sign * sums[3 * count + p] * cosine));
        next_phase(angles, phases, p);
      }
    }
  }
}

template <class T>
void unfold_rows(const AngleRange& angles, std::size_t repetitions, const T* __restrict rows,
                 double* __restrict sums) {
  const std::size_t count = angles.points;
  PhaseFactors phases;
  first_phase(angles, phases);
  // Every fourth m adds to the same sums.
  for (std::size_t i = 0; i < 8 * count; ++i) sums[i] = 0.0;
  for (std::size_t m = 0; m < repetitions; ++m) {
    const T* __restrict re = rows + 2 * m * count;
    const T* __restrict im = re + count;
    if (m % 2 == 0) {
      double* even = sums + (m % 4 == 0 ? 0 : 2) * count;
      double* odd = even + count;
#pragma omp simd
      for (std::size_t p = 0; p < count; ++p) {
        even[p] += static_cast<double>(re[p]) * phases.cosines[p];
        odd[p] -= static_cast<double>(im[p]) * phases.sines[p];
        next_phase(angles, phases, p);
      }
    } else {
      double* odd = sums + 4 * count;
      const double sign = m % 4 == 1 ? 1.0 : -1.0;
#pragma omp simd
      for (std::size_t p = 0; p < count; ++p) {
        const double cosine = phases.cosines[p];
        const double sine = phases.sines[p];
        odd[p] += static_cast<double>(re[p]) * cosine;
        odd[count + p] += sign * static_cast<double>(re[p]) * sine;
        odd[2 * count + p] -= static_cast<double>(im[p]) * sine;
        odd[3 * count + p] -= sign * static_cast<double>(im[p]) * cosine;
        next_phase(angles, phases, p);
      }
    }
  }
}

constexpr FoldKernels kTable = {
    {fold<std::uint8_t, float>, fold<std::uint8_t, double>, fold<std::uint16_t, float>,
     fold<std::uint16_t, double>, fold<float, float>, fold<float, double>, fold<double, float>,
     fold<double, double>},
    angular_rows<float>,
    angular_rows<double>,
    unfold_rows<float>,
    unfold_rows<double>,
};

const FoldKernels& table() { return kTable; }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace leafglyph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace leafglyph {

LEAFGLYPH_FASTEST_TABLE(FoldKernels, fold_kernels)

}  // namespace leafglyph
#endif
