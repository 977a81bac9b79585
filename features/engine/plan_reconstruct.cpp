#include "features/engine/plan_reconstruct.h"

#include <vector>

#include "features/base/errors.h"
#include "features/bessel_fourier/bessel_fourier_engine.h"
#include "features/jacobi/jacobi_engine.h"

namespace leafglyph {
namespace {

class BesselFourierReconstructor final : public Reconstructor {
 public:
  BesselFourierReconstructor(const MomentSpec& spec, int image_size, const EngineOptions& options)
      : Reconstructor(spec, image_size),
        plan_(make_bessel_fourier(bessel_fourier_spec(spec, image_size), options)),
        indices_(moment_indices(spec.family, spec.order)),
        matrix_(plan_->spec().moment_count()) {}

  std::string describe() const override { return plan_->describe(); }

 protected:
  void evaluate(std::span<const std::complex<double>> weighted, const MomentSelection&,
                std::span<double> image) override {
    for (std::size_t c = 0; c < indices_.size(); ++c) {
      const auto [n, m] = indices_[c];
      // the plan counts m and -m itself
      matrix_[plan_->spec().position(n, m)] = weighted[c] / (m == 0 ? 1.0 : 2.0);
    }
    plan_->reconstruct(matrix_, image);
  }

 private:
  std::unique_ptr<BesselFourier> plan_;
  std::vector<MomentIndex> indices_;
  std::vector<std::complex<double>> matrix_;
};

class JacobiReconstructor final : public Reconstructor {
 public:
  JacobiReconstructor(const MomentSpec& spec, int image_size, const EngineOptions& options)
      : Reconstructor(spec, image_size),
        plan_(make_cartesian_moments(square_spec(spec, image_size), options)),
        real_(plan_->spec().moment_count()) {}

  std::string describe() const override { return plan_->describe(); }

 protected:
  void evaluate(std::span<const std::complex<double>> weighted, const MomentSelection& selection,
                std::span<double> image) override {
    // Stored moments and those of the plan stand in the same order.
    for (std::size_t c = 0; c < real_.size(); ++c) real_[c] = weighted[c].real();
    plan_->reconstruct(real_, selection.last_order, image);
  }

 private:
  std::unique_ptr<CartesianMoments> plan_;
  std::vector<double> real_;
};

}  // namespace

std::unique_ptr<Reconstructor> make_plan_reconstructor(const MomentSpec& spec, int image_size,
                                                       const EngineOptions& options) {
  EngineOptions quiet = options;
  quiet.log = nullptr;  // the reconstructor's own line says the same
  if (spec.family == Family::kBesselFourier) {
    return std::make_unique<BesselFourierReconstructor>(spec, image_size, quiet);
  }
  return std::make_unique<JacobiReconstructor>(spec, image_size, quiet);
}

}  // namespace leafglyph
