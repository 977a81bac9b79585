// Converts values of any type to float or double on a GPU. Only for the files of gpu/.
#pragma once

#include <cstddef>

#include "features/image/image.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {

/// out[i] = in[i], rounded if Out is float.
template <class In, class Out>
void convert(const In* in, std::size_t count, Out* out, const Stream& stream);

/// Copies the values of a batch, from host or GPU memory, to `out` on the GPU as T. `room` holds
/// them before conversion; it grows as needed.
template <class T>
void load_values(const ImageBatch& images, StagedCopy& copies, DeviceBuffer<unsigned char>& room,
                 T* out, const Stream& stream);

}  // namespace leafglyph::gpu
