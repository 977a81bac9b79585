#include "gpu/separable/separable_transform.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "features/base/errors.h"
#include "features/separable/separable_transform.h"
#include "gpu/cuda/single_image.h"
#include "gpu/separable/recurrence_tables.h"

namespace leafglyph::gpu {
namespace {

// Memory for sums of lines that have not yet been combined at nodes. Bounds the number of lines
// that are processed together.
constexpr std::size_t kLineBytes = std::size_t{512} << 20;

// Moments that are copied to the host while the next ones are computed.
constexpr std::size_t kMomentsAtATime = std::size_t{1} << 19;

// With this many lines, every multiprocessor is busy without dividing a line among warps.
constexpr int kManyLines = 1024;

// Warps per block for `tiles` tiles if bytes(warps) of shared memory are needed: as many as leave
// room for a second block.
template <class Bytes>
int choose_warps(std::size_t tiles, const MomentSpec& spec, const GpuDevice& gpu,
                 const Bytes& bytes) {
  const auto limit = static_cast<std::size_t>(largest_shared_memory());
  if (bytes(1) > limit) {
    throw Error(describe(spec) + " needs " + std::to_string(bytes(1)) +
                " bytes of shared memory, but " + gpu.name + " has " + std::to_string(limit) +
                "; use --device cpu");
  }
  int warps = static_cast<int>(std::clamp<std::size_t>(tiles, 1, kMostWarps));
  while (warps > 1 && 2 * bytes(warps) > limit) --warps;
  return warps;
}

std::size_t tiles_of(std::size_t count, std::size_t tile) { return (count + tile - 1) / tile; }

std::string description(const MomentSpec& spec, const GpuDevice& gpu) {
  return gpu_text(gpu) + ", " + describe(spec) + ", separable transform in double";
}

class SeparableForward final : public ForwardTransform, private TransformShape {
 public:
  SeparableForward(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        gpu_(gpu),
        tables_(RecurrenceTables(disk_rule(spec, image_size), /*may_merge=*/true)),
        line_warps_(choose_line_warps()),
        node_warps_(choose_node_warps()) {
    load_line_sums();
    load_node_sums();
    load_rotation();
    check_rotation();
    split_panels();
    add_slot();
  }

  std::string describe() const override { return description(spec(), gpu_); }

  // Two images are in progress at a time: one is copied while the other is computed.
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const DeviceScope scope(gpu_.index);
    if (images.count > 1 && slots_.size() == 1) add_slot();
    for (std::size_t b = 0; b < images.count; ++b) {
      Slot& slot = *slots_[b % slots_.size()];
      slot.image.finish_receive();
      start(images.slice(b, 1), slot, moments.subspan(b * moment_count(), moment_count()));
    }
    for (const auto& slot : slots_) slot->image.finish_receive();
  }

 private:
  struct Slot {
    Slot(int image_size, std::size_t moment_count, std::size_t line_sums, std::size_t carried,
         std::size_t coefficients)
        : image(image_size, moment_count),
          line_sums(line_sums),
          carried(carried),
          kappa(coefficients) {}

    Stream stream;
    Stream copies;
    Event rotated;
    SingleImage image;
    DeviceBuffer<double> line_sums;  // of the panels in progress, [line][k][parity of y]
    DeviceBuffer<double> carried;    // [k][parity of y][node]
    DeviceBuffer<double> kappa;      // by degree and k
  };
  // Panels that are processed together, with their lines.
  struct PanelRun {
    std::size_t first;
    std::size_t last;
    int most_nodes;
  };

  std::size_t line_bytes(int warps) const {
    return sum_bytes(warps, line_sum_values(tables_.terms()));
  }
  std::size_t node_bytes(int warps) const {
    return sum_bytes(warps + 1, node_sum_values(spec().order));
  }

  int choose_line_warps() const {
    const auto places = static_cast<std::size_t>(tables_.most_places());
    return choose_warps(tables_.line_count() >= kManyLines ? 1 : tiles_of(places, kWarpTile),
                        spec(), gpu_, [this](int warps) { return line_bytes(warps); });
  }
  int choose_node_warps() const {
    const auto nodes = static_cast<std::size_t>(tables_.nodes().count);
    return choose_warps(tiles_of(nodes, nodes <= kFewNodes ? kWarpTile / 2 : kWarpTile), spec(),
                        gpu_, [this](int warps) { return node_bytes(warps); });
  }
  void check_rotation() const {
    const auto bytes = [this](int) { return rotation_bytes(spec().order); };
    static_cast<void>(choose_warps(1, spec(), gpu_, bytes));
  }

  std::size_t line_row() const { return 2 * static_cast<std::size_t>(tables_.terms()); }

  void add_slot() {
    std::size_t lines = 0;
    for (const PanelRun& run : runs_) lines = std::max(lines, lines_of(run));
    const auto nodes = static_cast<std::size_t>(tables_.nodes().count);
    slots_.push_back(std::make_unique<Slot>(image_size(), moment_count(), lines * line_row(),
                                            nodes * line_row(), degree_row(spec().order + 1, 0)));
  }

  std::size_t lines_of(const PanelRun& run) const {
    const auto& panels = tables_.panels_on_host();
    return static_cast<std::size_t>(panels[run.last - 1].last_line - panels[run.first].first_line);
  }

  void split_panels() {
    const std::size_t most = std::max<std::size_t>(1, kLineBytes / (line_row() * sizeof(double)));
    const auto& panels = tables_.panels_on_host();
    for (std::size_t p = 0; p < panels.size(); ++p) {
      const bool fits = !runs_.empty() && lines_of({runs_.back().first, p + 1, 0}) <= most;
      if (!fits) runs_.push_back({p, p, 0});
      runs_.back().last = p + 1;
      runs_.back().most_nodes = std::max(runs_.back().most_nodes, panels[p].nodes);
    }
  }

  void start(const ImageBatch& image, Slot& slot, std::span<std::complex<double>> moments) {
    slot.image.send(image, slot.stream);
    slot.image.with_pixels([&](const auto* pixels) { sum_lines(pixels, slot); });
    line_sums(tables_.nodes(), tables_.basis(), slot.carried.data(), node_warps_, slot.kappa.data(),
              slot.stream);
    finish(slot, moments);
  }

  // Computes the moments by ranges of degrees. Finished ranges are copied meanwhile.
  void finish(Slot& slot, std::span<std::complex<double>> moments) {
    const auto first_moment = [](int n) { return moment_position(Family::kZernike, n, n % 2); };
    for (int first = 0; first <= spec().order;) {
      int last = first;
      while (last < spec().order &&
             first_moment(last + 1) - first_moment(first) < kMomentsAtATime) {
        ++last;
      }
      rotate(tables_.rotation(), first, last, slot.kappa.data(), slot.image.moments(), slot.stream);
      slot.rotated.record(slot.stream);
      slot.rotated.hold_back(slot.copies);
      slot.image.start_receive(first_moment(first), first_moment(last + 1), moments, slot.copies);
      first = last + 1;
    }
  }

  template <class Pixel>
  void sum_lines(const Pixel* pixels, Slot& slot) {
    if (!tables_.merged()) {
      const auto nodes = static_cast<std::size_t>(tables_.nodes().count);
      legendre_sums(tables_.lines(), tables_.legendre(), pixels, 0, tables_.line_count(),
                    line_warps_, tables_.terms(), {1, 2 * nodes, nodes}, slot.carried.data(),
                    slot.stream);
      return;
    }
    const auto& panels = tables_.panels_on_host();
    for (const PanelRun& run : runs_) {
      const int first_line = panels[run.first].first_line;
      legendre_sums(tables_.lines(), tables_.legendre(), pixels, first_line,
                    static_cast<int>(lines_of(run)), line_warps_, tables_.terms(),
                    {line_row(), 2, 1}, slot.line_sums.data(), slot.stream);
      merge_lines(tables_.panels() + run.first, static_cast<int>(run.last - run.first),
                  run.most_nodes, first_line, tables_.terms(), slot.line_sums.data(), line_row(),
                  tables_.panel_weights(), slot.carried.data(),
                  static_cast<std::size_t>(tables_.nodes().count), slot.stream);
    }
  }

  GpuDevice gpu_;
  GpuTables tables_;
  int line_warps_;
  int node_warps_;
  std::vector<PanelRun> runs_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

std::vector<std::int32_t> counted_columns(const DiskRule& rule) {
  const DiskLines counted(rule);
  std::vector<std::int32_t> columns;
  for (std::size_t v = 0; v < counted.pairs(); ++v) {
    columns.push_back(static_cast<std::int32_t>(counted.columns(v)));
  }
  return columns;
}

class SeparableBackward final : public BackwardTransform, private TransformShape {
 public:
  SeparableBackward(const MomentSpec& spec, int image_size, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        gpu_(gpu),
        tables_(RecurrenceTables(centres_of(image_rule(spec, image_size)), /*may_merge=*/false)),
        columns_(copy_to_device(
            std::span<const std::int32_t>(counted_columns(image_rule(spec, image_size))))),
        turn_warps_(choose_warps(
            tiles_of(static_cast<std::size_t>(spec.order) / 2 + 1, kWarpTile), spec, gpu,
            [&spec](int warps) { return rotation_back_bytes(spec.order, warps); })),
        weighted_(moment_count()),
        kappa_(tables_.basis_length()),
        carried_(2 * static_cast<std::size_t>(tables_.nodes().count) *
                 static_cast<std::size_t>(tables_.terms())),
        image_(static_cast<std::size_t>(image_size) * static_cast<std::size_t>(image_size)),
        sent_(weighted_.bytes()),
        received_(image_.bytes()) {
    load_rotation();
    // Padding, and pixels that do not count, stay 0.
    for (auto* buffer : {&kappa_, &carried_, &image_}) {
      CUDA_CHECK(cudaMemsetAsync(buffer->data(), 0, buffer->bytes(), stream_.get()));
    }
  }

  std::string describe() const override { return description(spec(), gpu_); }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    const DeviceScope scope(gpu_.index);
    sent_.send(weighted.data(), /*on_host=*/true, weighted.size_bytes(), weighted_.data(), stream_);
    const BasisArrays basis = tables_.basis();
    rotate_back(tables_.rotation(), weighted_.data(), basis.rows, turn_warps_, kappa_.data(),
                stream_);
    line_values(tables_.nodes(), basis, tables_.legendre().factor, kappa_.data(), tables_.terms(),
                carried_.data(), stream_);
    LineArrays lines = tables_.lines();
    lines.columns = columns_.data();
    legendre_values(lines, tables_.legendre().slope, tables_.line_count(), tables_.most_places(),
                    carried_.data(), tables_.terms(), image_.data(), stream_);
    received_.receive(image_.data(), image_.bytes(), image.data(), stream_);
  }

 private:
  GpuDevice gpu_;
  GpuTables tables_;
  DeviceBuffer<std::int32_t> columns_;
  int turn_warps_;
  Stream stream_;
  DeviceBuffer<double2> weighted_;
  DeviceBuffer<double> kappa_;    // [k][j], rows of BasisArrays
  DeviceBuffer<double> carried_;  // [line][k][parity of y]
  DeviceBuffer<double> image_;
  StagedCopy sent_;
  StagedCopy received_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size,
                                                         const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  return std::make_shared<SeparableForward>(spec, image_size, gpu);
}

std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size,
                                                           const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  return std::make_shared<SeparableBackward>(spec, image_size, gpu);
}

constinit const Algorithm<GpuDevice> kSeparable = {
    .name = "separable",
    .moments = {
        .supports = is_separable,
        .make =
            [](const PlanRequest& request, const GpuDevice& gpu) {
              return make_separable_forward(request.spec, request.image_size(), gpu);
            },
        // The host's tables, and copies of them during the transfer.
        .bytes = [](const PlanRequest& request) { return 2 * separable_tables_bytes(request); },
        .work = separable_moments_work},
    .images = {
        .supports = has_separable_images,
        .make =
            [](const PlanRequest& request, const GpuDevice& gpu) {
              return make_separable_backward(request.spec, request.image_size(), gpu);
            },
        .bytes = [](const PlanRequest& request) { return 2 * separable_images_bytes(request); },
        .work = separable_images_work},
};

}  // namespace leafglyph::gpu
