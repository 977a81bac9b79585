#include "features/leaf/channels.h"
#include "features/leaf/leaf_texture.h"
#include "gpu/leaf/channel_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 256;

dim3 blocks_of(const GpuLeaves& leaves) {
  return dim3(static_cast<unsigned>((leaves.pixels() + kThreads - 1) / kThreads),
              static_cast<unsigned>(leaves.count));
}

/// The pixel of a thread, and the start of its leaf.
struct Place {
  int leaf, pixel, row, column;
  bool exists;
  std::size_t first, at;
};

__device__ Place place_of(const GpuLeaves& leaves) {
  Place p;
  const int pixels = leaves.size * leaves.size;
  p.leaf = static_cast<int>(blockIdx.y);
  p.pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  p.exists = p.pixel < pixels;
  p.row = p.pixel / leaves.size;
  p.column = p.pixel - p.row * leaves.size;
  p.first = static_cast<std::size_t>(p.leaf) * pixels;
  p.at = p.first + p.pixel;
  return p;
}

__device__ bool in_leaf(const GpuLeaves& leaves, std::size_t first, int row, int column) {
  return row >= 0 && column >= 0 && row < leaves.size && column < leaves.size &&
         leaves.mask[first + row * leaves.size + column] != 0;
}

__device__ float standardised(const GpuLeaves& leaves, const LeafRecord& record, std::size_t first,
                              int row, int column) {
  if (!in_leaf(leaves, first, row, column)) return 0;
  return (leaves.grey[first + row * leaves.size + column] - record.mean) * record.factor;
}

// Samples as cv::warpAffine does: positions are rounded to 1/1024 and then to 1/32 of a pixel.
__device__ float rounded(const GpuLeaves& leaves, const LeafRecord& record, const Place& p) {
  constexpr double kScale = 1024;
  constexpr int kHalf = 16;
  const double* from = record.from;
  const int x = (__double2int_rn((from[1] * p.row + from[2]) * kScale) + kHalf +
                 __double2int_rn(from[0] * p.column * kScale)) >>
                5;
  const int y = (__double2int_rn((from[4] * p.row + from[5]) * kScale) + kHalf +
                 __double2int_rn(from[3] * p.column * kScale)) >>
                5;
  const int column = x >> 5, row = y >> 5;
  const float right = static_cast<float>(x & 31) / 32, below = static_cast<float>(y & 31) / 32;
  return standardised(leaves, record, p.first, row, column) * ((1 - below) * (1 - right)) +
         standardised(leaves, record, p.first, row, column + 1) * ((1 - below) * right) +
         standardised(leaves, record, p.first, row + 1, column) * (below * (1 - right)) +
         standardised(leaves, record, p.first, row + 1, column + 1) * (below * right);
}

__device__ bool on_outline(const GpuLeaves& leaves, const Place& p) {
  return !(in_leaf(leaves, p.first, p.row - 1, p.column) &&
           in_leaf(leaves, p.first, p.row + 1, p.column) &&
           in_leaf(leaves, p.first, p.row, p.column - 1) &&
           in_leaf(leaves, p.first, p.row, p.column + 1));
}

__global__ void plain_kernel(GpuLeaves leaves, PlainChannel channel, ChannelImages out) {
  const Place p = place_of(leaves);
  if (!p.exists) return;
  const LeafRecord& record = leaves.records[p.leaf];
  float value = 0;
  if (channel == PlainChannel::kRounded) {
    value = rounded(leaves, record, p);
  } else if (channel == PlainChannel::kHullGaps) {
    value = leaves.hull[p.at] != 0 && leaves.mask[p.at] == 0 ? 1.0F : 0.0F;
  } else if (leaves.mask[p.at] != 0) {
    const float grey = leaves.grey[p.at];
    switch (channel) {
      case PlainChannel::kGrey:
        value = grey / 255;
        break;
      case PlainChannel::kInverted:
        value = 1 - grey / 255;
        break;
      case PlainChannel::kStandardised:
        value = (grey - record.mean) * record.factor;
        break;
      case PlainChannel::kOutline:
        value = on_outline(leaves, p) ? 1.0F : 0.0F;
        break;
      default:
        value = 1;
    }
  }
  out.data[p.leaf * out.stride + p.pixel] = value;
}

__global__ void place_kernel(GpuLeaves leaves, const float* values, ChannelImages out) {
  const Place p = place_of(leaves);
  if (p.exists) out.data[p.leaf * out.stride + p.pixel] = values[p.at];
}

__global__ void slope_kernel(GpuLeaves leaves, GpuSlopes slopes) {
  const Place p = place_of(leaves);
  if (!p.exists) return;
  bool inside = leaves.mask[p.at] != 0;
  for (int j = -kErosion; inside && j <= kErosion; ++j) {
    for (int i = -kErosion; inside && i <= kErosion; ++i) {
      inside = in_leaf(leaves, p.first, p.row + j, p.column + i);
    }
  }
  slopes.inside[p.at] = inside;
  slopes.across[p.at] = inside ? 0.5F * (leaves.grey[p.at + 1] - leaves.grey[p.at - 1]) : 0;
  slopes.down[p.at] =
      inside ? 0.5F * (leaves.grey[p.at + leaves.size] - leaves.grey[p.at - leaves.size]) : 0;
}

__device__ float length(const GpuSlopes& slopes, std::size_t at) {
  const float across = slopes.across[at], down = slopes.down[at];
  return sqrtf(across * across + down * down);
}

struct SlopeLength {
  GpuSlopes slopes;
  __device__ double operator()(int, int, std::size_t at) const { return length(slopes, at); }
};

struct Trace {
  const float* tensors;
  std::size_t pixels;
  __device__ double operator()(int leaf, int pixel, std::size_t) const {
    const float* tensor = tensors + 3 * pixels * leaf + pixel;
    return tensor[0] + tensor[2 * pixels];
  }
};

// One block per leaf. The order of summation does not depend on the batch.
template <class Value>
__global__ void mean_kernel(GpuLeaves leaves, const std::uint8_t* inside, Value value,
                            double* means) {
  __shared__ double sums[kThreads], counts[kThreads];
  const int leaf = static_cast<int>(blockIdx.x), pixels = leaves.size * leaves.size;
  const std::size_t first = static_cast<std::size_t>(leaf) * pixels;
  double sum = 0, count = 0;
  for (int pixel = static_cast<int>(threadIdx.x); pixel < pixels; pixel += kThreads) {
    if (inside[first + pixel] == 0) continue;
    sum += value(leaf, pixel, first + pixel);
    count += 1;
  }
  sums[threadIdx.x] = sum;
  counts[threadIdx.x] = count;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      counts[threadIdx.x] += counts[threadIdx.x + half];
    }
  }
  if (threadIdx.x == 0) means[leaf] = counts[0] > 0 ? sums[0] / counts[0] : 0;
}

__global__ void gradient_kernel(GpuLeaves leaves, GpuSlopes slopes, const double* means,
                                ChannelImages out) {
  const Place p = place_of(leaves);
  if (!p.exists) return;
  const double mean = means[p.leaf];
  const float factor = mean > kLeastVariation ? static_cast<float>(1 / mean) : 0.0F;
  out.data[p.leaf * out.stride + p.pixel] = length(slopes, p.at) * factor;
}

__global__ void tensor_rows_kernel(GpuLeaves leaves, GpuSlopes slopes, TensorWeights weights,
                                   float* rows) {
  const Place p = place_of(leaves);
  if (!p.exists) return;
  float xx = 0, xy = 0, yy = 0;
  for (int i = -kTensorRadius; i <= kTensorRadius; ++i) {
    if (p.column + i < 0 || p.column + i >= leaves.size) continue;
    const float w = weights.w[i + kTensorRadius];
    const float across = slopes.across[p.at + i], down = slopes.down[p.at + i];
    xx += w * (across * across);
    xy += w * (across * down);
    yy += w * (down * down);
  }
  const std::size_t pixels = static_cast<std::size_t>(leaves.size) * leaves.size;
  float* row = rows + 3 * p.first + p.pixel;
  row[0] = xx;
  row[pixels] = xy;
  row[2 * pixels] = yy;
}

__global__ void tensor_columns_kernel(GpuLeaves leaves, GpuSlopes slopes, TensorWeights weights,
                                      const float* rows, float* tensors) {
  const Place p = place_of(leaves);
  if (!p.exists || slopes.inside[p.at] == 0) return;  // other pixels are never read
  const std::size_t pixels = static_cast<std::size_t>(leaves.size) * leaves.size;
  for (int element = 0; element < 3; ++element) {
    const float* from = rows + 3 * p.first + element * pixels + p.pixel;
    float sum = 0;
    for (int j = -kTensorRadius; j <= kTensorRadius; ++j) {
      if (p.row + j < 0 || p.row + j >= leaves.size) continue;
      sum += weights.w[j + kTensorRadius] * from[j * leaves.size];
    }
    tensors[3 * p.first + element * pixels + p.pixel] = sum;
  }
}

__global__ void orientation_kernel(GpuLeaves leaves, GpuSlopes slopes, const float* tensors,
                                   const double* means, bool is_radial, ChannelImages out) {
  const Place p = place_of(leaves);
  if (!p.exists) return;
  const float centre = 0.5F * static_cast<float>(leaves.size - 1);
  const float x = static_cast<float>(p.column) - centre, y = static_cast<float>(p.row) - centre;
  const float square = x * x + y * y;
  float value = 0;
  if (slopes.inside[p.at] != 0 && square != 0 && means[p.leaf] > kLeastTrace) {
    const float cos2 = (x * x - y * y) / square, sin2 = 2 * x * y / square;
    const std::size_t pixels = static_cast<std::size_t>(leaves.size) * leaves.size;
    const float* tensor = tensors + 3 * p.first + p.pixel;
    const float xx = tensor[0], xy2 = 2 * tensor[pixels], yy = tensor[2 * pixels];
    const float factor = 1 / (xx + yy + static_cast<float>(kFlatShare * means[p.leaf]));
    value = is_radial ? ((xx - yy) * cos2 + xy2 * sin2) * factor
                      : fabsf(xy2 * cos2 - (xx - yy) * sin2) * factor;
  }
  out.data[p.leaf * out.stride + p.pixel] = value;
}

template <class Value>
void take_means(const GpuLeaves& leaves, const GpuSlopes& slopes, const Value& value, double* means,
                const Stream& stream) {
  mean_kernel<<<static_cast<unsigned>(leaves.count), kThreads, 0, stream.get()>>>(
      leaves, slopes.inside, value, means);
  CUDA_CHECK_LAUNCH("mean_kernel");
}

}  // namespace

void make_plain_channel(const GpuLeaves& leaves, PlainChannel channel, ChannelImages out,
                        const Stream& stream) {
  plain_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, channel, out);
  CUDA_CHECK_LAUNCH("plain_kernel");
}

void place_channel(const GpuLeaves& leaves, const float* values, ChannelImages out,
                   const Stream& stream) {
  place_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, values, out);
  CUDA_CHECK_LAUNCH("place_kernel");
}

void make_slopes(const GpuLeaves& leaves, const GpuSlopes& slopes, const Stream& stream) {
  slope_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, slopes);
  CUDA_CHECK_LAUNCH("slope_kernel");
}

void mean_gradients(const GpuLeaves& leaves, const GpuSlopes& slopes, double* means,
                    const Stream& stream) {
  take_means(leaves, slopes, SlopeLength{slopes}, means, stream);
}

void make_gradients(const GpuLeaves& leaves, const GpuSlopes& slopes, const double* means,
                    ChannelImages out, const Stream& stream) {
  gradient_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, slopes, means, out);
  CUDA_CHECK_LAUNCH("gradient_kernel");
}

void make_tensors(const GpuLeaves& leaves, const GpuSlopes& slopes, const TensorWeights& weights,
                  float* rows, float* tensors, double* means, const Stream& stream) {
  tensor_rows_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, slopes, weights,
                                                                       rows);
  CUDA_CHECK_LAUNCH("tensor_rows_kernel");
  tensor_columns_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, slopes, weights,
                                                                          rows, tensors);
  CUDA_CHECK_LAUNCH("tensor_columns_kernel");
  take_means(leaves, slopes, Trace{tensors, leaves.pixels()}, means, stream);
}

void make_orientation(const GpuLeaves& leaves, const GpuSlopes& slopes, const float* tensors,
                      const double* means, bool is_radial, ChannelImages out,
                      const Stream& stream) {
  orientation_kernel<<<blocks_of(leaves), kThreads, 0, stream.get()>>>(leaves, slopes, tensors,
                                                                       means, is_radial, out);
  CUDA_CHECK_LAUNCH("orientation_kernel");
}

}  // namespace leafglyph::gpu
