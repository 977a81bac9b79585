#include "gpu/ball/ball_transform.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "features/ball/ball_lines.h"
#include "features/ball/ball_products.h"
#include "features/ball/ball_transform.h"
#include "gpu/ball/ball_kernels.h"
#include "gpu/cuda/convert.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {
namespace {

// Bytes of the arrays of a group of volumes, as far as there are several.
constexpr std::size_t kBallGroupBytes = std::size_t{1} << 30;
constexpr std::size_t kMostVolumes = 512;
// Kernels take so many volumes at once; blocks of threads are full from kWarp on.
constexpr std::size_t kVolumesTogether = 4;
constexpr std::size_t kWarp = 32;

// How many volumes a group has if memory is there for `room`.
std::size_t volumes_together(std::size_t room) {
  room = std::clamp(room, kVolumesTogether, kMostVolumes);
  const std::size_t step = room < kWarp ? kVolumesTogether : kWarp;
  return room / step * step;
}

// The stages along x or y of all slices as one, from arrays of these lengths that follow one
// another to others.
template <class StageOf, class InLength, class OutLength>
BallStage joined(const BallProducts& products, const StageOf& stage_of, const InLength& in_length,
                 const OutLength& out_length) {
  BallStage all;
  std::size_t in = 0;
  std::size_t out = 0;
  for (int slice = 0; slice < products.grid().z().count(); ++slice) {
    const BallStage stage = stage_of(slice);
    all.columns = stage.columns;
    for (BallProduct p : stage.products) {
      p.table += all.table.size();
      p.in += in;
      p.out += out;
      all.products.push_back(p);
    }
    all.table.insert(all.table.end(), stage.table.begin(), stage.table.end());
    in += in_length(slice);
    out += out_length(slice);
  }
  return all;
}

BallStage x_stage_of(const BallProducts& products) {
  return joined(
      products, [&](int slice) { return products.x_stage(slice); },
      [&](int slice) { return products.folded_length(slice); },
      [&](int slice) { return products.lines_length(slice); });
}

// All slices have one result.
BallStage y_stage_of(const BallProducts& products) {
  return joined(
      products, [&](int slice) { return products.y_stage(slice); },
      [&](int slice) { return products.lines_length(slice); }, [](int) { return std::size_t{0}; });
}

// The products of a stage in the opposite direction.
BallStage transposed(const BallStage& stage) {
  BallStage back{stage.columns, {}, std::vector<double>(stage.table.size())};
  for (const BallProduct& p : stage.products) {
    for (std::size_t r = 0; r < p.rows; ++r) {
      for (std::size_t h = 0; h < p.depth; ++h) {
        back.table[p.table + h * p.rows + r] = stage.table[p.table + r * p.depth + h];
      }
    }
    back.products.push_back({p.table, p.out, p.in, p.depth, p.rows, p.out_step, p.in_step});
  }
  return back;
}

template <class T>
class DeviceStage {
 public:
  explicit DeviceStage(const BallStage& stage) : columns_(stage.columns) {
    std::vector<BallTile> tiles;
    std::vector<T> table;
    std::map<std::size_t, std::size_t> starts;  // of tables that several products share
    for (const BallProduct& p : stage.products) {
      std::size_t start = 0;
      if (p.rows > 0 && p.depth > 0) {
        const auto [shared, is_new] = starts.emplace(p.table, table.size());
        if (is_new) append(stage.table.data() + p.table, p, table);
        start = shared->second;
      }
      for (std::uint32_t row = 0; row < p.rows; row += kBallTileRows) {
        tiles.push_back({start + std::size_t{row} * p.depth, p.in,
                         p.out + std::size_t{row} * p.out_step, p.depth,
                         std::min(kBallTileRows, p.rows - row), p.in_step, p.out_step});
      }
    }
    tiles_ = copy_to_device(std::span<const BallTile>(tiles));
    table_ = copy_to_device(std::span<const T>(table));
  }

  void multiply(const DeviceBuffer<T>& in, DeviceBuffer<T>& out, std::size_t v,
                const Stream& stream) const {
    multiply_tiles(tiles_.data(), tiles_.size(), table_.data(), columns_, v, in.data(), out.data(),
                   stream);
  }

 private:
  // The table of a product in tiles, [h][row of the tile].
  static void append(const double* values, const BallProduct& p, std::vector<T>& table) {
    for (std::uint32_t first = 0; first < p.rows; first += kBallTileRows) {
      for (std::uint32_t h = 0; h < p.depth; ++h) {
        for (std::uint32_t row = first; row < first + kBallTileRows; ++row) {
          table.push_back(row < p.rows ? static_cast<T>(values[std::size_t{row} * p.depth + h])
                                       : T{});
        }
      }
    }
  }

  std::size_t columns_;
  DeviceBuffer<BallTile> tiles_;
  DeviceBuffer<T> table_;
};

// The five stages, forwards or back.
template <class T>
struct DeviceStages {
  using Make = BallStage (*)(const BallStage&);
  DeviceStages(const BallProducts& products, Make make)
      : x(make(x_stage_of(products))),
        y(make(y_stage_of(products))),
        z(make(products.z_stage())),
        plane(make(products.plane_stage())),
        space(make(products.space_stage())) {}

  DeviceStage<T> x, y, z, plane, space;
};

BallStage as_it_is(const BallStage& stage) { return stage; }

std::size_t sum_over_slices(const BallProducts& products,
                            std::size_t (BallProducts::*length)(int) const) {
  std::size_t sum = 0;
  for (int slice = 0; slice < products.grid().z().count(); ++slice) {
    sum += (products.*length)(slice);
  }
  return sum;
}

template <class T>
class GpuBall final : public TwoWayTransform, private TransformShape {
 public:
  GpuBall(const MomentSpec& s, const ArraySize& array, const GpuDevice& gpu)
      : TransformShape(s, array),
        gpu_(gpu),
        products_(BallGrid(array), s.order),
        folded_length_(sum_over_slices(products_, &BallProducts::folded_length)),
        lines_length_(sum_over_slices(products_, &BallProducts::lines_length)),
        upload_(kBallGroupBytes),
        download_(kBallGroupBytes) {
    set_lines();
    set_places();
    const std::size_t numbers = 2 * array.elements() + folded_length_ + lines_length_ +
                                products_.slices_length() + products_.degrees_length() +
                                products_.repetitions_length() + products_.parts_length();
    most_ = volumes_together(kBallGroupBytes / (numbers * sizeof(T)));
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + " of " +
           leafglyph::describe(size()) + ", products along lines of the ball in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::to_string(most_) +
           " volumes at a time";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    run(images, reinterpret_cast<double*>(moments.data()), 2 * moment_count(), complex_);
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    run(images, magnitudes.data(), moment_count(), real_);
  }

  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> image) override {
    compute_images(weighted, 1, last_order, image);
  }

  void compute_images(std::span<const std::complex<double>> weighted, std::size_t count,
                      int /*last_order*/, std::span<double> images) override {
    const DeviceScope scope(gpu_.index);
    if (!back_) back_.emplace(products_, transposed);
    const std::size_t voxels = size().elements();
    for (std::size_t b = 0; b < count; b += most_) {
      const BallGroup group = group_of(std::min(most_, count - b));
      reserve(group.v);
      grow(complex_, 2 * group.count * moment_count());
      grow(result_, group.count * voxels);
      upload_.send(weighted.data() + b * moment_count(), /*on_host=*/true,
                   group.count * moment_count() * sizeof(std::complex<double>), complex_.data(),
                   compute_stream_);
      scatter_ball(complex_.data(), group, backward_places_.data(), moment_count(), parts_.data(),
                   compute_stream_);
      back_->space.multiply(parts_, repetitions_, group.v, compute_stream_);
      back_->plane.multiply(repetitions_, degrees_, group.v, compute_stream_);
      back_->z.multiply(degrees_, slices_, group.v, compute_stream_);
      back_->y.multiply(slices_, along_x_, group.v, compute_stream_);
      back_->x.multiply(along_x_, folded_, group.v, compute_stream_);
      CUDA_CHECK(cudaMemsetAsync(result_.data(), 0, group.count * voxels * sizeof(double),
                                 compute_stream_.get()));
      unfold_voxels(folded_.data(), group, lines_.data(), lines_.size(), longest_, result_.data(),
                    compute_stream_);
      download_.receive(result_.data(), group.count * voxels * sizeof(double),
                        images.data() + b * voxels, compute_stream_);
    }
  }

 private:
  static constexpr std::size_t kSlots = 2;

  // Voxels of a group, on their way to the GPU or in use there.
  struct Slot {
    DeviceBuffer<T> voxels;
    DeviceBuffer<unsigned char> room;  // values as received, if not of type T
    Event arrived;
    Event used;
  };

  BallGroup group_of(std::size_t count) const {
    return {(count + kVolumesTogether - 1) / kVolumesTogether * kVolumesTogether, count,
            size().elements()};
  }

  void set_lines() {
    std::vector<BallLinePlace> places;
    std::size_t folded = 0;
    for (const BallLine& line : products_.grid().lines()) {
      const FoldedLine voxels(products_.grid(), size(), line);
      BallLinePlace place{};
      std::ranges::copy(voxels.right, place.right);
      std::ranges::copy(voxels.left, place.left);
      place.folded = folded;
      place.voxels = static_cast<std::uint32_t>(voxels.voxels);
      place.x_middle = voxels.x_middle;
      place.y_middle = voxels.y_middle;
      place.z_middle = voxels.z_middle;
      places.push_back(place);
      folded += 8 * voxels.voxels;
      longest_ = std::max(longest_, voxels.voxels);
    }
    lines_ = copy_to_device(std::span<const BallLinePlace>(places));
  }

  void set_places() {
    std::vector<BallMomentPlace> forward;
    std::vector<BallMomentPlace> backward;
    for (const BallPlace& place : products_.places()) {
      const auto m = static_cast<std::uint32_t>(place.m);
      forward.push_back({place.cosine, place.sine, products_.forward_scale(place.m), m});
      backward.push_back({place.cosine, place.sine, products_.backward_scale(place.m), m});
    }
    forward_places_ = copy_to_device(std::span<const BallMomentPlace>(forward));
    backward_places_ = copy_to_device(std::span<const BallMomentPlace>(backward));
  }

  void reserve(std::size_t v) {
    grow(folded_, folded_length_ * v);
    grow(along_x_, lines_length_ * v);
    grow(slices_, products_.slices_length() * v);
    grow(degrees_, products_.degrees_length() * v);
    grow(repetitions_, products_.repetitions_length() * v);
    grow(parts_, products_.parts_length() * v);
  }

  // Starts the upload of the group that begins with volume `first`, once its slot is free.
  void start_upload(const ImageBatch& images, std::size_t first) {
    Slot& slot = slots_[first / most_ % kSlots];
    const ImageBatch some = images.slice(first, std::min(most_, images.count - first));
    if (slot.voxels.size() < some.count * size().elements()) {
      slot.used.wait();
      grow(slot.voxels, some.count * size().elements());
    }
    slot.used.hold_back(upload_stream_);
    load_values(some, upload_, slot.room, slot.voxels.data(), upload_stream_);
    slot.arrived.record(upload_stream_);
  }

  // Writes `width` numbers per volume to `out`.
  template <class Out>
  void run(const ImageBatch& images, Out* out, std::size_t width, DeviceBuffer<Out>& results) {
    const DeviceScope scope(gpu_.index);
    if (!forward_) forward_.emplace(products_, as_it_is);
    reserve(group_of(std::min(most_, images.count)).v);
    grow(results, std::min(most_, images.count) * width);
    start_upload(images, 0);
    for (std::size_t b = 0; b < images.count; b += most_) {
      if (b + most_ < images.count) start_upload(images, b + most_);
      const BallGroup group = group_of(std::min(most_, images.count - b));
      Slot& slot = slots_[b / most_ % kSlots];
      slot.arrived.hold_back(compute_stream_);
      fold_voxels(slot.voxels.data(), group, lines_.data(), lines_.size(), longest_, folded_.data(),
                  compute_stream_);
      slot.used.record(compute_stream_);
      forward_->x.multiply(folded_, along_x_, group.v, compute_stream_);
      forward_->y.multiply(along_x_, slices_, group.v, compute_stream_);
      forward_->z.multiply(slices_, degrees_, group.v, compute_stream_);
      forward_->plane.multiply(degrees_, repetitions_, group.v, compute_stream_);
      forward_->space.multiply(repetitions_, parts_, group.v, compute_stream_);
      gather_ball(parts_.data(), group, forward_places_.data(), moment_count(), results.data(),
                  compute_stream_);
      download_.receive(results.data(), group.count * width * sizeof(Out), out + b * width,
                        compute_stream_);
    }
  }

  GpuDevice gpu_;
  BallProducts products_;
  std::size_t folded_length_;
  std::size_t lines_length_;
  std::size_t longest_ = 0;  // line
  std::size_t most_ = 0;     // volumes at a time
  Stream upload_stream_;
  Stream compute_stream_;
  StagedCopy upload_;
  StagedCopy download_;
  std::optional<DeviceStages<T>> forward_;
  std::optional<DeviceStages<T>> back_;
  DeviceBuffer<BallLinePlace> lines_;
  DeviceBuffer<BallMomentPlace> forward_places_;
  DeviceBuffer<BallMomentPlace> backward_places_;
  std::array<Slot, kSlots> slots_;
  DeviceBuffer<T> folded_;
  DeviceBuffer<T> along_x_;
  DeviceBuffer<T> slices_;
  DeviceBuffer<T> degrees_;
  DeviceBuffer<T> repetitions_;
  DeviceBuffer<T> parts_;
  DeviceBuffer<double> complex_;
  DeviceBuffer<float> real_;
  DeviceBuffer<double> result_;
};

}  // namespace

std::shared_ptr<TwoWayTransform> make_ball_transform(const MomentSpec& spec, const ArraySize& size,
                                                     Precision precision, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  if (precision == Precision::kFloat) return std::make_shared<GpuBall<float>>(spec, size, gpu);
  return std::make_shared<GpuBall<double>>(spec, size, gpu);
}

constinit const Algorithm<GpuDevice> kBall = {
    .name = "ball",
    .moments = {.supports = has_ball, .bytes = ball_bytes, .work = ball_work},
    .images = {.supports = has_ball, .bytes = ball_bytes, .work = ball_work},
    .make_both =
        [](const PlanRequest& request, const GpuDevice& gpu) {
          return make_ball_transform(request.spec, request.size, request.precision, gpu);
        },
};

}  // namespace leafglyph::gpu
