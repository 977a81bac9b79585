#include "gpu/bessel_fourier/ring_transform.h"

#include <algorithm>
#include <future>
#include <memory>
#include <type_traits>
#include <vector>

#include "features/base/threads.h"
#include "features/bessel_fourier/ring_tables.h"
#include "features/moments/radial.h"
#include "gpu/bessel_fourier/ring_kernels.h"
#include "gpu/cuda/convert.h"
#include "gpu/cuda/cublas.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {
namespace {

// The rows of a group of chunks take about this much memory, so that the largest arrays do not grow
// with the number of points.
constexpr std::size_t kGroupBytes = std::size_t{1} << 30;

// Ranges of repetitions start at multiples of this: the symmetries of the octant depend on m mod 4,
// and cuBLAS is fastest on full tiles.
constexpr std::size_t kStep = 32;

// Points per chunk: many, for few launches with long sums; few if rings contain few points.
std::size_t chunk_points(std::size_t points, std::size_t runs) {
  return runs > 0 && points / runs > 4096 ? 1024 : 256;
}

// The chunks of all runs, divided into groups that are expanded and multiplied together.
struct ChunkList {
  struct Group {
    std::size_t first = 0;  // first chunk
    std::size_t count = 0;
    std::size_t first_ring = 0;  // first entry in `rings`
    std::size_t ring_count = 0;
  };

  std::vector<PointChunk> chunks;
  std::vector<RingChunks> rings;  // of every group; chunks are counted from the group's first
  std::vector<Group> groups;
  std::size_t points = 0;  // total
  std::size_t points_per_chunk = 0;

  void add_run(const PointChunk& first, std::size_t run_points) {
    for (std::size_t p = 0; p < run_points; p += points_per_chunk) {
      PointChunk chunk = first;
      chunk.first_point = p;
      chunk.count = static_cast<std::uint32_t>(std::min(points_per_chunk, run_points - p));
      chunks.push_back(chunk);
    }
  }

  void cut_into_groups(std::size_t group_chunks) {
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      if (groups.empty() || groups.back().count == group_chunks) {
        groups.push_back({c, 0, rings.size(), 0});
      }
      Group& group = groups.back();
      const bool goes_on = group.ring_count > 0 && rings.back().ring == chunks[c].ring;
      if (!goes_on) {
        rings.push_back({chunks[c].ring, static_cast<std::uint32_t>(group.count), 0});
        ++group.ring_count;
      }
      ++rings.back().count;
      ++group.count;
    }
  }

  std::size_t largest_group() const {
    std::size_t largest = 0;
    for (const Group& group : groups) largest = std::max(largest, group.count);
    return largest;
  }
};

// The nodes and weights of all rules in sequence: the adaptive rules, the two of the centre, the
// single point.
struct RuleTable {
  std::vector<double> nodes;
  std::vector<double> weights;

  std::uint32_t add(const PixelQuadrature& rule) {
    const auto offset = static_cast<std::uint32_t>(nodes.size());
    nodes.insert(nodes.end(), rule.nodes.begin(), rule.nodes.end());
    weights.insert(weights.end(), rule.weights.begin(), rule.weights.end());
    return offset;
  }
};

template <class T>
class GpuRings final : public RingTransform, private TransformShape {
 public:
  GpuRings(const MomentSpec& s, int image_size, const GpuDevice& gpu)
      : TransformShape(s, image_size),
        gpu_(gpu),
        rows_(2 * (static_cast<std::size_t>(angular_order_of(s)) + 1)),
        copies_(size().elements() * sizeof(double)) {
    // Loading cuBLAS takes as long as the tables.
    auto blas = std::async(std::launch::async, [&] {
      const DeviceScope scope(gpu.index);
      return std::make_unique<Cublas>(stream_);
    });
    const RingTables tables(s, image_size);
    orders_ = tables.rings.functions().rows;
    terms_ = tables.rings.terms();
    row_length_ = tables.rings.row_length();
    lay_out_points(tables);
    upload_pixels(tables);
    make_rings(tables.rings);
    place_moments(tables);
    reserve();
    fill_addresses();
    blas_ = blas.get();
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", " + leafglyph::describe(spec()) + ", ring products by cuBLAS in " +
           (std::is_same_v<T, float> ? "float" : "double");
  }
  double device_milliseconds() const override { return milliseconds_between(start_, end_); }
  std::size_t points() const override { return samples_.points; }
  double multiplies() const override {
    return static_cast<double>(rows_) *
           (static_cast<double>(samples_.points) * static_cast<double>(terms_) +
            static_cast<double>(orders_) * static_cast<double>(row_length_));
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const DeviceScope scope(gpu_.index);
    for (std::size_t b = 0; b < images.count; ++b) {
      compute_one(images.slice(b, 1), moments.subspan(b * moment_count(), moment_count()));
    }
  }

  // Every repetition takes equally long.
  std::vector<int> cuts(std::size_t shares) const override {
    const std::size_t steps = (repetitions() + kStep - 1) / kStep;
    std::vector<int> cuts;
    for (std::size_t s = 0; s <= shares; ++s) {
      cuts.push_back(static_cast<int>(std::min(repetitions(), steps * s / shares * kStep)));
    }
    return cuts;
  }

  void compute_repetitions(const ImageBatch& image, int first, int last,
                           std::span<std::complex<double>> moments) override {
    if (first == last) return;
    const DeviceScope scope(gpu_.index);
    const Range range{static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)};
    sum_points(image, range);
    finish_some_moments(products_.data(), places_, range.count, moments_.data(), stream_);
    end_.record(stream_);
    const auto take = [&](const std::byte* piece, std::size_t at, std::size_t bytes) {
      constexpr std::size_t kSize = sizeof(std::complex<double>);
      place(range, reinterpret_cast<const std::complex<double>*>(piece), at / kSize, bytes / kSize,
            moments);
    };
    copies_.receive(moments_.data(), orders_ * range.count * sizeof(std::complex<double>), take,
                    stream_);
  }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    const DeviceScope scope(gpu_.index);
    copies_.send(weighted.data(), /*on_host=*/true, weighted.size_bytes(), moments_.data(),
                 stream_);
    start_.record(stream_);
    spread_moments(moments_.data(), places_, products_.data(), stream_);
    blas_->product<T>(Operand::kPlain, Operand::kPlain, {rows_, row_length_, orders_},
                      {products_.data(), orders_, 0}, {ring_table_.data(), row_length_, 0}, T{0},
                      {sums_.data(), row_length_, 0});
    CUDA_CHECK(cudaMemsetAsync(image_.data(), 0, image_.bytes(), stream_.get()));
    for (const auto& group : centres_.groups) scatter(group);
    end_.record(stream_);
    copies_.receive(image_.data(), image.size_bytes(), image.data(), stream_);
  }

 private:
  using Group = ChunkList::Group;

  // Some of the repetitions.
  struct Range {
    std::size_t first;
    std::size_t count;
  };
  std::size_t repetitions() const { return rows_ / 2; }

  // The products of a range of repetitions.
  void sum_points(const ImageBatch& image, const Range& range) {
    const std::size_t rows = 2 * range.count;
    load_values(image, copies_, room_, image_.data(), stream_);
    start_.record(stream_);
    fold_pixels(point_tables_, image_.data(), folded_.data(), stream_);
    CUDA_CHECK(cudaMemsetAsync(sums_.data(), 0, rows * row_length_ * sizeof(T), stream_.get()));
    for (const auto& group : samples_.groups) gather(group, range);
    blas_->product<T>(Operand::kPlain, Operand::kTransposed, {rows, orders_, row_length_},
                      {sums_.data(), row_length_, 0}, {ring_table_.data(), row_length_, 0}, T{0},
                      {products_.data(), orders_, 0});
  }

  // Moments `from` to from + count - 1 of those of finish_some_moments, in their places.
  void place(const Range& range, const std::complex<double>* some, std::size_t from,
             std::size_t count, std::span<std::complex<double>> moments) const {
    constexpr std::size_t kTogether = std::size_t{1} << 13;
    parallel_for({.count = (count + kTogether - 1) / kTogether, .serial = 2},
                 [&](std::size_t part) {
                   const std::size_t end = std::min(count, (part + 1) * kTogether);
                   for (std::size_t i = part * kTogether; i < end; ++i) {
                     const std::size_t row = (from + i) / range.count;
                     const std::size_t m = range.first + (from + i) % range.count;
                     moments[places_on_host_[row * repetitions() + m]] = some[i];
                   }
                 });
  }

  void compute_one(const ImageBatch& image, std::span<std::complex<double>> moments) {
    sum_points(image, {0, repetitions()});
    finish_moments(products_.data(), places_, moments_.data(), stream_);
    end_.record(stream_);
    copies_.receive(moments_.data(), moments.size_bytes(), moments.data(), stream_);
  }

  void lay_out_points(const RingTables& tables) {
    RuleTable rules;
    std::vector<std::uint32_t> offsets;
    for (std::size_t r = 0; r < tables.rules.count(); ++r) {
      offsets.push_back(rules.add(tables.rules.rule(r)));
    }
    const std::uint32_t across = rules.add(tables.rules.centre_across());
    const std::uint32_t along = rules.add(tables.rules.centre_along());
    const std::uint32_t single = rules.add(midpoint_rule(1));
    std::vector<PointChunk> runs;
    for (const auto& run : tables.runs) {
      PointChunk chunk;
      chunk.ring_centre = tables.rings.centre(run.ring);
      chunk.ring = static_cast<std::uint32_t>(run.ring);
      chunk.first_pixel = static_cast<std::uint32_t>(run.first);
      chunk.is_centre = run.is_centre ? 1 : 0;
      chunk.across_offset = run.is_centre ? across : offsets[run.rule];
      chunk.along_offset = run.is_centre ? along : offsets[run.rule];
      const PixelQuadrature& rule =
          run.is_centre ? tables.rules.centre_across() : tables.rules.rule(run.rule);
      chunk.across = static_cast<std::uint32_t>(rule.points());
      chunk.along = run.is_centre ? static_cast<std::uint32_t>(tables.rules.centre_along().points())
                                  : chunk.across;
      samples_.points += run.count * chunk.across * chunk.along;
      runs.push_back(chunk);
    }
    samples_.points_per_chunk = chunk_points(samples_.points, tables.runs.size());
    centres_.points_per_chunk = 256;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::size_t pixels = tables.runs[r].count;
      samples_.add_run(runs[r], pixels * runs[r].across * runs[r].along);
      runs[r].is_centre = 0;
      runs[r].across = runs[r].along = 1;
      runs[r].across_offset = runs[r].along_offset = single;
      centres_.add_run(runs[r], pixels);
    }
    for (ChunkList* list : {&samples_, &centres_}) {
      const std::size_t chunk_bytes = rows_ * list->points_per_chunk * sizeof(T);
      list->cut_into_groups(std::clamp<std::size_t>(kGroupBytes / chunk_bytes, 1, 4096));
    }
    nodes_ = copy_to_device(std::span<const double>(rules.nodes));
    weights_ = copy_to_device(std::span<const double>(rules.weights));
    sample_chunks_ = copy_to_device(std::span<const PointChunk>(samples_.chunks));
    sample_rings_ = copy_to_device(std::span<const RingChunks>(samples_.rings));
    centre_chunks_ = copy_to_device(std::span<const PointChunk>(centres_.chunks));
  }

  void upload_pixels(const RingTables& tables) {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<double> weight;
    std::vector<std::int32_t> images;
    for (const OctantPixel& pixel : tables.pixels) {
      x.push_back(pixel.x);
      y.push_back(pixel.y);
      weight.push_back(pixel.weight);
      images.insert(images.end(), pixel.images.begin(), pixel.images.end());
    }
    x_ = copy_to_device(std::span<const double>(x));
    y_ = copy_to_device(std::span<const double>(y));
    weight_ = copy_to_device(std::span<const double>(weight));
    images_ = copy_to_device(std::span<const std::int32_t>(images));
    const RingFunctions& functions = tables.rings.functions();
    point_tables_ = {x_.data(),
                     y_.data(),
                     weight_.data(),
                     images_.data(),
                     tables.pixels.size(),
                     nodes_.data(),
                     weights_.data(),
                     1.0 / image_size(),
                     tables.rules.centre_side(),
                     tables.rings.inverse_half_width(),
                     static_cast<double>(tables.rings.rings()),
                     functions.by_angle ? 1U : 0U,
                     functions.by_point ? 1U : 0U,
                     functions.power,
                     functions.inner_power,
                     functions.outer_power};
  }

  // J_1 is evaluated on the GPU; tables of the other functions come from the host.
  void make_rings(const RadialRings& rings) {
    if (spec().family != Family::kBesselFourier) {
      const std::vector<double> table = rings.table();
      const std::vector<T> converted(table.begin(), table.end());
      ring_table_ = copy_to_device(std::span<const T>(converted));
      return;
    }
    ring_table_ = DeviceBuffer<T>(orders_ * row_length_);
    const std::vector<double> all_zeros = bessel_j1_zeros(spec().order);
    const DeviceBuffer<double> zeros = copy_to_device(std::span<const double>(all_zeros));
    const DeviceBuffer<double> samples = copy_to_device(rings.samples());
    const DeviceBuffer<double> to_coefficients = copy_to_device(rings.to_coefficients());
    fill_ring_table({zeros.data(), orders_, rings.rings(), terms_, rings.half_width(),
                     samples.data(), to_coefficients.data()},
                    ring_table_.data(), stream_);
    stream_.wait();
  }

  void place_moments(const RingTables& tables) {
    const RingFunctions& functions = tables.rings.functions();
    places_on_host_.assign(tables.positions.begin(), tables.positions.end());
    positions_ = copy_to_device(std::span<const std::uint32_t>(places_on_host_));
    norms_ = copy_to_device(std::span<const double>(functions.norms));
    places_ = {positions_.data(), norms_.data(), orders_, rows_ / 2, functions.in_pairs};
  }

  void reserve() {
    const auto room = [this](const ChunkList& list, std::size_t per_chunk) {
      return list.largest_group() * per_chunk;
    };
    const std::size_t samples = samples_.points_per_chunk;
    const std::size_t centres = centres_.points_per_chunk;
    image_ = DeviceBuffer<double>(size().elements());
    folded_ = DeviceBuffer<double>(8 * point_tables_.pixels);
    term_values_ =
        DeviceBuffer<T>(terms_ * std::max(room(samples_, samples), room(centres_, centres)));
    point_rows_ =
        DeviceBuffer<T>(rows_ * std::max(room(samples_, samples), room(centres_, centres)));
    parts_ = DeviceBuffer<T>(rows_ * room(samples_, terms_));
    sums_ = DeviceBuffer<T>(rows_ * row_length_);
    products_ = DeviceBuffer<T>(rows_ * orders_);
    moments_ = DeviceBuffer<double>(rows_ * orders_);
  }

  // The addresses of the three matrices in every product of scatter().
  void fill_addresses() {
    std::vector<const T*> sums;
    std::vector<const T*> terms;
    std::vector<T*> rows;
    for (const Group& group : centres_.groups) {
      for (std::size_t c = 0; c < group.count; ++c) {
        sums.push_back(sums_.data() + centres_.chunks[group.first + c].ring * terms_);
        terms.push_back(term_values_.data() + c * terms_ * centres_.points_per_chunk);
        rows.push_back(point_rows_.data() + c * rows_ * centres_.points_per_chunk);
      }
    }
    sums_addresses_ = copy_to_device(std::span<const T* const>(sums));
    term_addresses_ = copy_to_device(std::span<const T* const>(terms));
    row_addresses_ = copy_to_device(std::span<T* const>(rows));
  }

  GroupShape shape(const ChunkList& list, const DeviceBuffer<PointChunk>& chunks,
                   const Group& group, const Range& range) const {
    return {chunks.data() + group.first,
            group.count,
            list.points_per_chunk,
            terms_,
            range.first,
            range.count};
  }

  void gather(const Group& group, const Range& range) {
    const std::size_t points = samples_.points_per_chunk;
    const std::size_t rows = 2 * range.count;
    expand_points(point_tables_, shape(samples_, sample_chunks_, group, range), folded_.data(),
                  term_values_.data(), point_rows_.data(), stream_);
    blas_->product<T>(Operand::kPlain, Operand::kTransposed, {rows, terms_, points, group.count},
                      {point_rows_.data(), points, rows * points},
                      {term_values_.data(), points, terms_ * points}, T{0},
                      {parts_.data(), terms_, rows * terms_});
    add_chunks(sample_rings_.data() + group.first_ring, group.ring_count, rows, terms_, row_length_,
               parts_.data(), sums_.data(), stream_);
  }

  void scatter(const Group& group) {
    const GroupShape group_shape = shape(centres_, centre_chunks_, group, {0, repetitions()});
    const std::size_t points = centres_.points_per_chunk;
    expand_terms(point_tables_, group_shape, term_values_.data(), stream_);
    blas_->product<T>(Operand::kPlain, Operand::kPlain, {rows_, points, terms_, group.count},
                      sums_addresses_.data() + group.first, row_length_,
                      term_addresses_.data() + group.first, points,
                      row_addresses_.data() + group.first, points);
    unfold_points(point_tables_, group_shape, point_rows_.data(), image_.data(), stream_);
  }

  GpuDevice gpu_;
  std::size_t rows_;        // two per repetition
  std::size_t orders_ = 0;  // rows of the functions
  std::size_t terms_ = 0;
  std::size_t row_length_ = 0;
  ChunkList samples_;  // points for the moments
  ChunkList centres_;  // points for the reconstruction
  Stream stream_;
  StagedCopy copies_;
  Event start_;
  Event end_;
  std::unique_ptr<Cublas> blas_;
  PointTables point_tables_;
  MomentPlaces places_;
  std::vector<std::uint32_t> places_on_host_;
  DeviceBuffer<double> nodes_;
  DeviceBuffer<double> weights_;
  DeviceBuffer<double> x_;
  DeviceBuffer<double> y_;
  DeviceBuffer<double> weight_;
  DeviceBuffer<std::int32_t> images_;
  DeviceBuffer<PointChunk> sample_chunks_;
  DeviceBuffer<RingChunks> sample_rings_;
  DeviceBuffer<PointChunk> centre_chunks_;
  DeviceBuffer<T> ring_table_;
  DeviceBuffer<double> norms_;
  DeviceBuffer<std::uint32_t> positions_;
  DeviceBuffer<double> image_;
  DeviceBuffer<double> folded_;
  DeviceBuffer<T> term_values_;
  DeviceBuffer<T> point_rows_;
  DeviceBuffer<T> parts_;     // one matrix of rows x terms per chunk of a group
  DeviceBuffer<T> sums_;      // rows x row_length
  DeviceBuffer<T> products_;  // rows x orders
  DeviceBuffer<double> moments_;
  DeviceBuffer<unsigned char> room_;  // for images whose pixels are not doubles
  DeviceBuffer<const T*> sums_addresses_;
  DeviceBuffer<const T*> term_addresses_;
  DeviceBuffer<T*> row_addresses_;
};

}  // namespace

std::shared_ptr<RingTransform> make_ring_transform(const MomentSpec& spec, int image_size,
                                                   Precision precision, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  if (precision == Precision::kFloat) {
    return std::make_shared<GpuRings<float>>(spec, image_size, gpu);
  }
  return std::make_shared<GpuRings<double>>(spec, image_size, gpu);
}

constinit const Algorithm<GpuDevice> kRings = {
    .name = "rings",
    .moments = {.supports = has_rings, .bytes = ring_bytes, .work = ring_moments_work},
    .images = {.supports = has_rings, .bytes = ring_bytes, .work = ring_images_work},
    .make_both = [](const PlanRequest& request,
                    const GpuDevice& gpu) -> std::shared_ptr<TwoWayTransform> {
      return make_ring_transform(request.spec, request.image_size(), request.precision, gpu);
    },
};

}  // namespace leafglyph::gpu
