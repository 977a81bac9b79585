#include "tools/literature/cuda/octant_layout.h"

#include <cmath>

#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;

// One thread per place in the arrays. `addresses` is -1 where a diagonal pixel would be repeated.
__global__ void relayout_lookup(const double* image, const int* addresses, int count, double* h) {
  const int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (p >= count) return;
  for (int q = 0; q < 8; ++q) {
    const int address = addresses[q * count + p];
    h[q * count + p] = address < 0 ? 0.0 : image[address];
  }
}

}  // namespace

OctantLayout octant_layout(int size) {
  const OctantSamples octant = octant_samples(size, 1);
  OctantLayout layout;
  layout.row_starts.assign(static_cast<std::size_t>(size) / 2 + 2, 0);
  const std::size_t count = octant.samples.size();
  layout.addresses.resize(8 * count);
  for (std::size_t p = 0; p < count; ++p) {
    const DiskSample& sample = octant.samples[p];
    const auto v = static_cast<std::size_t>(sample.y * size) / 2;
    ++layout.row_starts[v + 1];
    layout.rho.push_back(std::hypot(sample.x, sample.y));
    layout.theta.push_back(std::atan2(sample.y, sample.x));
    for (std::size_t q = 0; q < 8; ++q) {
      const bool again = sample.x == sample.y && (q == 1 || q == 2 || q == 5 || q == 6);
      layout.addresses[q * count + p] = again ? -1 : octant.pixels[p][q];
    }
  }
  for (std::size_t v = 1; v < layout.row_starts.size(); ++v) {
    layout.row_starts[v] += layout.row_starts[v - 1];
  }
  return layout;
}

void relayout(const double* image, const int* addresses, int count, double* h,
              const Stream& stream) {
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  relayout_lookup<<<blocks, kThreads, 0, stream.get()>>>(image, addresses, count, h);
  CUDA_CHECK_LAUNCH("relayout");
}

KernelUse relayout_use(const char* name) { return use_of(name, relayout_lookup, kThreads); }

}  // namespace leafglyph::gpu::published
