// How close a reconstructed image is to its original.
#pragma once

#include <span>

#include "features/image/image.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// Errors of an image against a reference. The image is first clipped to the values that samples of
/// the reference can have, and rounded to whole samples unless `rounding` says otherwise: that is
/// the image as a file would store it.
struct ImageError {
  double mse_whole = 0.0;   ///< mean squared error over all pixels; errors outside the mask count
                            ///< as 0
  double mse_disk = 0.0;    ///< mean squared error over the pixels in the mask
  double psnr_whole = 0.0;  ///< 10 log10(peak^2 / mse_whole), in dB; infinite for equal images
  double psnr_disk = 0.0;
};

/// Throws UsageError if the sizes differ.
ImageError image_error(std::span<const double> reference, std::span<const double> image,
                       const Image<unsigned char>& mask, const SampleRange& range = {},
                       Rounding rounding = Rounding::kSamples);

/// Mean structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004): Gaussian windows of 11 x
/// 11 pixels with sigma 1.5, K1 = 0.01, K2 = 0.03, L the peak, over all windows inside the N x N
/// image, clipped and rounded as for ImageError. Pixels outside the mask count as equal, and as 0
/// where the reference has no finite value there. Throws UsageError if the sizes differ or N < 11.
double structural_similarity(std::span<const double> reference, std::span<const double> image,
                             const Image<unsigned char>& mask, const SampleRange& range = {},
                             Rounding rounding = Rounding::kSamples);

/// 10 log10(peak^2 / mse), in dB; infinite if mse is 0.
double psnr(double mse, const SampleRange& range);

}  // namespace leafglyph
