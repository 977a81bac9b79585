#include "tools/literature/cuda/reduction.h"

#include <algorithm>

#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;
constexpr int kBlocks = 64;

// Each block sums its share of `count` values. A second launch with one block sums the blocks.
__global__ void reduce(const double* values, int count, double scale, double* sums) {
  __shared__ double parts[kThreads];
  double own = 0.0;
  for (int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); p < count;
       p += static_cast<int>(gridDim.x) * kThreads) {
    own += values[p];
  }
  parts[threadIdx.x] = own;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = scale * parts[0];
}

}  // namespace

Reduction::Reduction() : parts_(kBlocks) {}

void Reduction::add_up(const double* values, int count, double scale, double* sum,
                       const Stream& stream) {
  const int blocks = std::clamp((count + kThreads - 1) / kThreads, 1, kBlocks);
  reduce<<<static_cast<unsigned>(blocks), kThreads, 0, stream.get()>>>(values, count, 1.0,
                                                                       parts_.data());
  CUDA_CHECK_LAUNCH("reduce");
  reduce<<<1, kThreads, 0, stream.get()>>>(parts_.data(), blocks, scale, sum);
  CUDA_CHECK_LAUNCH("reduce");
}

KernelUse reduction_use(const char* name) { return use_of(name, reduce, kThreads); }

}  // namespace leafglyph::gpu::published
