#include "gpu/folded/folded_forward.h"

#include "features/base/errors.h"
#include "features/folded/folded_basis.h"
#include "gpu/folded/batch_pipeline.h"

namespace leafglyph::gpu {
namespace {

class FoldedForward final : public ForwardTransform, private TransformShape {
 public:
  FoldedForward(const MomentSpec& spec, int image_size, Precision precision, const GpuDevice& gpu)
      : TransformShape(spec, image_size),
        precision_(precision),
        pipeline_(spec, FoldedBasis(spec, image_size), precision, gpu) {}

  std::string describe() const override {
    const GpuDevice& gpu = pipeline_.gpu();
    return gpu_text(gpu) + ", " + leafglyph::describe(spec()) + ", folded products in " +
           (precision_ == Precision::kDouble ? "double" : "pieces of half precision") +
           ", tables of " + std::to_string(pipeline_.plan().table_bytes() >> 20) +
           " MiB, at most " + std::to_string(2 * kTileBytes >> 20) + " MiB for batches";
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    run(images, {moments, {}});
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    run(images, {{}, magnitudes});
  }

 private:
  void run(const ImageBatch& images, const BatchResults& results) {
    pipeline_.run(images, results);
  }

  Precision precision_;
  BatchPipeline pipeline_;
};

}  // namespace

std::shared_ptr<ForwardTransform> make_folded_forward(const MomentSpec& spec, int image_size,
                                                      Precision precision, const GpuDevice& gpu) {
  const DeviceScope scope(gpu.index);
  return std::make_shared<FoldedForward>(spec, image_size, precision, gpu);
}

constinit const Algorithm<GpuDevice> kFolded = {
    .name = "folded",
    .moments = {.supports = has_folded_basis,
                .make =
                    [](const PlanRequest& request, const GpuDevice& gpu) {
                      return make_folded_forward(request.spec, request.image_size(),
                                                 request.precision, gpu);
                    },
                .bytes = folded_bytes,
                .work = folded_work},
};

}  // namespace leafglyph::gpu
