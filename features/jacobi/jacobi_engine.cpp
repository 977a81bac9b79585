#include "features/jacobi/jacobi_engine.h"

#include <cmath>
#include <type_traits>
#include <vector>

#include "features/base/errors.h"
#include "features/base/parallel_for.h"
#include "features/base/threads.h"
#include "features/jacobi/jacobi_slices.h"

namespace leafglyph {
namespace {

template <class T>
class CartesianEngine final : public MomentEngine {
 public:
  CartesianEngine(const MomentSpec& spec, int image_size)
      : MomentEngine(spec, image_size),
        slices_(square_spec(spec, image_size)),
        layout_(spec.order) {
    for (const MomentIndex& index : indices()) {
      columns_.push_back(layout_.row_start(static_cast<std::size_t>(index.n)) +
                         static_cast<std::size_t>(index.m));
    }
  }

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", separable products in " +
           (std::is_same_v<T, float> ? "float" : "double") + ", " + std::to_string(thread_count()) +
           " threads";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    for_each_image(images, [&](std::size_t image, const std::vector<T>& stairs) {
      for (std::size_t c = 0; c < moment_count(); ++c) {
        moments[image * moment_count() + c] = static_cast<double>(stairs[columns_[c]]);
      }
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    for_each_image(images, [&](std::size_t image, const std::vector<T>& stairs) {
      for (std::size_t c = 0; c < moment_count(); ++c) {
        magnitudes[image * moment_count() + c] = static_cast<float>(std::abs(stairs[columns_[c]]));
      }
    });
  }

 private:
  template <class In>
  static void copy(const void* pixels, std::vector<T>& out) {
    const In* in = static_cast<const In*>(pixels);
    for (std::size_t p = 0; p < out.size(); ++p) out[p] = static_cast<T>(in[p]);
  }

  static void copy_image(const ImageBatch& image, std::vector<T>& out) {
    switch (image.type) {
      case PixelType::kUint8:
        return copy<unsigned char>(image.pixels, out);
      case PixelType::kFloat:
        return copy<float>(image.pixels, out);
      case PixelType::kDouble:
        return copy<double>(image.pixels, out);
    }
  }

  // Calls write(image number, its stairs of moments) for every image, spread over the threads.
  template <class Write>
  void for_each_image(const ImageBatch& images, const Write& write) const {
    parallel_for_with_scratch({images.count}, [&]() -> RoundJob {
      return [&, pixels = std::vector<T>(slices_.pixels()),
              half = std::vector<T>(slices_.scratch(layout_.order)),
              stairs = std::vector<T>(layout_.size)](std::size_t b) mutable {
        copy_image(images.slice(b, 1), pixels);
        slices_.moments(layout_, pixels.data(), half.data(), stairs.data());
        write(b, stairs);
      };
    });
  }

  SlicePlan<T> slices_;
  OrderStairs layout_;
  std::vector<std::size_t> columns_;  // where each stored moment is in the stairs
};

}  // namespace

CartesianSpec square_spec(const MomentSpec& spec, int image_size) {
  if (is_circular(spec.family)) {
    throw UsageError("the engine on the square serves Legendre and Jacobi moments, not " +
                     std::string(family_name(spec.family)));
  }
  CartesianSpec square;
  square.width = image_size;
  square.height = image_size;
  square.order = spec.order;
  square.weight = spec.weight;
  square.method = spec.method;
  square.points = spec.subregions;
  return square;
}

std::unique_ptr<MomentEngine> make_cartesian_engine(const MomentSpec& spec, int image_size,
                                                    Precision precision) {
  if (precision == Precision::kFast) {
    return std::make_unique<CartesianEngine<float>>(spec, image_size);
  }
  return std::make_unique<CartesianEngine<double>>(spec, image_size);
}

}  // namespace leafglyph
