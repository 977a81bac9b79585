// Which GPUs CUDA sees in this process.
#pragma once

namespace leafglyph::gpu {

/// For a program that uses no other GPU than this one, before CUDA starts: lets CUDA see it alone,
/// through CUDA_VISIBLE_DEVICES, so that CUDA starts a tenth of a second earlier for each further
/// GPU of the host. The GPU keeps its number. Does nothing where the host or a list in
/// CUDA_VISIBLE_DEVICES has no such GPU.
void see_only(int number);

/// The number of the first GPU that CUDA sees: 0, or that of see_only.
int first_visible_gpu();

}  // namespace leafglyph::gpu
