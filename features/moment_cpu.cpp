#include "features/moment_cpu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <numbers>
#include <type_traits>

#include "features/cpu_kernels.h"
#include "features/disk_grid.h"
#include "features/pixel_quadrature.h"
#include "features/product.h"
#include "features/radial_basis.h"
#include "features/threads.h"

namespace leafglyph {
namespace {

// Octant pixels folded and multiplied at a time, and images in one product. The folded values of a
// tile (64 x 512 x 8 floats, 1 MiB) stay in the second-level cache; smaller tiles leave the
// products too thin, larger ones the cache (measured: bench_moments).
constexpr std::size_t kChunkPixels = 512;
constexpr std::size_t kTileImages = 64;

// The six matrix products. The two odd ones have a left operand of two folded sums side by side.
enum Product { kRe0, kIm0, kRe2, kIm2, kReOdd, kImOdd, kProducts };

// Which moments a product yields, in the order of its columns.
struct ProductColumns {
  std::vector<std::size_t> moments;  // position of each column's moment in storage order
  std::size_t offset = 0;            // first column in a row of sums
  std::size_t sums_per_pixel = 1;    // folded values a pixel: 1, or 2 for the odd products
};

template <class T>
class FoldedEngine final : public MomentEngine {
 public:
  FoldedEngine(const MomentSpec& spec, int image_size)
      : MomentEngine(spec, image_size),
        grid_(image_size, spec.method, spec.subregions),
        kernels_(cpu_kernels()) {
    const auto& octant = grid_.octant();
    numbers_.resize(8 * octant.size());
    for (std::size_t p = 0; p < octant.size(); ++p) {
      for (std::size_t q = 0; q < 8; ++q) numbers_[q * octant.size() + p] = octant[p].images[q];
    }
    assign_columns();
    build_basis();
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", folded products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::string(kernels_.name) +
           ", " + std::to_string(thread_count()) + " threads";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    for_each_tile(images, [&](std::size_t image, const T* sums) {
      std::complex<double>* row = moments.data() + image * moment_count();
      for (std::size_t c = 0; c < moment_count(); ++c) {
        row[c] = {static_cast<double>(sums[real_column_[c]]),
                  static_cast<double>(sums[imaginary_column_[c]])};
      }
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    for_each_tile(images, [&](std::size_t image, const T* sums) {
      float* row = magnitudes.data() + image * moment_count();
      for (std::size_t c = 0; c < moment_count(); ++c) {
        const T re = sums[real_column_[c]];
        const T im = sums[imaginary_column_[c]];
        row[c] = static_cast<float>(std::sqrt(re * re + im * im));
      }
    });
  }

 private:
  // Gives every real and imaginary part its column in a row of sums. The last column stays zero:
  // it is the imaginary part of the moments with m = 0.
  void assign_columns() {
    const auto moments = indices();
    for (std::size_t c = 0; c < moments.size(); ++c) {
      const int residue = moments[c].m % 4;
      const Product re = residue == 0 ? kRe0 : residue == 2 ? kRe2 : kReOdd;
      const Product im = residue == 0 ? kIm0 : residue == 2 ? kIm2 : kImOdd;
      columns_[re].moments.push_back(c);
      if (moments[c].m > 0) columns_[im].moments.push_back(c);
    }
    columns_[kReOdd].sums_per_pixel = 2;
    columns_[kImOdd].sums_per_pixel = 2;
    real_column_.resize(moments.size());
    for (std::size_t g = 0; g < kProducts; ++g) {
      columns_[g].offset = row_length_;
      row_length_ += columns_[g].moments.size();
    }
    imaginary_column_.assign(moments.size(), row_length_);
    for (std::size_t g = 0; g < kProducts; ++g) {
      auto& target = g % 2 == 0 ? real_column_ : imaginary_column_;
      for (std::size_t k = 0; k < columns_[g].moments.size(); ++k) {
        target[columns_[g].moments[k]] = columns_[g].offset + k;
      }
    }
    ++row_length_;
  }

  std::size_t chunk_count() const {
    return (grid_.octant().size() + kChunkPixels - 1) / kChunkPixels;
  }
  std::size_t chunk_pixels(std::size_t chunk) const {
    return std::min(kChunkPixels, grid_.octant().size() - chunk * kChunkPixels);
  }

  // basis_[g][chunk] is the matrix (columns of product g) x (folded values of the chunk).
  void build_basis() {
    for (auto& chunks : basis_) chunks.resize(chunk_count());
    const RadialBasis radial(spec().family, spec().order);
    const PixelQuadrature quadrature = pixel_quadrature(spec().method, spec().subregions);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) {
      build_chunk(chunk, radial, quadrature);
    }
  }

  void build_chunk(std::size_t chunk, const RadialBasis& radial,
                   const PixelQuadrature& quadrature) {
    const std::size_t pixels = chunk_pixels(chunk);
    // cosine and sine sums over the sub-pixels, moment by moment, for one pixel at a time
    std::vector<double> cosines(moment_count());
    std::vector<double> sines(moment_count());
    std::vector<double> values(moment_count());
    for (std::size_t g = 0; g < kProducts; ++g) {
      basis_[g][chunk].resize(columns_[g].moments.size() * columns_[g].sums_per_pixel * pixels);
    }
    for (std::size_t p = 0; p < pixels; ++p) {
      const OctantPixel& pixel = grid_.octant()[chunk * kChunkPixels + p];
      pixel_kernel(pixel, radial, quadrature, values, cosines, sines);
      const auto moments = indices();
      for (std::size_t g = 0; g < kProducts; ++g) {
        const ProductColumns& columns = columns_[g];
        const bool real = g % 2 == 0;
        for (std::size_t k = 0; k < columns.moments.size(); ++k) {
          const std::size_t c = columns.moments[k];
          T* row = basis_[g][chunk].data() + k * columns.sums_per_pixel * pixels;
          // The moment is gr - j gi, hence the minus signs of the imaginary products.
          if (columns.sums_per_pixel == 1) {
            row[p] = static_cast<T>(real ? cosines[c] : -sines[c]);
          } else {
            const double sign = moments[c].m % 4 == 1 ? 1.0 : -1.0;
            row[p] = static_cast<T>(real ? cosines[c] : -sines[c]);
            row[pixels + p] = static_cast<T>(real ? sign * sines[c] : -sign * cosines[c]);
          }
        }
      }
    }
  }

  // weight * sum over the points in the pixel of area * radial factor * {cos, sin}(m theta).
  void pixel_kernel(const OctantPixel& pixel, const RadialBasis& radial,
                    const PixelQuadrature& quadrature, std::vector<double>& values,
                    std::vector<double>& cosines, std::vector<double>& sines) const {
    std::fill(cosines.begin(), cosines.end(), 0.0);
    std::fill(sines.begin(), sines.end(), 0.0);
    const int size = image_size();
    const int column = pixel.images[0] % size;
    const int row = pixel.images[0] / size;
    std::vector<std::complex<double>> turns(static_cast<std::size_t>(spec().order) + 1);
    for (std::size_t sy = 0; sy < quadrature.nodes.size(); ++sy) {
      for (std::size_t sx = 0; sx < quadrature.nodes.size(); ++sx) {
        const long double x = (2 * column + 1 - size + quadrature.nodes[sx]) / size;
        const long double y = (size - 1 - 2 * row + quadrature.nodes[sy]) / size;
        const long double rho = std::sqrt(x * x + y * y);
        const auto area = static_cast<double>(pixel.weight * quadrature.weights[sx] *
                                              quadrature.weights[sy] / size / size);
        fill_turns(rho > 0 ? x / rho : 1.0L, rho > 0 ? y / rho : 0.0L, turns);
        radial.evaluate(static_cast<double>(rho), values);
        const auto moments = indices();
        for (std::size_t c = 0; c < moments.size(); ++c) {
          const auto& turn = turns[static_cast<std::size_t>(moments[c].m)];
          cosines[c] += area * values[c] * turn.real();
          sines[c] += area * values[c] * turn.imag();
        }
      }
    }
  }

  // e^{j m theta} for m = 0, 1, ... from cos theta and sin theta.
  static void fill_turns(long double cos1, long double sin1,
                         std::vector<std::complex<double>>& turns) {
    long double cos_m = 1.0L;
    long double sin_m = 0.0L;
    for (auto& turn : turns) {
      turn = {static_cast<double>(cos_m), static_cast<double>(sin_m)};
      const long double next = cos_m * cos1 - sin_m * sin1;
      sin_m = sin_m * cos1 + cos_m * sin1;
      cos_m = next;
    }
  }

  void fold(const ImageBatch& image, std::size_t chunk, const FoldOutputs<T>& outputs) const {
    const FoldRange range{numbers_.data(), grid_.octant().size(), chunk * kChunkPixels,
                          chunk * kChunkPixels + chunk_pixels(chunk)};
    const auto run = [&](auto u8, auto single, auto full) {
      switch (image.type) {
        case PixelType::kUint8:
          return u8(static_cast<const std::uint8_t*>(image.pixels), range, outputs);
        case PixelType::kFloat:
          return single(static_cast<const float*>(image.pixels), range, outputs);
        case PixelType::kDouble:
          return full(static_cast<const double*>(image.pixels), range, outputs);
      }
    };
    if constexpr (std::is_same_v<T, float>) {
      run(kernels_.fold_u8_float, kernels_.fold_float_float, kernels_.fold_double_float);
    } else {
      run(kernels_.fold_u8_double, kernels_.fold_float_double, kernels_.fold_double_double);
    }
  }

  // The sums of the images of one tile: sums[b * row_length_ + column].
  void compute_tile(const ImageBatch& tile, std::vector<T>& folded, std::vector<T>& sums) const {
    std::fill(sums.begin(), sums.end(), T{});
    for (std::size_t chunk = 0; chunk < chunk_count(); ++chunk) {
      const std::size_t pixels = chunk_pixels(chunk);
      std::array<T*, kProducts> left{};
      T* next = folded.data();
      for (std::size_t g = 0; g < kProducts; ++g) {
        left[g] = next;
        next += tile.count * columns_[g].sums_per_pixel * pixels;
      }
      for (std::size_t b = 0; b < tile.count; ++b) {
        T* re_odd = left[kReOdd] + 2 * b * pixels;
        T* im_odd = left[kImOdd] + 2 * b * pixels;
        fold(tile.slice(b, 1), chunk,
             {left[kRe0] + b * pixels, left[kIm0] + b * pixels, left[kRe2] + b * pixels,
              left[kIm2] + b * pixels, re_odd, re_odd + pixels, im_odd, im_odd + pixels});
      }
      for (std::size_t g = 0; g < kProducts; ++g) {
        const std::size_t depth = columns_[g].sums_per_pixel * pixels;
        add_product_nt(tile.count, columns_[g].moments.size(), depth, left[g], depth,
                       basis_[g][chunk].data(), depth, sums.data() + columns_[g].offset,
                       row_length_);
      }
    }
  }

  // Calls write(image number, its row of sums) for every image, tiles spread over the threads.
  template <class Write>
  void for_each_tile(const ImageBatch& images, const Write& write) const {
    const auto threads = static_cast<std::size_t>(thread_count());
    const std::size_t tile_images =
        std::clamp<std::size_t>((images.count + threads - 1) / threads, 1, kTileImages);
    const std::size_t tiles = (images.count + tile_images - 1) / tile_images;
#pragma omp parallel if (tiles > 1)
    {
      std::vector<T> folded(8 * tile_images * std::min(kChunkPixels, grid_.octant().size()));
      std::vector<T> sums(tile_images * row_length_);
#pragma omp for schedule(dynamic)
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t first = t * tile_images;
        const ImageBatch tile = images.slice(first, std::min(tile_images, images.count - first));
        compute_tile(tile, folded, sums);
        for (std::size_t b = 0; b < tile.count; ++b)
          write(first + b, sums.data() + b * row_length_);
      }
    }
  }

  DiskGrid grid_;
  const CpuKernels& kernels_;
  std::vector<std::int32_t> numbers_;
  std::array<ProductColumns, kProducts> columns_;
  std::size_t row_length_ = 0;
  std::vector<std::size_t> real_column_;
  std::vector<std::size_t> imaginary_column_;
  std::array<std::vector<std::vector<T>>, kProducts> basis_;
};

}  // namespace

std::unique_ptr<MomentEngine> make_cpu_moment_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision) {
  if (precision == Precision::kFast) return std::make_unique<FoldedEngine<float>>(spec, image_size);
  return std::make_unique<FoldedEngine<double>>(spec, image_size);
}

}  // namespace leafglyph
