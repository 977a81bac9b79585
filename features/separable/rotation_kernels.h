// The inner loops of the rotation in each degree, compiled once per instruction set and chosen at
// run time.
#pragma once

#include <cstddef>

namespace leafglyph {

/// Number of consecutive repetitions whose vectors share one end of the backward recurrence.
inline constexpr std::size_t kRepetitionGroup = 32;
/// Starting value of the backward recurrence. It is small, so that vectors which end before the
/// first one of their group, and grow by up to e^250 from its end, stay finite.
inline constexpr double kWalkStart = 1e-100;

/// The eigenvectors of one degree n and one parity of k: index i stands for k = 2 i + parity, and
/// w_{i+1} = (slope_i m^2 + shift_i) w_i - w_{i-1}.
struct RotationColumn {
  int degree;
  int parity;
  std::size_t terms;     ///< number of i
  int first_repetition;  ///< lowest m; m grows by 2 up to n
  std::size_t repetitions;
  const double* slope;
  const double* shift;
  /// For each kRepetitionGroup repetitions, the last i that counts; beyond it the vectors have
  /// vanished.
  const int* ends;
  /// Factors by m for the values that the recurrence yields going forward up to the turning point,
  /// and going backward from the end down to it. Padded with 0 to a multiple of kRecurrenceBlock,
  /// like every array by m.
  const double* forward;
  const double* backward;
};

/// Sums of squares of the unnormalised vectors, and their values at the turning point and one step
/// beyond it.
struct RotationNorms {
  double* forward_square;
  double* backward_square;
  double* forward_values;  ///< [2][padded repetitions]
  double* backward_values;
};

/// The kernels of one instruction set. The length of arrays by m is a multiple of kRecurrenceBlock.
struct RotationKernels {
  /// out[m] = sum over i of vector m's component i times values[i].
  void (*rotate)(const RotationColumn&, const double* values, double* out);
  /// The transpose: out[i] = sum over m. `out` is padded to a multiple of the register's length, at
  /// most kRecurrenceBlock; `scratch` holds 8 times as many doubles.
  void (*rotate_back)(const RotationColumn&, const double* values, double* out, double* scratch);
  /// Computes what is needed to normalise the vectors. Component i has the weight squares[i].
  void (*rotation_norms)(const RotationColumn&, const double* squares, const RotationNorms&);
};

/// The fastest kernels that this processor can run.
const RotationKernels& rotation_kernels();

}  // namespace leafglyph
