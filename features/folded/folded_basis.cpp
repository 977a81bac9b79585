#include "features/folded/folded_basis.h"

#include <algorithm>
#include <cmath>
#include <complex>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

// e^{j m theta} for m = 0, 1, ... from cos theta and sin theta.
void fill_phases(long double cos1, long double sin1, std::vector<std::complex<double>>& phases) {
  long double cos_m = 1.0L;
  long double sin_m = 0.0L;
  for (auto& phase : phases) {
    phase = {static_cast<double>(cos_m), static_cast<double>(sin_m)};
    const long double next = cos_m * cos1 - sin_m * sin1;
    sin_m = sin_m * cos1 + cos_m * sin1;
    cos_m = next;
  }
}

constexpr double kMostBasisBytes = 512.0 * 1024 * 1024;

// 2 factors per moment and octant pixel for even m, 4 for odd m.
double factors(const PlanRequest& request, double octant_pixels) {
  return 3.0 * static_cast<double>(moment_count(request.spec, request.size)) * octant_pixels;
}

}  // namespace

bool has_folded_basis(const PlanRequest& request) {
  const MomentSpec& spec = request.spec;
  const bool sums_over_points = spec.method == Method::kSubregion || spec.method == Method::kGauss;
  if (!is_circular(spec.family) || !sums_over_points || spec.angular_order) return false;
  if (!is_inscribed_textbook(spec.convention)) return false;
  if (spec.family.row().phase != nullptr) return false;     // factors are products of real numbers
  const std::size_t octant = request.size.elements() / 10;  // pi / 32 of the square
  return factors(request, static_cast<double>(octant)) * sizeof(double) <= kMostBasisBytes;
}

double folded_bytes(const PlanRequest& request) {
  return disk_grid_bytes(request.image_size()) +
         factors(request, most_octant_pixels(request.image_size())) *
             scalar_bytes(request.precision);
}

// The tables take the functions at every point of the octant, those of Bessel-Fourier moments far
// longer than polynomials, weights as powers of the radius, and the factors, whose rows are as far
// apart as a chunk has pixels; each moment is a row, however few its pixels. An image takes its
// folded pixels and the products with the factors, which come from memory once for the images of a
// call.
TransformWork folded_work(const PlanRequest& request) {
  constexpr std::size_t kImagesOfACall = 64;
  constexpr double kChunkPixels = 512;
  const MomentSpec& spec = request.spec;
  const double octant = about_octant_pixels(request.image_size());
  const double points = octant * spec.points * spec.points;
  const double products = factors(request, octant);
  const auto moments = static_cast<double>(moment_count(spec, request.size));
  return {{1.0, points, points * moments, products, products * std::min(1.0, octant / kChunkPixels),
           spec.family.row().weighted ? points : 0.0,
           spec.family == Family::kBesselFourier ? points * spec.order : 0.0, moments},
          {request.share(kImagesOfACall), octant, products,
           products * request.share(kImagesOfACall), moments}};
}

FoldedBasis::FoldedBasis(const MomentSpec& spec, int image_size)
    : spec_(spec),
      grid_(image_size, spec),
      indices_(moment_indices(spec)),
      radial_(radial_basis(spec.family, spec.weight, spec.order)),
      quadrature_(pixel_quadrature(spec.method, spec.points)) {
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
  // Cosine and sine sums over the sub-pixels of one pixel, by moment.
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
        // The moment is gr - j gi, hence the minus signs in the imaginary products.
        row[p] = real ? cosines[c] : -sines[c];
        if (product.sums_per_pixel == 2) {
          const double sign = indices_[c].m % 4 == 1 ? 1.0 : -1.0;
          row[pixels.size() + p] = real ? sign * sines[c] : -sign * cosines[c];
        }
      }
    }
  }
}

// weight * sum over the points in the pixel of area * radial factor * {cos, sin}(m theta).
void FoldedBasis::pixel_kernel(const OctantPixel& pixel, std::vector<double>& values,
                               std::vector<double>& cosines, std::vector<double>& sines) const {
  std::fill(cosines.begin(), cosines.end(), 0.0);
  std::fill(sines.begin(), sines.end(), 0.0);
  values.resize(indices_.size());
  const int size = grid_.size();
  const int column = pixel.images[0] % size;
  const int row = pixel.images[0] / size;
  std::vector<std::complex<double>> phases(static_cast<std::size_t>(spec_.order) + 1);
  for (std::size_t sy = 0; sy < quadrature_.nodes.size(); ++sy) {
    throw_if_interrupted();
    for (std::size_t sx = 0; sx < quadrature_.nodes.size(); ++sx) {
      const long double x = (2 * column + 1 - size + quadrature_.nodes[sx]) / size;
      const long double y = (size - 1 - 2 * row + quadrature_.nodes[sy]) / size;
      if (x * x + y * y > static_cast<long double>(kDiskSquare)) continue;
      const long double rho = std::sqrt(x * x + y * y);
      const auto area = static_cast<double>(pixel.weight * quadrature_.weights[sx] *
                                            quadrature_.weights[sy] / size / size);
      fill_phases(rho > 0 ? x / rho : 1.0L, rho > 0 ? y / rho : 0.0L, phases);
      radial_(static_cast<double>(rho), values);
      for (std::size_t c = 0; c < indices_.size(); ++c) {
        const auto& phase = phases[static_cast<std::size_t>(indices_[c].m)];
        cosines[c] += area * values[c] * phase.real();
        sines[c] += area * values[c] * phase.imag();
      }
    }
  }
}

}  // namespace leafglyph
