#include "gpu/folded/folded_engine.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/bessel_fourier_engine.h"
#include "features/folded/folded_basis.h"
#include "features/folded/folded_engine.h"
#include "gpu/bessel_fourier/bessel_fourier.h"
#include "gpu/folded/batch_pipeline.h"
#include "gpu/jacobi/jacobi_engine.h"
#include "gpu/zernike/polar_engine.h"
#include "gpu/zernike/ridge_engine.h"

namespace leafglyph {
namespace {

class FoldedGpuEngine final : public MomentEngine {
 public:
  FoldedGpuEngine(const MomentSpec& spec, int image_size, Precision precision,
                  const std::vector<GpuDevice>& gpus)
      : MomentEngine(spec, image_size), precision_(precision) {
    const FoldedBasis basis(spec, image_size);
    for (const GpuDevice& gpu : gpus) {
      const DeviceScope scope(gpu.index);
      pipelines_.push_back(std::make_unique<BatchPipeline>(spec, basis, precision, gpu));
    }
  }

  std::string describe() const override {
    std::string text = "GPU";
    for (const auto& pipeline : pipelines_) {
      const GpuDevice& gpu = pipeline->gpu();
      text += " " + gpu.name + " (cuda:" + std::to_string(gpu.index) + "),";
    }
    text += " " + leafglyph::describe(spec()) + ", folded products in ";
    text += precision_ == Precision::kExact ? "double" : "pieces of half precision";
    return text + ", tables of " + std::to_string(pipelines_[0]->plan().table_bytes() >> 20) +
           " MiB, at most " + std::to_string(2 * kTileBytes >> 20) + " MiB for batches";
  }

 protected:
  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    run(images, {moments, {}});
  }
  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    run(images, {{}, magnitudes});
  }

 private:
  void run(const ImageBatch& images, const BatchResults& results) {
    std::atomic<std::size_t> next = 0;
    if (images.memory == MemoryKind::kDevice) {
      BatchPipeline& pipeline = pipeline_of(images);
      pipeline.run(images, results, pipeline.tile_images(images.type, images.count), next);
      return;
    }
    if (pipelines_.size() == 1) {
      BatchPipeline& pipeline = *pipelines_[0];
      pipeline.run(images, results, pipeline.tile_images(images.type, images.count), next);
      return;
    }
    share(images, results, next);
  }

  // Every GPU takes tiles from the batch until none is left.
  void share(const ImageBatch& images, const BatchResults& results,
             std::atomic<std::size_t>& next) {
    std::size_t tile = (images.count + pipelines_.size() - 1) / pipelines_.size();
    for (const auto& pipeline : pipelines_) {
      tile = pipeline->tile_images(images.type, tile);
    }
    std::vector<std::exception_ptr> failures(pipelines_.size());
    const int cpu_threads = std::max(1, thread_count() / static_cast<int>(pipelines_.size()));
    {
      std::vector<std::jthread> threads;
      for (std::size_t g = 0; g < pipelines_.size(); ++g) {
        threads.emplace_back([&, g, cpu_threads] {
          try {
            set_thread_count(cpu_threads);  // OpenMP's setting is each thread's own
            pipelines_[g]->run(images, results, tile, next);
          } catch (...) {
            failures[g] = std::current_exception();
            next = images.count;  // the others need not go on
          }
        });
      }
    }
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  BatchPipeline& pipeline_of(const ImageBatch& images) {
    cudaPointerAttributes attributes{};
    CUDA_CHECK(cudaPointerGetAttributes(&attributes, images.pixels));
    if (attributes.type == cudaMemoryTypeDevice) {
      for (const auto& pipeline : pipelines_) {
        if (pipeline->gpu().index == attributes.device) return *pipeline;
      }
    }
    throw UsageError("the batch is said to lie in GPU memory, but not in that of " + describe());
  }

  Precision precision_;
  std::vector<std::unique_ptr<BatchPipeline>> pipelines_;
};

}  // namespace

std::unique_ptr<MomentEngine> make_gpu_moment_engine(const MomentSpec& spec, int image_size,
                                                     Precision precision,
                                                     const std::vector<GpuDevice>& gpus) {
  const bool polynomial = spec.family == Family::kZernike || spec.family == Family::kPseudoZernike;
  if (polynomial && spec.method == Method::kExact) {
    return make_exact_gpu_engine(spec, image_size, gpus.front());
  }
  if (polynomial && (spec.method == Method::kAdaptive ||
                     basis_is_too_large(spec, image_size, Precision::kExact))) {
    return make_direct_gpu_engine(spec, image_size, gpus.front());
  }
  if (!is_circular(spec.family)) {
    return make_gpu_jacobi_engine(spec, image_size, precision, gpus.front());
  }
  if (spec.family == Family::kBesselFourier &&
      (spec.method == Method::kAdaptive ||
       basis_is_too_large(spec, image_size, Precision::kExact))) {
    return make_bessel_fourier_engine(
        spec, image_size,
        make_gpu_bessel_fourier(bessel_fourier_spec(spec, image_size), precision, gpus.front()));
  }
  return std::make_unique<FoldedGpuEngine>(spec, image_size, precision, gpus);
}

}  // namespace leafglyph
