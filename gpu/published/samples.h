// What the published kernels share on the host: samples of the disk, and timing.
#pragma once

#include <span>
#include <vector>

#include "features/moments/disk_grid.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu::published {

/// A sample of one octant or quadrant: its centre and the weight of its mirror images.
struct Sample {
  double x;
  double y;
  double weight;
};

/// GPU seconds of what `work` puts on the stream.
template <class Work>
double timed(const Stream& stream, Work&& work) {
  Event start;
  Event end;
  start.record(stream);
  work();
  end.record(stream);
  end.wait();
  return static_cast<double>(milliseconds_between(start, end)) * 1e-3;
}

inline std::vector<Sample> octant_samples(const DiskGrid& grid) {
  std::vector<Sample> samples;
  for (const OctantPixel& pixel : grid.octant()) {
    samples.push_back({pixel.x, pixel.y, pixel.weight});
  }
  return samples;
}

}  // namespace leafglyph::gpu::published
