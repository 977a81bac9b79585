// Sums over the lanes of a warp.
#pragma once

namespace leafglyph::gpu {

/// One step of sum_lanes: lanes that differ in `Bit` exchange half of their values.
template <int Half, int Bit, int Count>
__device__ __forceinline__ void exchange_halves(double (&values)[Count]) {
  if constexpr (Half > 0) {
    const bool upper = (threadIdx.x & static_cast<unsigned>(Bit)) != 0;
#pragma unroll
    for (int i = 0; i < Half; ++i) {
      const double sent = upper ? values[i] : values[i + Half];
      const double kept = upper ? values[i + Half] : values[i];
      values[i] = kept + __shfl_xor_sync(0xffffffffU, sent, Bit);
    }
  } else {
    values[0] += __shfl_xor_sync(0xffffffffU, values[0], Bit);
  }
  if constexpr (Bit > 1) exchange_halves<Half / 2, Bit / 2>(values);
}

/// Sums Count values over the lanes of a warp. Every lane receives the sum of value number
/// summed_value<Count>(lane). Count is a power of two, at most 32.
template <int Count>
__device__ __forceinline__ double sum_lanes(double (&values)[Count]) {
  exchange_halves<Count / 2, 16>(values);
  return values[0];
}

template <int Count>
__device__ inline int summed_value(int lane) {
  return lane / (32 / Count);
}

/// Whether this lane is the first of those that hold the same sum.
template <int Count>
__device__ inline bool holds_sum(int lane) {
  return lane % (32 / Count) == 0;
}

}  // namespace leafglyph::gpu
