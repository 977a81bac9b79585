// The kernels of leaf_channels.cpp. Only for the files of gpu/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "features/leaf/leaf_orientation.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

/// Values of a leaf that the CPU computes.
struct LeafRecord {
  double from[6];  ///< rounded pixel to column and row in the leaf: inverse of rounding_map
  float mean;      ///< standardised: (g - mean) * factor; factor is 0 for a leaf of one grey value
  float factor;
};

/// Leaves of size x size pixels in GPU memory, one after another.
struct GpuLeaves {
  int size;
  int count;
  const float* grey;
  const std::uint8_t* mask;
  const std::uint8_t* hull;  ///< 1 in the mask's convex hull; only for the gaps
  const LeafRecord* records;

  std::size_t pixels() const { return static_cast<std::size_t>(size) * size; }
};

/// Where a channel is written: the image of leaf i is at data + i * stride.
struct ChannelImages {
  float* data;
  std::size_t stride;
};

/// Channels whose pixels are computed one by one from the leaf.
enum class PlainChannel { kGrey, kInverted, kMask, kStandardised, kOutline, kRounded, kHullGaps };
void make_plain_channel(const GpuLeaves& leaves, PlainChannel channel, ChannelImages out,
                        const Stream& stream);

/// Copies `values` of the leaves, one image after another, to the channel.
void place_channel(const GpuLeaves& leaves, const float* values, ChannelImages out,
                   const Stream& stream);

/// Central differences inside the eroded leaf, 0 elsewhere. Each array has one image per leaf.
struct GpuSlopes {
  std::uint8_t* inside;
  float* across;
  float* down;
};
void make_slopes(const GpuLeaves& leaves, const GpuSlopes& slopes, const Stream& stream);

/// mean_gradients sets means[i] to the mean of |slope| inside leaf i, 0 if it is empty.
/// make_gradients divides |slope| by that mean.
void mean_gradients(const GpuLeaves& leaves, const GpuSlopes& slopes, double* means,
                    const Stream& stream);
void make_gradients(const GpuLeaves& leaves, const GpuSlopes& slopes, const double* means,
                    ChannelImages out, const Stream& stream);

/// Weights of the Gaussian that averages the structure tensor.
struct TensorWeights {
  float w[2 * kTensorRadius + 1];
};

/// Elements xx, xy, yy of the averaged tensor, three images per leaf; `rows` has the same size.
/// means[i] is the mean trace inside leaf i.
void make_tensors(const GpuLeaves& leaves, const GpuSlopes& slopes, const TensorWeights& weights,
                  float* rows, float* tensors, double* means, const Stream& stream);
/// Channel kRadial (otherwise kOblique) of the tensors.
void make_orientation(const GpuLeaves& leaves, const GpuSlopes& slopes, const float* tensors,
                      const double* means, bool is_radial, ChannelImages out, const Stream& stream);

}  // namespace leafglyph::gpu
