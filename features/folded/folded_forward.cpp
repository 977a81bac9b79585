#include "features/folded/folded_forward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/threads.h"
#include "features/folded/folded_basis.h"
#include "features/kernels/fold_kernels.h"
#include "features/kernels/instruction_set.h"

namespace leafglyph {
namespace {

// Octant pixels that are folded and multiplied at a time, and images per product. The folded values
// of a tile (64 x 512 x 8 floats, 1 MiB) stay in the second-level cache. Smaller tiles make the
// products too thin, larger ones exceed the cache (measured: bench_moments).
constexpr std::size_t kChunkPixels = 512;
constexpr std::size_t kTileImages = 64;

template <class T>
class FoldedForward final : public ForwardTransform, private TransformShape {
 public:
  FoldedForward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size), basis_(spec, image_size), kernels_(fold_kernels()) {
    number_pixels(image_size);
    build_matrices();
  }

  bool reads_rows_apart() const override { return true; }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", folded products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const auto real = basis_.real_columns();
    const auto imaginary = basis_.imaginary_columns();
    for_each_tile(images, [&](std::size_t image, const T* sums) {
      std::complex<double>* row = moments.data() + image * moment_count();
      for (std::size_t c = 0; c < moment_count(); ++c) {
        row[c] = {static_cast<double>(sums[real[c]]), static_cast<double>(sums[imaginary[c]])};
      }
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    const auto real = basis_.real_columns();
    const auto imaginary = basis_.imaginary_columns();
    for_each_tile(images, [&](std::size_t image, const T* sums) {
      float* row = magnitudes.data() + image * moment_count();
      for (std::size_t c = 0; c < moment_count(); ++c) {
        const T re = sums[real[c]];
        const T im = sums[imaginary[c]];
        row[c] = static_cast<float>(std::sqrt(re * re + im * im));
      }
    });
  }

 private:
  // Numbers the eight mirror images of every octant pixel for rows that are `row_step` apart.
  void number_pixels(std::ptrdiff_t row_step) {
    if (row_step == row_step_) return;
    const auto& octant = basis_.grid().octant();
    numbers_.resize(8 * octant.size());
    for (std::size_t p = 0; p < octant.size(); ++p) {
      for (std::size_t q = 0; q < 8; ++q) {
        const int row = octant[p].images[q] / image_size();
        const int column = octant[p].images[q] % image_size();
        numbers_[q * octant.size() + p] = static_cast<std::int32_t>(row * row_step + column);
      }
    }
    row_step_ = row_step;
  }

  std::size_t chunk_count() const {
    return (basis_.grid().octant().size() + kChunkPixels - 1) / kChunkPixels;
  }
  std::size_t chunk_pixels(std::size_t chunk) const {
    return std::min(kChunkPixels, basis_.grid().octant().size() - chunk * kChunkPixels);
  }

  void build_matrices() {
    matrices_.resize(chunk_count());
    parallel_for_with_scratch({chunk_count()}, [&]() -> RoundJob {
      return [&, exact = FoldedBasis::Matrices()](std::size_t chunk) mutable {
        basis_.evaluate(
            std::span(basis_.grid().octant()).subspan(chunk * kChunkPixels, chunk_pixels(chunk)),
            exact);
        for (std::size_t g = 0; g < kFoldedProducts; ++g) {
          matrices_[chunk][g].assign(exact[g].begin(), exact[g].end());
        }
      };
    });
  }

  void fold(const ImageBatch& image, std::size_t chunk, const FoldOutputs<T>& outputs) const {
    const FoldRange range{numbers_.data(), basis_.grid().octant().size(), chunk * kChunkPixels,
                          chunk * kChunkPixels + chunk_pixels(chunk)};
    with_pixels(image.type, image.pixels,
                [&](const auto* pixels) { kernels_.fold(pixels, range, outputs); });
  }

  // Computes the sums of the images of one tile: sums[b * basis_.row_length() + column].
  void compute_tile(const ImageBatch& tile, std::vector<T>& folded, std::vector<T>& sums) const {
    std::fill(sums.begin(), sums.end(), T{});
    for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) {
      throw_if_interrupted();
      const std::size_t pixels = chunk_pixels(chunk);
      std::array<T*, kFoldedProducts> left{};
      T* next = folded.data();
      for (std::size_t g = 0; g < kFoldedProducts; ++g) {
        left[g] = next;
        next += tile.count * basis_.products()[g].sums_per_pixel * pixels;
      }
      for (std::size_t b = 0; b < tile.count; ++b) {
        T* re_odd = left[kReOdd] + 2 * b * pixels;
        T* im_odd = left[kImOdd] + 2 * b * pixels;
        fold(tile.slice(b, 1), chunk,
             {left[kRe0] + b * pixels, left[kIm0] + b * pixels, left[kRe2] + b * pixels,
              left[kIm2] + b * pixels, re_odd, re_odd + pixels, im_odd, im_odd + pixels});
      }
      for (std::size_t g = 0; g < kFoldedProducts; ++g) {
        const std::size_t depth = basis_.products()[g].sums_per_pixel * pixels;
        add_product_nt(tile.count, basis_.products()[g].moments.size(), depth, left[g], depth,
                       matrices_[chunk][g].data(), depth, sums.data() + basis_.products()[g].offset,
                       basis_.row_length());
      }
    }
  }

  // Calls write(image number, its row of sums) for every image. Threads share the tiles.
  template <class Write>
  void for_each_tile(const ImageBatch& images, const Write& write) {
    number_pixels(images.row_step());
    const auto threads = static_cast<std::size_t>(thread_count());
    const std::size_t tile_images =
        std::clamp<std::size_t>((images.count + threads - 1) / threads, 1, kTileImages);
    const std::size_t tiles = (images.count + tile_images - 1) / tile_images;
    const std::size_t folded_size =
        8 * tile_images * std::min(kChunkPixels, basis_.grid().octant().size());
    parallel_for_with_scratch({tiles}, [&]() -> RoundJob {
      return [&, folded = std::vector<T>(folded_size),
              sums = std::vector<T>(tile_images * basis_.row_length())](std::size_t t) mutable {
        const std::size_t first = t * tile_images;
        const ImageBatch tile = images.slice(first, std::min(tile_images, images.count - first));
        compute_tile(tile, folded, sums);
        for (std::size_t b = 0; b < tile.count; ++b) {
          write(first + b, sums.data() + b * basis_.row_length());
        }
      };
    });
  }

  FoldedBasis basis_;
  const FoldKernels& kernels_;
  std::ptrdiff_t row_step_ = 0;  // that numbers_ are for
  std::vector<std::int32_t> numbers_;
  // matrices_[chunk][g]: FoldedBasis::evaluate at the pixels of the chunk
  std::vector<std::array<std::vector<T>, kFoldedProducts>> matrices_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_folded_forward(const MomentSpec& spec, int image_size,
                                                      Precision precision) {
  if (precision == Precision::kFloat) {
    return std::make_shared<FoldedForward<float>>(spec, image_size);
  }
  return std::make_shared<FoldedForward<double>>(spec, image_size);
}

constinit const CpuAlgorithm kFolded = {
    .name = "folded",
    .moments = {.supports = has_folded_basis,
                .make =
                    [](const PlanRequest& request) {
                      return make_folded_forward(request.spec, request.image_size(),
                                                 request.precision);
                    },
                .bytes = folded_bytes,
                .work = folded_work},
};

}  // namespace leafglyph
