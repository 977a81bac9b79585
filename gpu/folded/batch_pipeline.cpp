#include "gpu/folded/batch_pipeline.h"

#include <algorithm>

#include "features/base/errors.h"

namespace leafglyph::gpu {

BatchPipeline::BatchPipeline(const MomentSpec& spec, const FoldedBasis& basis, Precision precision,
                             const GpuDevice& gpu)
    : gpu_(gpu),
      image_size_(basis.grid().size()),
      plan_(spec, basis, precision),
      sent_(kTileBytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free, &total));
  tile_bytes_ = std::min(kTileBytes, free / 8);
}

std::size_t BatchPipeline::tile_images(PixelType type, std::size_t count) const {
  ImageBatch one;
  one.type = type;
  one.size = image_size_;
  const std::size_t bytes = one.pixels_per_image() * one.bytes_per_pixel() +
                            plan_.workspace_bytes(type) +
                            plan_.row_length() * sizeof(std::complex<double>);
  std::size_t fitting = std::max<std::size_t>(1, tile_bytes_ / bytes);
  if (fitting > kTileRows) fitting -= fitting % kTileRows;
  return std::min(fitting, count);
}

void BatchPipeline::run(const ImageBatch& images, const BatchResults& results) {
  const DeviceScope scope(gpu_.index);
  const std::size_t tile = tile_images(images.type, images.count);
  try {
    for (std::size_t turn = 0;; ++turn) {
      Slot& slot = slots_[turn % slots_.size()];
      collect(slot, results);
      const std::size_t first = turn * tile;
      if (first >= images.count) break;
      slot.first = first;
      slot.count = std::min(tile, images.count - first);
      start(slot, images.slice(first, slot.count), !results.moments.empty());
    }
    for (Slot& slot : slots_) collect(slot, results);
  } catch (...) {
    // The GPU may still be reading and writing the buffers of the slots.
    for (Slot& slot : slots_) {
      static_cast<void>(cudaStreamSynchronize(slot.stream.get()));
      slot.count = 0;
    }
    throw;
  }
}

void BatchPipeline::start(Slot& slot, const ImageBatch& tile, bool want_moments) {
  const std::size_t values = tile.count * plan_.moment_count();
  const std::size_t result_bytes =
      values * (want_moments ? sizeof(std::complex<double>) : sizeof(float));
  plan_.reserve(slot.workspace, tile.type, tile.count);
  grow(slot.results, result_bytes);
  grow(slot.host_results, result_bytes);
  ImageBatch on_gpu = tile;
  if (tile.memory == MemoryKind::kHost) {
    const std::size_t bytes = tile.count * tile.pixels_per_image() * tile.bytes_per_pixel();
    grow(slot.images, bytes);
    sent_.send(tile.pixels, /*on_host=*/true, bytes, slot.images.data(), slot.stream);
    on_gpu.pixels = slot.images.data();
    on_gpu.memory = MemoryKind::kDevice;
  }
  plan_.compute_sums(on_gpu, slot.workspace, slot.stream);
  if (want_moments) {
    plan_.finish(slot.workspace, tile.count, reinterpret_cast<double*>(slot.results.data()),
                 slot.stream);
  } else {
    plan_.finish(slot.workspace, tile.count, reinterpret_cast<float*>(slot.results.data()),
                 slot.stream);
  }
  CUDA_CHECK(cudaMemcpyAsync(slot.host_results.data(), slot.results.data(), result_bytes,
                             cudaMemcpyDeviceToHost, slot.stream.get()));
  slot.done.record(slot.stream);
}

void BatchPipeline::collect(Slot& slot, const BatchResults& results) {
  if (slot.count == 0) return;
  slot.done.wait();
  const std::size_t first = slot.first * plan_.moment_count();
  const std::size_t values = slot.count * plan_.moment_count();
  if (results.moments.empty()) {
    parallel_copy(reinterpret_cast<std::byte*>(results.magnitudes.data() + first),
                  slot.host_results.data(), values * sizeof(float));
  } else {
    parallel_copy(reinterpret_cast<std::byte*>(results.moments.data() + first),
                  slot.host_results.data(), values * sizeof(std::complex<double>));
  }
  slot.count = 0;
}

}  // namespace leafglyph::gpu
