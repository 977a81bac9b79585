#include "features/separable/separable_transform.h"

#include <algorithm>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/kernels/instruction_set.h"
#include "features/separable/separable_image.h"
#include "features/separable/separable_moments.h"

namespace leafglyph {
namespace {

class SeparableForward final : public ForwardTransform, private TransformShape {
 public:
  SeparableForward(const MomentSpec& spec, int image_size, Precision precision)
      : TransformShape(spec, image_size), moments_(disk_rule(spec, image_size), precision) {}

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", " + moments_.describe() + ", " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    check_memory_kind(images);
    moments_.moments(images, moments);
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    check_memory_kind(images);
    moments_.magnitudes(images, magnitudes);
  }

 private:
  static void check_memory_kind(const ImageBatch& images) {
    if (images.memory == MemoryKind::kHost) return;
    throw UsageError("a batch in the memory of a GPU, but the plan runs on the CPU");
  }

  SeparableMoments moments_;
};

class SeparableBackward final : public BackwardTransform, private TransformShape {
 public:
  SeparableBackward(const MomentSpec& spec, int image_size)
      : TransformShape(spec, image_size), image_(image_rule(spec, image_size)) {}

  std::string describe() const override {
    return "CPU, " + leafglyph::describe(spec()) + ", separable transform in double, " +
           std::string(instruction_set_name()) + ", " + std::to_string(thread_count()) + " threads";
  }

  void compute_image(std::span<const std::complex<double>> weighted, int /*last_order*/,
                     std::span<double> image) override {
    std::fill(image.begin(), image.end(), 0.0);
    image_.image(weighted, image);
  }

 private:
  SeparableImage image_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_separable_forward(const MomentSpec& spec, int image_size,
                                                         Precision precision) {
  return std::make_shared<SeparableForward>(spec, image_size, precision);
}

std::shared_ptr<BackwardTransform> make_separable_backward(const MomentSpec& spec, int image_size) {
  return std::make_shared<SeparableBackward>(spec, image_size);
}

double separable_forward_bytes(const MomentSpec& spec, int image_size, Precision precision) {
  return SeparableMoments::bytes(disk_rule(spec, image_size), precision);
}

double separable_tables_bytes(const MomentSpec& spec, int image_size) {
  return StreamTables::bytes(LineLayout(disk_rule(spec, image_size), true));
}

double separable_backward_bytes(const MomentSpec& spec, int image_size) {
  return SeparableImage::bytes(image_rule(spec, image_size));
}

}  // namespace leafglyph
