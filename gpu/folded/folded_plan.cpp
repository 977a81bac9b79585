#include "gpu/folded/folded_plan.h"

#include <algorithm>
#include <array>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph::gpu {
namespace {

constexpr std::size_t kEvaluatedPixels = 256;  // basis pixels that a thread evaluates at a time

std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

template <class T>
DeviceBuffer<T> to_device(const std::vector<T>& values) {
  return copy_to_device(std::span<const T>(values));
}

std::string mebibytes(double bytes) {
  return std::to_string(static_cast<long long>(bytes / 1048576.0) + 1) + " MiB";
}

}  // namespace

FoldedPlan::FoldedPlan(const MomentSpec& spec, const FoldedBasis& basis, Precision precision)
    : precision_(precision) {
  const OctantQuads quads(basis.grid());
  padded_ = quads.places.size();
  moment_count_ = basis.real_columns().size();
  lay_out_basis(basis);
  lay_out_tiles(basis);
  check_memory(spec);
  tiles_ = to_device(tile_list_);
  bases_ = to_device(quads.bases);
  masks_ = to_device(quads.masks);
  sources_ = to_device(moment_sources(basis));
  upload_basis(basis, quads.places);
  if (precision_ == Precision::kFloat) {
    const Stream stream;
    basis_high_ = DeviceBuffer<__half>(basis_elements_);
    basis_low_ = DeviceBuffer<__half>(basis_elements_);
    column_scales_ = DeviceBuffer<float>(first_slices_ * kTileColumns);
    split_basis(basis_.data(), tiles_.data(), first_slices_, basis_high_.data(), basis_low_.data(),
                column_scales_.data(), stream);
    stream.wait();
    basis_ = DeviceBuffer<double>();
  }
}

std::size_t FoldedPlan::slice_count(const FoldedProduct& product) const {
  return (product.sums_per_pixel * padded_ + kSliceDepth - 1) / kSliceDepth;
}

// Every product has rows of length `sums_per_pixel * padded_`, and columns rounded up to whole
// tiles. In a row of sums, the columns of a product's slices follow each other.
void FoldedPlan::lay_out_basis(const FoldedBasis& basis) {
  for (const FoldedProduct& product : basis.products()) {
    const std::size_t depth = product.sums_per_pixel * padded_;
    product_offsets_.push_back(basis_elements_);
    product_columns_.push_back(row_length_);
    basis_elements_ += rounded_up(product.moments.size(), kTileColumns) * depth;
    row_length_ += slice_count(product) * product.moments.size();
    useful_multiplies_ += static_cast<double>(product.moments.size() * depth);
  }
}

// All first slices, then all second ones, and so on, so that neighbours in the list share folded
// sums.
void FoldedPlan::lay_out_tiles(const FoldedBasis& basis) {
  constexpr std::array<std::size_t, kFoldedProducts> kFirstSum = {0, 1, 2, 3, 4, 6};
  const std::size_t most_slices = slice_count(basis.products()[kReOdd]);
  for (std::size_t slice = 0; slice < most_slices; ++slice) {
    std::size_t column_tile = 0;
    for (std::size_t g = 0; g < kFoldedProducts; ++g) {
      const FoldedProduct& product = basis.products()[g];
      const std::size_t depth = product.sums_per_pixel * padded_;
      const std::size_t slice_depth =
          rounded_up((depth - 1) / slice_count(product) + 1, kPlacesOfGroup);
      const std::size_t start = slice * slice_depth;
      const std::size_t columns = product.moments.size();
      for (std::size_t k = 0; k < columns; k += kTileColumns, ++column_tile) {
        if (slice >= slice_count(product)) continue;
        ProductTile tile{};
        tile.basis_offset = product_offsets_[g] + k * depth + start;
        tile.basis_stride = static_cast<std::uint32_t>(depth);
        tile.folded_offset = static_cast<std::uint32_t>(kFirstSum[g] * padded_ + start);
        tile.depth =
            static_cast<std::uint32_t>(start < depth ? std::min(slice_depth, depth - start) : 0);
        tile.column = static_cast<std::uint32_t>(product_columns_[g] + slice * columns + k);
        tile.columns = static_cast<std::uint32_t>(std::min(kTileColumns, columns - k));
        tile.scale_offset = static_cast<std::uint32_t>(column_tile * kTileColumns);
        tile_list_.push_back(tile);
      }
    }
    if (slice == 0) first_slices_ = tile_list_.size();
  }
}

std::vector<MomentSource> FoldedPlan::moment_sources(const FoldedBasis& basis) const {
  std::vector<MomentSource> sources(moment_count_, MomentSource{0, 0, -1, 0, 0});
  for (std::size_t g = 0; g < kFoldedProducts; ++g) {
    const FoldedProduct& product = basis.products()[g];
    for (std::size_t k = 0; k < product.moments.size(); ++k) {
      MomentSource& source = sources[product.moments[k]];
      const auto column = static_cast<std::int32_t>(product_columns_[g] + k);
      const auto stride = static_cast<std::int32_t>(product.moments.size());
      source.slices = static_cast<std::int32_t>(slice_count(product));
      (g % 2 == 0 ? source.real : source.imaginary) = column;
      (g % 2 == 0 ? source.real_stride : source.imaginary_stride) = stride;
    }
  }
  return sources;
}

std::size_t FoldedPlan::table_bytes() const {
  const std::size_t numbers = bases_.bytes() + masks_.bytes();
  const std::size_t element = precision_ == Precision::kFloat ? 2 * sizeof(__half) : sizeof(double);
  return numbers + basis_elements_ * element;
}

// A plan in float temporarily holds the tables in double as well as the halves.
void FoldedPlan::check_memory(const MomentSpec& spec) const {
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const double element =
      sizeof(double) + (precision_ == Precision::kFloat ? 2 * sizeof(__half) : 0);
  const auto needed = [&](double elements) {
    return elements * element + static_cast<double>(2 * padded_ * sizeof(std::int32_t)) +
           static_cast<double>(workspace_bytes(PixelType::kDouble) * kTileRows);
  };
  const double wanted = needed(static_cast<double>(basis_elements_));
  if (wanted <= static_cast<double>(free)) return;
  int fitting = spec.order - 1;
  // An average of three folded sums per moment, and the last tile of each product half empty.
  const auto elements_of = [&](int order) {
    const std::size_t columns =
        3 * leafglyph::moment_count(spec.family, order) + std::size_t{8} * kTileColumns / 2;
    return static_cast<double>(columns * padded_);
  };
  while (fitting >= 0 && needed(elements_of(fitting)) > static_cast<double>(free)) --fitting;
  throw Error("the tables of " + describe(spec) + " need " + mebibytes(wanted) +
              " of GPU memory, and " + mebibytes(static_cast<double>(free)) + " are free" +
              (fitting >= 0 ? "; order " + std::to_string(fitting) + " fits" : "") +
              ", or use --device cpu");
}

void FoldedPlan::upload_basis(const FoldedBasis& basis, const std::vector<OctantPixel>& pixels) {
  basis_ = DeviceBuffer<double>(basis_elements_);
  CUDA_CHECK(cudaMemset(basis_.data(), 0, basis_.bytes()));
  std::vector<FoldedBasis::Matrices> group(static_cast<std::size_t>(thread_count()));
  const std::size_t group_pixels = group.size() * kEvaluatedPixels;
  const auto part = [&](std::size_t start, std::size_t member) {
    const std::size_t first = std::min(pixels.size(), start + member * kEvaluatedPixels);
    return std::span(pixels).subspan(first, std::min(kEvaluatedPixels, pixels.size() - first));
  };
  for (std::size_t start = 0; start < pixels.size(); start += group_pixels) {
    parallel_for(group.size(),
                 [&](std::size_t member) { basis.evaluate(part(start, member), group[member]); });
    for (std::size_t member = 0; member < group.size(); ++member) {
      const std::size_t count = part(start, member).size();
      if (count == 0) continue;
      for (std::size_t g = 0; g < kFoldedProducts; ++g) {
        const FoldedProduct& product = basis.products()[g];
        const std::size_t rows = product.moments.size() * product.sums_per_pixel;
        if (rows == 0) continue;
        double* target = basis_.data() + product_offsets_[g] + start + member * kEvaluatedPixels;
        CUDA_CHECK(cudaMemcpy2D(target, padded_ * sizeof(double), group[member][g].data(),
                                count * sizeof(double), count * sizeof(double), rows,
                                cudaMemcpyHostToDevice));
      }
    }
  }
  // The copies are queued in the default CUDA stream, which the streams of the engines do not wait
  // for.
  CUDA_CHECK(cudaDeviceSynchronize());
}

std::size_t FoldedPlan::workspace_bytes(PixelType type) const {
  const std::size_t folded = 8 * padded_;
  if (precision_ == Precision::kDouble) return (folded + row_length_) * sizeof(double);
  const std::size_t pieces = type == PixelType::kUint8 ? 1 : 2;
  return folded * pieces * sizeof(__half) + (row_length_ + 1) * sizeof(float);
}

void FoldedPlan::reserve(FoldedWorkspace& workspace, PixelType type, std::size_t images) const {
  const std::size_t folded = 8 * padded_ * images;
  if (precision_ == Precision::kDouble) {
    grow(workspace.folded, folded);
    grow(workspace.sums, row_length_ * images);
    return;
  }
  grow(workspace.folded_high, folded);
  grow(workspace.float_sums, row_length_ * images);
  if (type != PixelType::kUint8) {
    grow(workspace.folded_low, folded);
    grow(workspace.image_scales, images);
  }
}

void FoldedPlan::fold(const ImageBatch& images, FoldedWorkspace& workspace,
                      const Stream& stream) const {
  const FoldInput input{images, bases_.data(), masks_.data(), padded_};
  if (precision_ == Precision::kDouble) {
    fold_in_double(input, workspace.folded.data(), stream);
  } else if (images.type == PixelType::kUint8) {
    fold_bytes_in_half(input, workspace.folded_high.data(), stream);
  } else {
    fold_in_two_halves(input, workspace.image_scales.data(), workspace.folded_high.data(),
                       workspace.folded_low.data(), stream);
  }
}

void FoldedPlan::compute_sums(const ImageBatch& images, FoldedWorkspace& workspace,
                              const Stream& stream) const {
  fold(images, workspace, stream);
  const ProductShape shape{tiles_.data(), tile_list_.size(), images.count, padded_, row_length_};
  if (precision_ == Precision::kDouble) {
    multiply_in_double(shape, workspace.folded.data(), basis_.data(), workspace.sums.data(),
                       stream);
    return;
  }
  const bool one_piece = images.type == PixelType::kUint8;
  multiply_in_half(shape,
                   {workspace.folded_high.data(), one_piece ? nullptr : workspace.folded_low.data(),
                    one_piece ? nullptr : workspace.image_scales.data(), basis_high_.data(),
                    basis_low_.data(), column_scales_.data()},
                   workspace.float_sums.data(), stream);
}

MomentColumns FoldedPlan::columns() const { return {sources_.data(), moment_count_, row_length_}; }

void FoldedPlan::finish(const FoldedWorkspace& workspace, std::size_t images, double* moments,
                        const Stream& stream) const {
  if (precision_ == Precision::kDouble) {
    finish_moments(columns(), workspace.sums.data(), images, moments, stream);
  } else {
    finish_moments(columns(), workspace.float_sums.data(), images, moments, stream);
  }
}

void FoldedPlan::finish(const FoldedWorkspace& workspace, std::size_t images, float* magnitudes,
                        const Stream& stream) const {
  if (precision_ == Precision::kDouble) {
    finish_magnitudes(columns(), workspace.sums.data(), images, magnitudes, stream);
  } else {
    finish_magnitudes(columns(), workspace.float_sums.data(), images, magnitudes, stream);
  }
}

}  // namespace leafglyph::gpu
