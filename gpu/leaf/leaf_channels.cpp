#include "gpu/leaf/leaf_channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "features/base/threads.h"
#include "features/leaf/leaf_shape.h"
#include "gpu/leaf/channel_kernels.h"

namespace leafglyph::gpu {
namespace {

constexpr std::array<std::pair<Channel, PlainChannel>, 7> kPlain = {{
    {Channel::kGrey, PlainChannel::kGrey},
    {Channel::kInverted, PlainChannel::kInverted},
    {Channel::kMask, PlainChannel::kMask},
    {Channel::kStandardised, PlainChannel::kStandardised},
    {Channel::kOutline, PlainChannel::kOutline},
    {Channel::kRounded, PlainChannel::kRounded},
    {Channel::kHullGaps, PlainChannel::kHullGaps},
}};

const PlainChannel* plain(Channel channel) {
  const auto found = std::ranges::find(kPlain, channel, &std::pair<Channel, PlainChannel>::first);
  return found == kPlain.end() ? nullptr : &found->second;
}

bool needs_tensor(Channel channel) {
  return channel == Channel::kRadial || channel == Channel::kOblique;
}

// Channels without a kernel here are computed on the CPU and sent.
bool is_of_host(Channel channel) {
  return plain(channel) == nullptr && channel != Channel::kGradient && !needs_tensor(channel);
}

TensorWeights tensor_weights() {
  TensorWeights weights{};
  double sum = 0;
  std::array<double, 2 * kTensorRadius + 1> values{};
  for (int i = -kTensorRadius; i <= kTensorRadius; ++i) {
    sum += values[i + kTensorRadius] = std::exp(-0.5 * i * i / (kTensorSigma * kTensorSigma));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    weights.w[i] = static_cast<float>(values[i] / sum);
  }
  return weights;
}

// `rounds`: also inverts the affine map of rounding_map.
LeafRecord record_of(const PreparedLeaf& leaf, bool rounds) {
  LeafRecord record{};
  record.mean = static_cast<float>(leaf.measures.mean_grey);
  const double spread = leaf.measures.spread_grey;
  record.factor = spread > kLeastVariation ? static_cast<float>(1 / spread) : 0.0F;
  const auto map = rounds ? rounding_map(leaf.mask) : std::nullopt;
  if (!map) return record;
  std::ranges::copy(inverse(*map), record.from);
  return record;
}

/// Layout of the data that is sent: records, grey values, channels computed on the CPU, masks,
/// hulls.
struct Layout {
  std::size_t count, pixels, host_channels;
  bool hulls;

  std::size_t grey() const { return count * sizeof(LeafRecord); }
  std::size_t channel(std::size_t c) const {
    return grey() + (1 + c) * count * pixels * sizeof(float);
  }
  std::size_t mask() const { return channel(host_channels); }
  std::size_t hull() const { return mask() + count * pixels; }
  std::size_t bytes() const { return hull() + (hulls ? count * pixels : 0); }
};

}  // namespace

struct LeafChannels::State {
  State(std::span<const Channel> wanted, int image_size, const GpuDevice& device)
      : channels(wanted.begin(), wanted.end()), size(image_size), gpu(device) {
    for (const Channel channel : channels) {
      if (is_of_host(channel)) of_host.push_back(channel);
      rounds |= channel == Channel::kRounded;
      hulls |= channel == Channel::kHullGaps;
      slopes |= channel == Channel::kGradient || needs_tensor(channel);
      tensor |= needs_tensor(channel);
    }
  }

  std::size_t pixels() const { return static_cast<std::size_t>(size) * size; }
  void send(std::span<const PreparedLeaf* const> leaves, const Layout& layout,
            std::vector<std::uint8_t>& constant);
  void make_shared(const GpuLeaves& leaves, const GpuSlopes& of_leaves);

  std::vector<Channel> channels, of_host;
  bool rounds = false, hulls = false, slopes = false, tensor = false;
  int size;
  GpuDevice gpu;
  Stream stream;
  TensorWeights weights = tensor_weights();
  PinnedBuffer<std::byte> staging;
  DeviceBuffer<std::byte> sent;
  DeviceBuffer<float> images, across, down, rows, tensors;
  DeviceBuffer<std::uint8_t> inside;
  DeviceBuffer<double> means;  // of the gradient, then of the trace
  PinnedBuffer<double> host_means;
};

// constant[c * leaves + i]: whether channel c of those computed on the CPU is constant for leaf i.
void LeafChannels::State::send(std::span<const PreparedLeaf* const> leaves, const Layout& layout,
                               std::vector<std::uint8_t>& constant) {
  grow(staging, layout.bytes());
  grow(sent, layout.bytes());
  std::byte* to = staging.data();
  constant.assign(of_host.size() * leaves.size(), 0);
  parallel_for(leaves.size(), [&](std::size_t i) {
    const PreparedLeaf& leaf = *leaves[i];
    const LeafRecord record = record_of(leaf, rounds);
    std::memcpy(to + i * sizeof record, &record, sizeof record);
    const std::size_t image = pixels() * sizeof(float);
    std::memcpy(to + layout.grey() + i * image, leaf.grey.data(), image);
    std::memcpy(to + layout.mask() + i * pixels(), leaf.mask.data(), pixels());
    if (hulls) {
      std::byte* hull = to + layout.hull() + i * pixels();
      fill_hull(leaf.mask, {reinterpret_cast<std::uint8_t*>(hull), pixels()});
    }
    for (std::size_t c = 0; c < of_host.size(); ++c) {
      const std::span out(reinterpret_cast<float*>(to + layout.channel(c) + i * image), pixels());
      constant[c * leaves.size() + i] =
          !compute_channels(leaf, {&of_host[c], 1}, out).constant.empty();
    }
  });
  CUDA_CHECK(
      cudaMemcpyAsync(sent.data(), to, layout.bytes(), cudaMemcpyHostToDevice, stream.get()));
}

// Computes what several channels need.
void LeafChannels::State::make_shared(const GpuLeaves& leaves, const GpuSlopes& of_leaves) {
  const auto count = static_cast<std::size_t>(leaves.count);
  make_slopes(leaves, of_leaves, stream);
  mean_gradients(leaves, of_leaves, means.data(), stream);
  if (tensor) {
    grow(rows, 3 * count * pixels());
    grow(tensors, 3 * count * pixels());
    make_tensors(leaves, of_leaves, weights, rows.data(), tensors.data(), means.data() + count,
                 stream);
  }
  CUDA_CHECK(cudaMemcpyAsync(host_means.data(), means.data(),
                             (tensor ? 2 : 1) * count * sizeof(double), cudaMemcpyDeviceToHost,
                             stream.get()));
}

LeafChannels::LeafChannels(std::span<const Channel> channels, int size, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  state_ = std::make_unique<State>(channels, size, gpu);
}
LeafChannels::~LeafChannels() = default;

ImageBatch LeafChannels::compute(std::span<const PreparedLeaf* const> leaves,
                                 std::vector<MadeChannels>& made) {
  State& s = *state_;
  const DeviceScope scope(s.gpu.index);
  const std::size_t count = leaves.size(), pixels = s.pixels();
  const Layout layout{count, pixels, s.of_host.size(), s.hulls};
  std::vector<std::uint8_t> host_constant;
  s.send(leaves, layout, host_constant);
  const std::byte* sent = s.sent.data();
  const GpuLeaves on_gpu{s.size,
                         static_cast<int>(count),
                         reinterpret_cast<const float*>(sent + layout.grey()),
                         reinterpret_cast<const std::uint8_t*>(sent + layout.mask()),
                         reinterpret_cast<const std::uint8_t*>(sent + layout.hull()),
                         reinterpret_cast<const LeafRecord*>(sent)};
  grow(s.images, count * s.channels.size() * pixels);
  grow(s.means, 2 * count);
  grow(s.host_means, 2 * count);
  if (s.slopes) {
    grow(s.inside, count * pixels);
    grow(s.across, count * pixels);
    grow(s.down, count * pixels);
  }
  const GpuSlopes slopes{s.inside.data(), s.across.data(), s.down.data()};
  if (s.slopes) s.make_shared(on_gpu, slopes);
  std::size_t of_host = 0;
  for (std::size_t c = 0; c < s.channels.size(); ++c) {
    const Channel channel = s.channels[c];
    const ChannelImages out{s.images.data() + c * pixels, s.channels.size() * pixels};
    if (is_of_host(channel)) {
      const std::byte* values = sent + layout.channel(of_host++);
      place_channel(on_gpu, reinterpret_cast<const float*>(values), out, s.stream);
    } else if (channel == Channel::kGradient) {
      make_gradients(on_gpu, slopes, s.means.data(), out, s.stream);
    } else if (needs_tensor(channel)) {
      make_orientation(on_gpu, slopes, s.tensors.data(), s.means.data() + count,
                       channel == Channel::kRadial, out, s.stream);
    } else {
      make_plain_channel(on_gpu, *plain(channel), out, s.stream);
    }
  }
  s.stream.wait();

  made.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    of_host = 0;
    if (s.slopes) made[i].mean_gradient = s.host_means.data()[i];
    for (const Channel channel : s.channels) {
      const bool is_constant =
          is_of_host(channel)             ? host_constant[of_host++ * count + i] != 0
          : channel == Channel::kGradient ? !(s.host_means.data()[i] > kLeastVariation)
          : needs_tensor(channel)         ? !(s.host_means.data()[count + i] > kLeastTrace)
          : channel == Channel::kStandardised || channel == Channel::kRounded
              ? !(leaves[i]->measures.spread_grey > kLeastVariation)
              : false;
      if (is_constant) made[i].constant.push_back(channel);
    }
  }
  ImageBatch images(std::span<const float>(s.images.data(), s.images.size()),
                    count * s.channels.size(), s.size);
  images.memory = MemoryKind::kDevice;
  return images;
}

}  // namespace leafglyph::gpu
