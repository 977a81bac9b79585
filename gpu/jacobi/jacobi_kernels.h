// The kernels of the separable transform: between the cube of orders and the list of moments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Element (m, n, o) of a cube of (order + 1)^dimensions (n the last axis of a square), for every
/// m + n (+ o) <= order, to and from its position in the list: moment_position, or
/// volume_moment_position. scatter leaves the rest of
/// the cube as it is.
template <class T>
void gather_orders(const T* cube, int dimensions, int order, double* list, const Stream& stream);
template <class T>
void scatter_orders(const double* list, int dimensions, int order, T* cube, const Stream& stream);

/// Moments of a batch from products[place * images + b]: moment c of image b, its place in
/// places[c], goes to out[b * count + c] as a magnitude (float), or to out[2 (b * count + c)] with
/// 0 behind it as a complex number (double).
template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, float* out, const Stream& stream);
template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, double* out, const Stream& stream);

}  // namespace leafglyph::gpu
