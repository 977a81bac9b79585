// Host code that the published kernels share: timing, and the resources that a kernel uses.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gpu/cuda/cuda_raii.h"
#include "tools/literature/cpu/disk_samples.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph::gpu::published {

using leafglyph::published::DiskSample;
using leafglyph::published::fold_octant;
using leafglyph::published::fold_quadrant;
using leafglyph::published::FoldedDisk;
using leafglyph::published::octant_samples;
using leafglyph::published::OctantSamples;
using leafglyph::published::whole_disk;
using leafglyph::published::WholeDisk;

/// GPU seconds of the work that `work` puts on the stream. Synchronises the device first, so that
/// earlier copies from the host are not timed.
template <class Work>
double timed(const Stream& stream, Work&& work) {
  Event start;
  Event end;
  CUDA_CHECK(cudaDeviceSynchronize());
  start.record(stream);
  work();
  end.record(stream);
  end.wait();
  return static_cast<double>(milliseconds_between(start, end)) * 1e-3;
}

/// Times a step and adds its time to the step of that name in `steps`, or appends it.
template <class Work>
void add_step(std::vector<Step>& steps, const char* name, const Stream& stream, Work&& work) {
  const double seconds = timed(stream, work);
  for (Step& step : steps) {
    if (step.name != name) continue;
    step.seconds += seconds;
    return;
  }
  steps.push_back({name, seconds});
}

/// Seconds of copying that many bytes to the GPU and back, through pageable host memory.
double copied(std::size_t to_gpu, std::size_t to_host);

inline double total_of(const std::vector<Step>& steps) {
  double sum = 0.0;
  for (const Step& step : steps) sum += step.seconds;
  return sum;
}

template <class Kernel>
KernelUse use_of(const char* name, Kernel* kernel, int threads) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
  int blocks = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, reinterpret_cast<const void*>(kernel), threads, 0));
  int device = 0;
  int most = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  return {name, threads, attributes.numRegs, attributes.sharedSizeBytes,
          static_cast<double>(blocks) * threads / most};
}

template <class T>
DeviceBuffer<T> to_device(const std::vector<T>& values) {
  return copy_to_device(std::span<const T>(values));
}

}  // namespace leafglyph::gpu::published
