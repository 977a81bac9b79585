#include "features/bessel_fourier/bessel_fourier_engine.h"

#include <cmath>
#include <utility>
#include <vector>

#include "features/base/errors.h"

namespace leafglyph {
namespace {

class BesselFourierEngine final : public MomentEngine {
 public:
  BesselFourierEngine(const MomentSpec& spec, int image_size, std::unique_ptr<BesselFourier> plan)
      : MomentEngine(spec, image_size),
        plan_(std::move(plan)),
        image_(static_cast<std::size_t>(image_size) * static_cast<std::size_t>(image_size)),
        matrix_(plan_->spec().moment_count()) {}

  std::string describe() const override { return plan_->describe(); }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    for (std::size_t b = 0; b < images.count; ++b) {
      compute_image(images.slice(b, 1));
      for (std::size_t c = 0; c < moment_count(); ++c) {
        moments[b * moment_count() + c] = matrix_[position(c)];
      }
    }
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    for (std::size_t b = 0; b < images.count; ++b) {
      compute_image(images.slice(b, 1));
      for (std::size_t c = 0; c < moment_count(); ++c) {
        magnitudes[b * moment_count() + c] = static_cast<float>(std::abs(matrix_[position(c)]));
      }
    }
  }

 private:
  std::size_t position(std::size_t c) const {
    return plan_->spec().position(indices()[c].n, indices()[c].m);
  }

  void compute_image(const ImageBatch& image) {
    if (image.memory != MemoryKind::kHost) {
      throw UsageError("Bessel-Fourier moments by plan take images in host memory");
    }
    for (std::size_t p = 0; p < image_.size(); ++p) {
      switch (image.type) {
        case PixelType::kUint8:
          image_[p] = static_cast<const unsigned char*>(image.pixels)[p];
          break;
        case PixelType::kFloat:
          image_[p] = static_cast<double>(static_cast<const float*>(image.pixels)[p]);
          break;
        case PixelType::kDouble:
          image_[p] = static_cast<const double*>(image.pixels)[p];
          break;
      }
    }
    plan_->moments(image_, matrix_);
  }

  std::unique_ptr<BesselFourier> plan_;
  std::vector<double> image_;
  std::vector<std::complex<double>> matrix_;
};

}  // namespace

BesselFourierSpec bessel_fourier_spec(const MomentSpec& spec, int image_size) {
  if (spec.family != Family::kBesselFourier) {
    throw UsageError("the Bessel-Fourier plan does not serve " +
                     std::string(family_name(spec.family)) + " moments");
  }
  BesselFourierSpec plan;
  plan.image_size = image_size;
  plan.radial_order = spec.order;
  plan.angular_order = spec.order;
  plan.method = spec.method;
  plan.points = spec.subregions;
  return plan;
}

std::unique_ptr<MomentEngine> make_bessel_fourier_engine(const MomentSpec& spec, int image_size,
                                                         std::unique_ptr<BesselFourier> plan) {
  return std::make_unique<BesselFourierEngine>(spec, image_size, std::move(plan));
}

}  // namespace leafglyph
