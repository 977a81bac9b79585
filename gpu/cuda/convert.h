// Values of any type to float or double on a GPU. For the files of gpu/ alone.
#pragma once

#include <cstddef>

#include "features/image/image.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {

/// out[i] = in[i], rounded when Out is float.
template <class In, class Out>
void convert(const In* in, std::size_t count, Out* out, const Stream& stream);

/// Copies the values of a batch to out on the GPU, from wherever they are, as T. `room` is where
/// they wait for their conversion; it grows as needed.
template <class T>
void load_values(const ImageBatch& images, StagedCopy& copies, DeviceBuffer<unsigned char>& room,
                 T* out, const Stream& stream);

}  // namespace leafglyph::gpu
