// The folded products on one GPU: tables that are built once, and the sums of batches in GPU
// memory. Only for the files of gpu/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/folded/folded_basis.h"
#include "features/plan/transform.h"
#include "gpu/folded/folded_kernels.h"

namespace leafglyph::gpu {

/// Intermediate values for a number of images. Grows on demand.
struct FoldedWorkspace {
  DeviceBuffer<double> folded;
  DeviceBuffer<double> sums;
  DeviceBuffer<__half> folded_high;
  DeviceBuffer<__half> folded_low;
  DeviceBuffer<float> image_scales;
  DeviceBuffer<float> float_sums;
};

class FoldedPlan {
 public:
  /// Builds the tables on the current GPU. Throws Error if they do not fit in its memory.
  FoldedPlan(const MomentSpec& spec, const FoldedBasis& basis, Precision precision);

  std::size_t padded() const { return padded_; }
  std::size_t row_length() const { return row_length_; }
  std::size_t moment_count() const { return moment_count_; }
  std::size_t table_bytes() const;
  /// Bytes of workspace per image of a pixel type.
  std::size_t workspace_bytes(PixelType type) const;
  /// Multiply-adds in the products of one image, without padding.
  double useful_multiplies() const { return useful_multiplies_; }

  /// Reserves room for `images` images of the type.
  void reserve(FoldedWorkspace& workspace, PixelType type, std::size_t images) const;
  /// Starts the first step of compute_sums: the folded sums only.
  void fold(const ImageBatch& images, FoldedWorkspace& workspace, const Stream& stream) const;
  /// Starts the computation of a batch's sums, which stay in the workspace in GPU memory.
  void compute_sums(const ImageBatch& images, FoldedWorkspace& workspace,
                    const Stream& stream) const;
  /// Starts the conversion of the sums to moments (real, imaginary) or magnitudes.
  void finish(const FoldedWorkspace& workspace, std::size_t images, double* moments,
              const Stream& stream) const;
  void finish(const FoldedWorkspace& workspace, std::size_t images, float* magnitudes,
              const Stream& stream) const;

 private:
  std::size_t slice_count(const FoldedProduct& product) const;
  void lay_out_basis(const FoldedBasis& basis);
  void lay_out_tiles(const FoldedBasis& basis);
  std::vector<MomentSource> moment_sources(const FoldedBasis& basis) const;
  void check_memory(const MomentSpec& spec) const;
  void upload_basis(const FoldedBasis& basis, const std::vector<OctantPixel>& pixels);
  MomentColumns columns() const;

  Precision precision_;
  std::size_t padded_ = 0;
  std::size_t row_length_ = 0;
  std::size_t moment_count_ = 0;
  std::size_t basis_elements_ = 0;
  double useful_multiplies_ = 0.0;
  std::vector<ProductTile> tile_list_;
  std::size_t first_slices_ = 0;              // tiles of first slices, at the start of the list
  std::vector<std::size_t> product_offsets_;  // first element of each product in the basis
  std::vector<std::size_t> product_columns_;  // first column of each product in a row of sums
  DeviceBuffer<ProductTile> tiles_;
  DeviceBuffer<std::int32_t> bases_;
  DeviceBuffer<std::uint8_t> masks_;
  DeviceBuffer<MomentSource> sources_;
  DeviceBuffer<double> basis_;
  DeviceBuffer<__half> basis_high_;
  DeviceBuffer<__half> basis_low_;
  DeviceBuffer<float> column_scales_;
};

}  // namespace leafglyph::gpu
