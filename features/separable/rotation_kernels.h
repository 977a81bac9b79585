// The inner loops of the rotation in each degree, compiled once for each instruction set and chosen
// at run time.
#pragma once

#include <cstddef>

namespace leafglyph {

/// Vectors of so many consecutive repetitions are walked backward from one end.
inline constexpr std::size_t kTurnGroup = 32;
/// What they begin with: small enough that vectors whose own end lies before that of the first one
/// of their group, and which grow by up to e^250 from there, stay finite.
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
  /// Where the vectors of kTurnGroup m at a time have vanished: i up to which they count.
  const int* ends;
  /// Factors of the values that the recurrence yields forward up to the turning point, and backward
  /// from the end down to it, by m; filled up with 0 to a
  /// multiple of kRecurrenceBlock, as every array by m is.
  const double* forward;
  const double* backward;
};

/// Not normalised vectors' sums of squares, and their values at the turning point and behind it.
struct RotationNorms {
  double* forward_square;
  double* backward_square;
  double* forward_values;  ///< [2][padded repetitions]
  double* backward_values;
};

/// The kernels of one instruction set. Arrays by m have a multiple of kRecurrenceBlock elements.
struct RotationKernels {
  /// out[m] = sum over i of vector m's component i times values[i].
  void (*rotate)(const RotationColumn&, const double* values, double* out);
  /// The transpose: out[i] = sum over m. `scratch` holds 8 terms doubles.
  void (*rotate_back)(const RotationColumn&, const double* values, double* out, double* scratch);
  /// What normalises the vectors; component i has the weight squares[i].
  void (*rotation_norms)(const RotationColumn&, const double* squares, const RotationNorms&);
};

/// The fastest kernels that this processor can run.
const RotationKernels& rotation_kernels();

}  // namespace leafglyph
