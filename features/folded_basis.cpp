#include "features/folded_basis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace leafglyph {

FoldedBasis::FoldedBasis(const MomentSpec& spec, int image_size)
    : spec_(spec),
      grid_(image_size, spec.method, spec.subregions),
      indices_(moment_indices(spec.family, spec.order)) {
  for (int m = 0; m <= spec.order; ++m) radial_.emplace_back(spec.family, m, spec.order);
  assign_columns();
}

void FoldedBasis::assign_columns() {
  for (std::size_t c = 0; c < indices_.size(); ++c) {
    const int residue = indices_[c].m % 4;
    const FoldedProductIndex re = residue == 0 ? kRe0 : residue == 2 ? kRe2 : kReOdd;
    const FoldedProductIndex im = residue == 0 ? kIm0 : residue == 2 ? kIm2 : kImOdd;
    products_[re].moments.push_back(c);
    if (indices_[c].m > 0) products_[im].moments.push_back(c);
  }
  products_[kReOdd].sums_per_pixel = 2;
  products_[kImOdd].sums_per_pixel = 2;
  for (FoldedProduct& product : products_) {
    product.offset = row_length_;
    row_length_ += product.moments.size();
  }
  real_columns_.resize(indices_.size());
  imaginary_columns_.assign(indices_.size(), row_length_);
  for (std::size_t g = 0; g < kFoldedProducts; ++g) {
    auto& target = g % 2 == 0 ? real_columns_ : imaginary_columns_;
    for (std::size_t k = 0; k < products_[g].moments.size(); ++k) {
      target[products_[g].moments[k]] = products_[g].offset + k;
    }
  }
  ++row_length_;
}

void FoldedBasis::evaluate(std::span<const OctantPixel> pixels, Matrices& matrices) const {
  for (std::size_t g = 0; g < kFoldedProducts; ++g) {
    const FoldedProduct& product = products_[g];
    matrices[g].resize(product.moments.size() * product.sums_per_pixel * pixels.size());
  }
  // cosine and sine sums over the sub-pixels, moment by moment, for one pixel at a time
  std::vector<double> cosines(indices_.size());
  std::vector<double> sines(indices_.size());
  std::vector<double> values;
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    pixel_kernel(pixels[p], values, cosines, sines);
    for (std::size_t g = 0; g < kFoldedProducts; ++g) {
      const FoldedProduct& product = products_[g];
      const bool real = g % 2 == 0;
      for (std::size_t k = 0; k < product.moments.size(); ++k) {
        const std::size_t c = product.moments[k];
        double* row = matrices[g].data() + k * product.sums_per_pixel * pixels.size();
        // The moment is gr - j gi, hence the minus signs of the imaginary products.
        row[p] = real ? cosines[c] : -sines[c];
        if (product.sums_per_pixel == 2) {
          const double sign = indices_[c].m % 4 == 1 ? 1.0 : -1.0;
          row[pixels.size() + p] = real ? sign * sines[c] : -sign * cosines[c];
        }
      }
    }
  }
}

// (n+1)/pi * weight * sum over sub-pixels of area * R_nm(rho) {cos, sin}(m theta).
void FoldedBasis::pixel_kernel(const OctantPixel& pixel, std::vector<double>& values,
                               std::vector<double>& cosines, std::vector<double>& sines) const {
  std::fill(cosines.begin(), cosines.end(), 0.0);
  std::fill(sines.begin(), sines.end(), 0.0);
  const int size = grid_.size();
  const int k = spec_.method == Method::kSubregion ? spec_.subregions : 1;
  const double side = 2.0 / (static_cast<double>(k) * size);
  const double scale = pixel.weight * side * side / std::numbers::pi;
  const int column = pixel.images[0] % size;
  const int row = pixel.images[0] / size;
  for (int sy = 0; sy < k; ++sy) {
    for (int sx = 0; sx < k; ++sx) {
      const long double x = subpixel_centre(column, sx, k, size);
      const long double y = -subpixel_centre(row, sy, k, size);
      const long double rho = std::sqrt(x * x + y * y);
      const long double cos1 = rho > 0 ? x / rho : 1.0L;
      const long double sin1 = rho > 0 ? y / rho : 0.0L;
      long double cos_m = 1.0L;
      long double sin_m = 0.0L;
      for (int m = 0; m <= spec_.order; ++m) {
        const RadialRecurrence& radial = radial_[static_cast<std::size_t>(m)];
        radial_values(radial, static_cast<double>(rho), values);
        for (int i = 0; i < radial.count(); ++i) {
          const int n = radial.order_of(i);
          const double value = scale * (n + 1) * values[static_cast<std::size_t>(i)];
          const std::size_t c = moment_position(spec_.family, n, m);
          cosines[c] += value * static_cast<double>(cos_m);
          sines[c] += value * static_cast<double>(sin_m);
        }
        const long double next = cos_m * cos1 - sin_m * sin1;
        sin_m = sin_m * cos1 + cos_m * sin1;
        cos_m = next;
      }
    }
  }
}

}  // namespace leafglyph
