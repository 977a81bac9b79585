#include "gpu/moment_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "features/base/errors.h"
#include "features/base/matrix_product.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/folded/folded_basis.h"
#include "features/moments/jacobi_polynomials.h"

namespace leafglyph {

/// One way from gradients to pixels.
class MomentGradient::Adjoint {
 public:
  Adjoint() = default;
  virtual ~Adjoint() = default;
  Adjoint(const Adjoint&) = delete;
  Adjoint& operator=(const Adjoint&) = delete;
  virtual void apply(std::span<const std::complex<double>> gradients, std::size_t count,
                     std::span<double> images) = 0;
};

namespace {

using Adjoint = MomentGradient::Adjoint;
using Gradients = std::span<const std::complex<double>>;

// Sub-regions, of any family on the disk: an image of k N x k N pixels is summed from the moments
// (MomentPlan::reconstruct), each times its factor and the area of a sub-pixel, and the k x k
// sub-pixels of a pixel are added up.
class SampledAdjoint final : public Adjoint {
 public:
  SampledAdjoint(const MomentSpec& spec, int size, const PlanOptions& options)
      : size_(static_cast<std::size_t>(size)),
        points_(static_cast<std::size_t>(spec.points)),
        mask_(DiskGrid(size, spec).mask()) {
    MomentSpec fine = spec;
    fine.points = 1;
    fine.mask = Mask::kCentre;
    plan_ = make_moment_plan(fine, size * spec.points, options);
    const double side = static_cast<double>(size) * spec.points;
    const std::vector<double> norms = spec.family.row().norms(top_order(spec));
    for (const MomentIndex& index : plan_->indices()) {
      // reconstruct() counts moments with m > 0 twice, for m and -m.
      factors_.push_back(norms[static_cast<std::size_t>(std::abs(index.n))] * 4.0 / (side * side) *
                         (index.m > 0 ? 0.5 : 1.0));
    }
    fine_.resize(size_ * points_ * size_ * points_);
  }

  void apply(Gradients gradients, std::size_t count, std::span<double> images) override {
    std::vector<std::complex<double>> weighted(factors_.size());
    for (std::size_t b = 0; b < count; ++b) {
      for (std::size_t c = 0; c < weighted.size(); ++c) {
        weighted[c] = factors_[c] * gradients[b * weighted.size() + c];
      }
      plan_->reconstruct(weighted, {0, top_order(plan_->spec())}, fine_);
      add_up(images.subspan(b * size_ * size_, size_ * size_));
    }
  }

 private:
  void add_up(std::span<double> image) const {
    std::fill(image.begin(), image.end(), 0.0);
    const std::size_t side = size_ * points_;
    for (std::size_t row = 0; row < side; ++row) {
      double* const pixels = image.data() + row / points_ * size_;
      for (std::size_t column = 0; column < side; ++column) {
        pixels[column / points_] += fine_[row * side + column];
      }
    }
    for (std::size_t p = 0; p < image.size(); ++p) {
      if (mask_.data()[p] == 0) image[p] = 0.0;
    }
  }

  std::size_t size_;
  std::size_t points_;
  Image<unsigned char> mask_;
  std::unique_ptr<MomentPlan> plan_;
  std::vector<double> factors_;  // by moment
  std::vector<double> fine_;
};

// Points of any kind, of families without a phase: the transposed products with the folded basis,
// and what each of the eight folded sums gives to the mirror images of its pixel.
class FoldedAdjoint final : public Adjoint {
 public:
  FoldedAdjoint(const MomentSpec& spec, int size)
      : basis_(spec, size), moments_(moment_count(spec, size)) {
    const std::span<const OctantPixel> octant = basis_.grid().octant();
    chunks_.resize((octant.size() + kChunk - 1) / kChunk);
    parallel_for(chunks_.size(), [&](std::size_t i) {
      basis_.evaluate(octant.subspan(i * kChunk, std::min(kChunk, octant.size() - i * kChunk)),
                      chunks_[i]);
    });
  }

  void apply(Gradients gradients, std::size_t count, std::span<double> images) override {
    std::fill(images.begin(), images.end(), 0.0);
    std::array<std::vector<double>, kFoldedProducts> parts;  // moments x images, by product
    for (std::size_t g = 0; g < kFoldedProducts; ++g) {
      for (const std::size_t c : basis_.products()[g].moments) {
        for (std::size_t b = 0; b < count; ++b) {
          const std::complex<double> gradient = gradients[b * moments_ + c];
          parts[g].push_back(g % 2 == 0 ? gradient.real() : gradient.imag());
        }
      }
    }
    const std::span<const OctantPixel> octant = basis_.grid().octant();
    parallel_for(chunks_.size(), [&](std::size_t i) {
      throw_if_interrupted();
      add_chunk(octant.subspan(i * kChunk, std::min(kChunk, octant.size() - i * kChunk)),
                chunks_[i], parts, count, images);
    });
  }

 private:
  static constexpr std::size_t kChunk = 256;  // octant pixels; their factors stay in the cache

  void add_chunk(std::span<const OctantPixel> pixels, const FoldedBasis::Matrices& matrices,
                 const std::array<std::vector<double>, kFoldedProducts>& parts, std::size_t count,
                 std::span<double> images) const {
    // The eight sums in the order even0, odd0, even2, odd2, re_cos, re_sin, im_sin, im_cos; sum s
    // of pixel p and image b at (s * pixels + p) * count + b.
    std::vector<double> sums(8 * pixels.size() * count, 0.0);
    std::size_t first = 0;
    for (std::size_t g = 0; g < kFoldedProducts; ++g) {
      const FoldedProduct& product = basis_.products()[g];
      const std::size_t width = product.sums_per_pixel * pixels.size();
      double* const of_product = sums.data() + first * count;
      first += width;
      add_product_tn(width, count, product.moments.size(), matrices[g].data(), width,
                     parts[g].data(), count, of_product, count);
    }
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      for (std::size_t b = 0; b < count; ++b) {
        const auto sum = [&](std::size_t s) { return sums[(s * pixels.size() + p) * count + b]; };
        unfold(pixels[p], sum, images.data() + b * basis_.grid().mask().pixels().size());
      }
    }
  }

  // The transpose of folding (fold_kernels.h).
  static void unfold(const OctantPixel& pixel, const auto& sum, double* image) {
    static constexpr int kSigns[8][8] = {{1, 1, 1, 1, 1, 0, 1, 0},    {1, -1, -1, 1, 0, 1, 0, 1},
                                         {1, 1, -1, -1, 0, -1, 0, 1}, {1, -1, 1, -1, -1, 0, 1, 0},
                                         {1, 1, 1, 1, -1, 0, -1, 0},  {1, -1, -1, 1, 0, -1, 0, -1},
                                         {1, 1, -1, -1, 0, 1, 0, -1}, {1, -1, 1, -1, 1, 0, -1, 0}};
    for (std::size_t q = 0; q < 8; ++q) {
      double value = 0.0;
      for (std::size_t s = 0; s < 8; ++s) value += kSigns[q][s] * sum(s);
      image[pixel.images[q]] += value;
    }
  }

  FoldedBasis basis_;
  std::size_t moments_;
  std::vector<FoldedBasis::Matrices> chunks_;
};

// Families on the square, whose kernels are products: dL/df = T_y^T G T_x with the integrals of
// each axis.
class SquareAdjoint final : public Adjoint {
 public:
  SquareAdjoint(const MomentSpec& spec, const ArraySize& size)
      : x_(axis_tables(spec, size, Axis::kX)),
        y_(axis_tables(spec, size, Axis::kY)),
        width_(static_cast<std::size_t>(size.width)),
        height_(static_cast<std::size_t>(size.height)),
        indices_(moment_indices(spec)),
        degrees_(static_cast<std::size_t>(spec.order) + 1) {}

  void apply(Gradients gradients, std::size_t count, std::span<double> images) override {
    parallel_for(count, [&](std::size_t b) {
      apply_one(gradients.subspan(b * indices_.size(), indices_.size()),
                images.subspan(b * width_ * height_, width_ * height_));
    });
  }

 private:
  void apply_one(Gradients gradients, std::span<double> image) const {
    std::vector<double> rows(degrees_ * width_, 0.0);  // by the degree in y
    for (std::size_t c = 0; c < indices_.size(); ++c) {
      const double* const table =
          x_.integrals.data() + static_cast<std::size_t>(indices_[c].n) * width_;
      double* const row = rows.data() + static_cast<std::size_t>(indices_[c].m) * width_;
      const double gradient = gradients[c].real();
      for (std::size_t i = 0; i < width_; ++i) row[i] += gradient * table[i];
    }
    std::fill(image.begin(), image.end(), 0.0);
    for (std::size_t m = 0; m < degrees_; ++m) {
      for (std::size_t j = 0; j < height_; ++j) {
        const double factor = y_.integrals[m * height_ + j];
        for (std::size_t i = 0; i < width_; ++i)
          image[j * width_ + i] += factor * rows[m * width_ + i];
      }
    }
  }

  AxisTables x_;
  AxisTables y_;
  std::size_t width_;
  std::size_t height_;
  std::vector<MomentIndex> indices_;
  std::size_t degrees_;
};

[[noreturn]] void refuse(const MomentSpec& spec, const std::string& instead) {
  throw UsageError("a gradient of " + describe(spec) + " is not known; use " + instead);
}

// The exact integrals of Zernike kernels, polynomials of degree n in x and y, are those of n / 2 +
// 1 Gauss points per side.
MomentSpec with_points(const MomentSpec& spec) {
  if (spec.method != Method::kExact) return spec;
  if (mask_of(spec) != Mask::kWhole) refuse(spec, "the mask whole, or sub-regions");
  MomentSpec points = spec;
  points.method = Method::kGauss;
  points.points = spec.order / 2 + 1;
  points.mask = Mask::kWhole;
  return points;
}

std::unique_ptr<Adjoint> make_adjoint(const MomentSpec& spec, const ArraySize& size,
                                      const PlanOptions& options) {
  validate(spec, size);
  if (size.is_volume()) throw UsageError("volumes have no gradient; use images");
  if (!is_inscribed_textbook(spec.convention)) refuse(spec, "the inscribed circle");
  if (!is_circular(spec.family)) return std::make_unique<SquareAdjoint>(spec, size);
  if (spec.method == Method::kAdaptive) refuse(spec, "Gauss points or sub-regions");
  if (spec.method == Method::kSubregion) {
    return std::make_unique<SampledAdjoint>(spec, size.width, options);
  }
  const MomentSpec points = with_points(spec);
  if (spec.family.row().phase != nullptr || spec.angular_order) refuse(spec, "sub-regions");
  const PlanRequest request{points, size, Precision::kDouble};
  if (!has_folded_basis(request)) {
    throw InputError("the tables of a gradient of " + describe(spec) + ", " + describe(size) +
                     ", take more than 512 MiB; use sub-regions, a lower order or smaller images");
  }
  check_memory(folded_bytes(request), "the gradient of " + describe(spec),
               "use sub-regions, a lower order or smaller images");
  return std::make_unique<FoldedAdjoint>(points, size.width);
}

}  // namespace

MomentGradient::MomentGradient(const MomentSpec& spec, const ArraySize& size,
                               const PlanOptions& options)
    : moments_(moment_count(spec, size)),
      pixels_(size.elements()),
      adjoint_(make_adjoint(spec, size, options)) {}

MomentGradient::~MomentGradient() = default;

void MomentGradient::apply(std::span<const std::complex<double>> gradients,
                           std::span<double> images) {
  const std::size_t count = moments_ == 0 ? 0 : gradients.size() / moments_;
  if (gradients.size() != count * moments_ || images.size() != count * pixels_) {
    throw UsageError(std::to_string(gradients.size()) + " derivatives and " +
                     std::to_string(images.size()) + " pixels are not those of whole images");
  }
  adjoint_->apply(gradients, count, images);
}

}  // namespace leafglyph
