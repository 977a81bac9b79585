#include "gpu/local/local_moments.h"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <vector>

#include "features/base/limits.h"
#include "gpu/cuda/cuda_raii.h"
#include "gpu/cuda/host_copy.h"

namespace leafglyph::gpu {
namespace {

constexpr int kThreads = 128;
constexpr int kDegrees = kMaxLocalOrder + 1;
// Sums of a pass in registers, as on the CPU.
constexpr int kSums = 10;
// Of prefix sums, and of maps, on the GPU at a time.
constexpr std::size_t kPartBytes = std::size_t{1} << 29U;

// A real moment, or the real and the imaginary part of another one.
constexpr int kAlone = 0;
constexpr int kFirst = 1;
constexpr int kSecond = 2;

// LocalTables on the GPU, and where a part lies. Prefix sums are at
// sums[((row * pieces + piece) * degrees + p) * row_length + place].
struct Part {
  int degrees;
  int sites;
  int padded_sites;
  int pixels;
  int reach;
  int row_length;
  int step;
  int pieces;
  int columns;
  int numbers;
  int pixel_rows;
  int site_rows;
  const double* polynomials;
  const int* place;
  const int2* chords;
  const double* heights;
  const double* shift;
  const int* first_term;
  const double* factors;
  const int2* products;  // p and q of a term
  const int* kinds;      // of a number: kAlone, kFirst or kSecond
};

struct Picture {
  const double* values;
  const int* rows;     // seen at each row of the part; -1: none
  const int* columns;  // seen at each pixel of each piece: [piece * pixels + u]
  int width;
};

// One thread takes one degree of one row of a piece.
__global__ void __launch_bounds__(kThreads) prefix_rows(Part part, Picture picture, double* sums) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t pieces = static_cast<std::size_t>(part.pixel_rows) * part.pieces;
  if (thread >= pieces * part.degrees) return;
  const int p = static_cast<int>(thread % part.degrees);
  const std::size_t of_row = thread / part.degrees;
  const int piece = static_cast<int>(of_row % part.pieces);
  const int row = picture.rows[of_row / part.pieces];
  double* const out = sums + (of_row * part.degrees + p) * part.row_length;
  const double* const polynomial = part.polynomials + static_cast<std::size_t>(p) * part.pixels;
  const int* const columns = picture.columns + static_cast<std::size_t>(piece) * part.pixels;
  double sum = 0.0;
  out[part.place[0]] = 0.0;
  for (int u = 0; u < part.pixels; ++u) {
    if (row >= 0 && columns[u] >= 0) {
      sum += picture.values[static_cast<std::size_t>(row) * picture.width + columns[u]] *
             polynomial[u];
    }
    out[part.place[u + 1]] = sum;
  }
}

// One thread takes one site. Rows at equal distances above and below add for even q and subtract
// for odd q.
template <class T>
__global__ void __launch_bounds__(kThreads)
    sum_sites(Part part, const double* __restrict__ sums, T* maps) {
  const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::size_t in_a_row = static_cast<std::size_t>(part.pieces) * part.padded_sites;
  if (thread >= in_a_row * part.site_rows) return;
  const int i = static_cast<int>(thread % part.padded_sites);
  const int piece = static_cast<int>(thread % in_a_row / part.padded_sites);
  const int site_row = static_cast<int>(thread / in_a_row);
  const int column = piece * part.sites + i;
  if (i >= part.sites || column >= part.columns) return;

  const std::size_t length = part.row_length;
  const std::size_t to_next_row = static_cast<std::size_t>(part.pieces) * part.degrees * length;
  const int middle = site_row * part.step + part.reach;
  double about_piece[kDegrees * (kDegrees + 1) / 2];  // by p, then q <= order - p
  int start = 0;
  for (int p = 0; p < part.degrees; ++p) {
    const double* const own = sums + middle * to_next_row +
                              (static_cast<std::size_t>(piece) * part.degrees + p) * length + i;
    const int count = part.degrees - p;
    for (int first = 0; first < count; first += kSums) {
      double of_q[kSums] = {};
      for (int dy = 0; dy <= part.reach; ++dy) {
        const int2 chord = part.chords[dy];
        const double* const above = own - dy * to_next_row;
        const double* const below = own + dy * to_next_row;
        const double up = above[chord.y] - above[chord.x];
        const double down = dy == 0 ? 0.0 : below[chord.y] - below[chord.x];
        const double both = up + down;
        const double difference = dy == 0 ? 0.0 : up - down;
        const double* const heights = part.heights + dy * part.degrees + first;
#pragma unroll
        for (int q = 0; q < kSums; ++q) {
          if (first + q < count) of_q[q] = fma(q % 2 == 0 ? both : difference, heights[q], of_q[q]);
        }
      }
      for (int q = 0; q < kSums && first + q < count; ++q) about_piece[start + first + q] = of_q[q];
    }
    start += count;
  }

  double about_site[kDegrees * (kDegrees + 1) / 2];
  start = 0;
  for (int p = 0; p < part.degrees; ++p) {
    const double* const factors =
        part.shift + static_cast<std::size_t>(p) * part.degrees * part.padded_sites + i;
    for (int q = 0; q < part.degrees - p; ++q) {
      double sum = 0.0;
      int of_j = q;
      for (int j = 0; j <= p; ++j) {
        sum = fma(factors[j * part.padded_sites], about_piece[of_j], sum);
        of_j += part.degrees - j;
      }
      about_site[start + q] = sum;
    }
    start += part.degrees - p;
  }

  const std::size_t map = static_cast<std::size_t>(part.site_rows) * part.columns;
  T* out = maps + static_cast<std::size_t>(site_row) * part.columns + column;
  double real = 0.0;
  for (int c = 0; c < part.numbers; ++c) {
    double sum = 0.0;
    const int last = part.first_term[c + 1];
    for (int t = part.first_term[c]; t < last; ++t) {
      const int2 product = part.products[t];
      const int place = product.x * part.degrees - product.x * (product.x - 1) / 2 + product.y;
      sum = fma(part.factors[t], about_site[place], sum);
    }
    if constexpr (std::is_same_v<T, double>) {
      out[c * map] = sum;
    } else {
      const int kind = part.kinds[c];
      if (kind != kFirst) {
        *out = static_cast<float>(kind == kAlone ? fabs(sum) : sqrt(real * real + sum * sum));
        out += map;
      }
      real = sum;
    }
  }
}

class GpuLocalMoments final : public LocalMoments {
 public:
  GpuLocalMoments(const LocalSpec& spec, int width, int height, const GpuDevice& gpu)
      : LocalMoments(spec, width, height), gpu_(gpu), copies_(kPartBytes) {
    const LocalTables& t = tables();
    part_.degrees = static_cast<int>(t.degrees);
    part_.sites = static_cast<int>(t.sites);
    part_.padded_sites = static_cast<int>(t.padded_sites);
    part_.pixels = static_cast<int>(t.pixels);
    part_.reach = static_cast<int>(t.reach);
    part_.row_length = static_cast<int>(t.row_length);
    part_.step = t.spec.step;
    part_.columns = columns();
    part_.pieces = (columns() + part_.sites - 1) / part_.sites;
    part_.numbers = static_cast<int>(t.numbers.size());
    part_.polynomials = keep(t.polynomials, polynomials_);
    part_.place = keep(std::vector<int>(t.place.begin(), t.place.end()), place_);
    std::vector<int2> chords;
    for (const LocalTables::Chord& chord : t.chords) {
      chords.push_back({static_cast<int>(chord.left), static_cast<int>(chord.right)});
    }
    part_.chords = keep(chords, chords_);
    part_.heights = keep(t.heights, heights_);
    part_.shift = keep(std::vector<double>(t.shift.begin(), t.shift.end()), shift_);
    part_.first_term =
        keep(std::vector<int>(t.first_term.begin(), t.first_term.end()), first_term_);
    part_.factors = keep(t.factors, factors_);
    std::vector<int2> products;
    for (const std::size_t product : t.products) {
      const auto at = static_cast<int>(product / t.padded_sites);
      products.push_back({at / part_.degrees, at % part_.degrees});
    }
    part_.products = keep(products, products_);
    std::vector<int> kinds;
    for (const LocalNumber& number : t.numbers) {
      kinds.push_back(number.m == 0 ? kAlone : number.imaginary ? kSecond : kFirst);
    }
    part_.kinds = keep(kinds, kinds_);
    std::vector<int> seen;
    for (int piece = 0; piece < part_.pieces; ++piece) {
      const std::ptrdiff_t left =
          static_cast<std::ptrdiff_t>(piece) * part_.sites * part_.step - part_.reach;
      for (int u = 0; u < part_.pixels; ++u) {
        seen.push_back(seen_at(left + u, this->width(), t.spec.border));
      }
    }
    columns_seen_ = copy_to_device(std::span<const int>(seen));
  }

  std::string describe() const override {
    return gpu_text(gpu_) + ", order " + std::to_string(tables().spec.order) + " about every " +
           (part_.step == 1 ? "pixel" : std::to_string(part_.step) + "-th pixel");
  }

 private:
  template <class T>
  static const T* keep(const std::vector<T>& values, DeviceBuffer<T>& buffer) {
    buffer = copy_to_device(std::span<const T>(values));
    return buffer.data();
  }

  void compute(std::span<const double> image, int first, int last,
               std::span<double> maps) const override {
    compute_as(image, first, last, maps);
  }
  void compute(std::span<const double> image, int first, int last,
               std::span<float> maps) const override {
    compute_as(image, first, last, maps);
  }

  // Sites of some rows at a time, whose prefix sums and maps each take at most kPartBytes.
  template <class T>
  void compute_as(std::span<const double> image, int first, int last, std::span<T> maps) const {
    if (first == last) return;
    const std::lock_guard lock(mutex_);
    const DeviceScope scope(gpu_.index);
    const std::size_t count = std::is_same_v<T, double> ? numbers().size() : moment_count();
    const auto all_columns = static_cast<std::size_t>(columns());
    const std::size_t sums_of_row = static_cast<std::size_t>(part_.pieces) *
                                    static_cast<std::size_t>(part_.degrees) *
                                    static_cast<std::size_t>(part_.row_length);
    const std::size_t around = 2 * tables().reach;
    const std::size_t by_sums =
        (std::max(kPartBytes / (sums_of_row * sizeof(double)), around + 1) - around) /
            static_cast<std::size_t>(part_.step) +
        1;
    const std::size_t by_maps = kPartBytes / (count * all_columns * sizeof(T)) + 1;
    const auto at_a_time =
        static_cast<int>(std::min({by_sums, by_maps, static_cast<std::size_t>(last - first)}));

    DeviceBuffer<double> values(image.size());
    copies_.send(image.data(), /*on_host=*/true, image.size_bytes(), values.data(), stream_);
    DeviceBuffer<double> sums;
    DeviceBuffer<T> out(count * all_columns * static_cast<std::size_t>(at_a_time));
    const std::size_t map = all_columns * static_cast<std::size_t>(last - first);
    for (int from = first; from < last; from += at_a_time) {
      Part part = part_;
      part.site_rows = std::min(at_a_time, last - from);
      part.pixel_rows = (part.site_rows - 1) * part.step + 2 * part.reach + 1;
      std::vector<int> rows;
      for (int row = 0; row < part.pixel_rows; ++row) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(from) * part.step - part.reach + row;
        rows.push_back(seen_at(at, height(), tables().spec.border));
      }
      const DeviceBuffer<int> rows_seen = copy_to_device(std::span<const int>(rows));
      grow(sums, sums_of_row * static_cast<std::size_t>(part.pixel_rows));
      const Picture picture{values.data(), rows_seen.data(), columns_seen_.data(), width()};
      prefix_rows<<<blocks(static_cast<std::size_t>(part.pixel_rows) * part.pieces * part.degrees),
                    kThreads, 0, stream_.get()>>>(part, picture, sums.data());
      CUDA_CHECK_LAUNCH("prefix_rows");
      sum_sites<<<blocks(static_cast<std::size_t>(part.site_rows) * part.pieces *
                         part.padded_sites),
                  kThreads, 0, stream_.get()>>>(part, sums.data(), out.data());
      CUDA_CHECK_LAUNCH("sum_sites");
      const std::size_t strip = all_columns * static_cast<std::size_t>(part.site_rows);
      for (std::size_t c = 0; c < count; ++c) {
        T* const to = maps.data() + c * map + all_columns * static_cast<std::size_t>(from - first);
        copies_.receive(out.data() + c * strip, strip * sizeof(T), to, stream_);
      }
    }
  }

  static unsigned blocks(std::size_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  }

  GpuDevice gpu_;
  mutable std::mutex mutex_;  // of the copies, which serve one call at a time
  Stream stream_;
  mutable StagedCopy copies_;
  Part part_ = {};
  DeviceBuffer<double> polynomials_;
  DeviceBuffer<int> place_;
  DeviceBuffer<int2> chords_;
  DeviceBuffer<double> heights_;
  DeviceBuffer<double> shift_;
  DeviceBuffer<int> first_term_;
  DeviceBuffer<double> factors_;
  DeviceBuffer<int2> products_;
  DeviceBuffer<int> kinds_;
  DeviceBuffer<int> columns_seen_;
};

}  // namespace

std::unique_ptr<LocalMoments> make_local_moments(const LocalSpec& spec, int width, int height,
                                                 const GpuDevice& gpu) {
  validate(spec);
  const DeviceScope scope(gpu.index);
  return std::make_unique<GpuLocalMoments>(spec, width, height, gpu);
}

}  // namespace leafglyph::gpu
