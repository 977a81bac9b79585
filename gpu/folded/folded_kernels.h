// The GPU kernels of the folded products: fold, multiply, finish. Only for the files of gpu/.
//
// Folded sum q of image b at place p is folded[(b * 8 + q) * padded + p], with q in the order
// even0, odd0, even2, odd2, re_cos, re_sin, im_sin, im_cos of fold_kernels.h. Places are those of
// OctantQuads. The basis is 0 at places without a pixel.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/image/image.h"
#include "features/moments/disk_grid.h"
#include "gpu/cuda/cuda_raii.h"

namespace leafglyph::gpu {

inline constexpr std::size_t kTileColumns = 64;
inline constexpr std::size_t kTileRows = 128;  ///< images that one block multiplies

/// Maximum number of folded sums that a block multiplies. Longer products are divided into slices,
/// whose sums are added at the end. This keeps float sums accurate, and occupies the GPU even for
/// few images.
inline constexpr std::size_t kSliceDepth = 4096;

/// Up to kTileColumns columns of one product, for one slice of its depth.
struct ProductTile {
  std::uint64_t basis_offset;   ///< first element of the slice in the row of the first column
  std::uint32_t basis_stride;   ///< elements between rows; there are kTileColumns rows, unused ones
                                ///< are 0
  std::uint32_t folded_offset;  ///< first element of the slice in an image's folded sums
  std::uint32_t depth;          ///< folded sums to multiply: a multiple of kPlacesOfGroup
  std::uint32_t column;         ///< first column in an image's row of sums
  std::uint32_t columns;
  std::uint32_t scale_offset;  ///< first of the kTileColumns column scales
};

/// A batch on the GPU, and the positions of its octant's pixels (OctantQuads).
struct FoldInput {
  ImageBatch images;
  const std::int32_t* bases;
  const std::uint8_t* masks;
  std::size_t padded;
};

/// Folds in double.
void fold_in_double(const FoldInput& input, double* folded, const Stream& stream);

/// Folds 8-bit images in half precision, which represents every sum (-1020 to 2040) exactly.
void fold_bytes_in_half(const FoldInput& input, __half* folded, const Stream& stream);

/// Folds images of floats or doubles in float, and splits each sum into two halves, high + low. If
/// the largest magnitude of the image is outside the range of two halves, the sums are first
/// multiplied by a power of two. scales[b] receives the inverse of that power (1 for most images),
/// or NaN if a pixel inside the disk is not finite.
void fold_in_two_halves(const FoldInput& input, float* scales, __half* high, __half* low,
                        const Stream& stream);

/// Splits the basis rows of the first slices (`tile_count` tiles) into two halves, each row
/// multiplied by a power of two. `scales` receives the inverse powers.
void split_basis(const double* basis, const ProductTile* tiles, std::size_t tile_count,
                 __half* high, __half* low, float* scales, const Stream& stream);

/// The operands of the products of `images` images, and where their sums are stored: sums[b *
/// row_length + column].
struct ProductShape {
  const ProductTile* tiles;
  std::size_t tile_count;
  std::size_t images;
  std::size_t padded;
  std::size_t row_length;
};

/// Products in double, on tensor cores if these support double (compute capability 8.0 and above).
void multiply_in_double(const ProductShape& shape, const double* folded, const double* basis,
                        double* sums, const Stream& stream);

/// Operands of a product of halves. The folded sums have one piece (low = nullptr, image_scales =
/// nullptr) or two, the basis two.
struct HalfOperands {
  const __half* folded_high;
  const __half* folded_low;
  const float* image_scales;
  const __half* basis_high;
  const __half* basis_low;
  const float* column_scales;
};

/// Tensor-core products of the pieces in half precision, summed in float.
void multiply_in_half(const ProductShape& shape, const HalfOperands& operands, float* sums,
                      const Stream& stream);

/// The columns of a row of sums that form a moment. The real part is the sum of `slices` columns
/// starting at `real`, real_stride apart; likewise the imaginary part. An imaginary column of -1
/// means that the imaginary part is 0.
struct MomentSource {
  std::int32_t real;
  std::int32_t real_stride;
  std::int32_t imaginary;
  std::int32_t imaginary_stride;
  std::int32_t slices;
};

struct MomentColumns {
  const MomentSource* sources;
  std::size_t count;
  std::size_t row_length;
};

/// moments[2 (b * count + c)] and the next element are the real and imaginary part of moment c of
/// image b.
template <class T>
void finish_moments(const MomentColumns& columns, const T* sums, std::size_t images,
                    double* moments, const Stream& stream);
/// magnitudes[b * count + c] = |moment c of image b|.
template <class T>
void finish_magnitudes(const MomentColumns& columns, const T* sums, std::size_t images,
                       float* magnitudes, const Stream& stream);

inline constexpr std::size_t kQuadsOfGroup = 32;
inline constexpr std::size_t kPlacesOfGroup = 4 * kQuadsOfGroup;

/// The octant's pixels in the order in which the GPU folds them: quads of 2 x 2 pixels.
///
/// Pixels are counted from the first one with x >= 0, y >= 0, u to the right and v upwards. A quad
/// consists of the pixels (u0 + e, v0 + d) with e, d in {0, 1} and even u0 and v0. Each of its
/// eight mirror images also consists of 2 x 2 neighbours, so that two pixels are read at a time.
/// Groups of 32 quads, one per lane of a warp, fill kPlacesOfGroup places: pixel (e, d) of quad i
/// of group g has place 128 g + 64 d + 2 i + e.
struct OctantQuads {
  explicit OctantQuads(const DiskGrid& grid);

  std::size_t count = 0;  ///< number of quads, padded with empty ones to a multiple of
                          ///< kQuadsOfGroup
  /// Pixel number in the image of pixel (0, 0) of quad i under mirror image q (as in OctantPixel):
  /// bases[q * count + i].
  std::vector<std::int32_t> bases;
  std::vector<std::uint8_t> masks;  ///< bit 2 d + e of masks[i]: whether pixel (e, d) of quad i
                                    ///< counts
  /// The pixel at every place. A place without a pixel holds another pixel with weight 0.
  std::vector<OctantPixel> places;
};

}  // namespace leafglyph::gpu
