// How close a reconstructed image comes to its original.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/image/sample_range.h"

namespace leafglyph {

/// Errors of an image against its reference; the image is clipped to what the reference's samples
/// can hold first.
struct ImageError {
  double mse_whole = 0.0;   ///< squared error over all pixels; outside the mask none is counted
  double mse_disk = 0.0;    ///< squared error over the pixels in the mask
  double psnr_whole = 0.0;  ///< 10 log10(peak^2 / mse_whole), in dB; infinite for equal images
  double psnr_disk = 0.0;
};

/// Throws UsageError when the sizes differ.
ImageError image_error(std::span<const double> reference, std::span<const double> image,
                       const Image<unsigned char>& mask, const SampleRange& range = {});

/// Mean structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004): Gaussian windows of 11 x
/// 11 pixels and sigma 1.5, K1 = 0.01, K2 = 0.03, L the peak, over all windows inside the N x N
/// image; pixels outside the mask count as equal. Throws UsageError when sizes differ or N < 11.
double structural_similarity(std::span<const double> reference, std::span<const double> image,
                             const Image<unsigned char>& mask, const SampleRange& range = {});

/// 10 log10(peak^2 / mse), in dB; infinite when there is no error.
double psnr(double mse, const SampleRange& range);

}  // namespace leafglyph
