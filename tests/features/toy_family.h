// A custom family, written by following "Adding a moment family" in features/README.md: orthogonal
// Fourier-Mellin moments (Sheng and Shen 1994, eq. 8) with the kernels Q_n(rho) e^{-j m theta}, Q_n
// = P_n^{(0, 1)}(2 rho - 1), here for n + m <= T.
#pragma once

#include "features/plan/algorithm.h"

namespace leafglyph {

extern const FamilyRow kFourierMellinRow;
inline constexpr Family kFourierMellin{&kFourierMellinRow};

/// Images, as the sum of their terms. Moments need no algorithm of their own: the folded basis
/// needs only the row.
extern const CpuAlgorithm kFourierMellinImages;

}  // namespace leafglyph
