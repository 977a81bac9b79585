// The kernels of the separable transform, between the cube of orders and the list of moments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Copies element (m, n, o) of a cube of (order + 1)^dimensions (n is the last axis of a square),
/// for every m + n (+ o) <= order, to or from its position in the list: moment_position, or
/// volume_moment_position. scatter_orders leaves the rest of the cube unchanged.
template <class T>
void gather_orders(const T* cube, int dimensions, int order, double* list, const Stream& stream);
template <class T>
void scatter_orders(const double* list, int dimensions, int order, T* cube, const Stream& stream);

/// Copies the moments of a batch from products[place * images + b]. Moment c of image b, whose
/// place is places[c], is written to out[b * count + c] as a magnitude (float), or to out[2 (b *
/// count + c)] as a complex number (double) with imaginary part 0.
template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, float* out, const Stream& stream);
template <class T>
void pick_moments(const T* products, const std::uint32_t* places, std::size_t count,
                  std::size_t images, double* out, const Stream& stream);

}  // namespace leafglyph::gpu
