// The inner loops of folding, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace leafglyph {

/// One image folded at the octant pixels [first, last). `numbers` holds the eight pixel numbers of
/// every octant pixel, mirror image q's at numbers[q * stride + p]. Element p - first of each
/// output:
///   even0: sum for cos m theta, m mod 4 = 0      odd0: sum for sin m theta, m mod 4 = 0
///   even2, odd2: the same for m mod 4 = 2
///   re_cos, re_sin: the two sums of the real part, m odd;  im_cos, im_sin: of the imaginary part
/// These are the octant sums of the eight-fold symmetry in the literature, with gr = re_cos cos +-
/// re_sin sin and gi = im_sin sin +- im_cos cos, + for m mod 4 = 1 and - for 3.
template <class T>
struct FoldOutputs {
  T* even0;
  T* odd0;
  T* even2;
  T* odd2;
  T* re_cos;
  T* re_sin;
  T* im_sin;
  T* im_cos;
};

struct FoldRange {
  const std::int32_t* numbers;
  std::size_t stride;
  std::size_t first;
  std::size_t last;
};

/// The angles of some points in the octant, as cos theta and sin theta.
struct AngleRange {
  std::size_t points;
  const double* cosines;
  const double* sines;
};

/// Maximum number of points in an AngleRange.
inline constexpr std::size_t kAngleRangePoints = 64;

/// Folds pixels of type In into sums of type T.
template <class In, class T>
using FoldKernel = void (*)(const In*, const FoldRange&, const FoldOutputs<T>&);

/// The kernels of one instruction set. angular_rows expands folded values (the eight sums of
/// FoldOutputs in its order, sum q of point p at folded[q * points + p]) into
/// sum_i f_i e^{-j m theta_i} = gr - j gi: rows[2 m * points + p] = gr, rows[(2 m + 1) * points +
/// p] = -gi, 0 <= m < repetitions. unfold_rows is its transpose: sums[q * points + p] becomes the
/// coefficient of folded sum q in the sum of rows over m.
struct FoldKernels {
  std::tuple<FoldKernel<std::uint8_t, float>, FoldKernel<std::uint8_t, double>,
             FoldKernel<std::uint16_t, float>, FoldKernel<std::uint16_t, double>,
             FoldKernel<float, float>, FoldKernel<float, double>, FoldKernel<double, float>,
             FoldKernel<double, double>>
      folds;
  void (*angular_rows_float)(const AngleRange&, std::size_t repetitions, const double* folded,
                             float* rows);
  void (*angular_rows_double)(const AngleRange&, std::size_t repetitions, const double* folded,
                              double* rows);
  void (*unfold_rows_float)(const AngleRange&, std::size_t repetitions, const float* rows,
                            double* sums);
  void (*unfold_rows_double)(const AngleRange&, std::size_t repetitions, const double* rows,
                             double* sums);

  template <class In, class T>
  void fold(const In* pixels, const FoldRange& range, const FoldOutputs<T>& outputs) const {
    std::get<FoldKernel<In, T>>(folds)(pixels, range, outputs);
  }
};

/// The fastest kernels that this processor can run.
const FoldKernels& fold_kernels();

}  // namespace leafglyph
