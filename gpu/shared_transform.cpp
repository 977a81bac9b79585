#include "gpu/shared_transform.h"

#include <algorithm>
#include <mutex>
#include <string>

#include "features/base/errors.h"
#include "features/base/threads.h"
#include "features/plan/repetition_transform.h"
#include "gpu/gpu_workers.h"

namespace leafglyph::gpu {
namespace {

// The parts of a batch, which `workers` workers fetch: one each if they are equally fast, because a
// GPU is idle at the beginning and the end of a part.
class Parts {
 public:
  Parts(std::size_t count, std::size_t workers, bool equally_fast)
      : count_(count),
        workers_(workers),
        least_(equally_fast ? (count + workers - 1) / workers
                            : std::clamp<std::size_t>(count / (8 * workers), 1, kMostLeast)) {}

  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  /// The next part; empty if none is left.
  Part take() {
    const std::lock_guard lock(mutex_);
    const std::size_t left = count_ - next_;
    const std::size_t size = std::min(left, std::max(least_, left / (2 * workers_)));
    const Part part{next_, size};
    next_ += size;
    return part;
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    next_ = count_;
  }

 private:
  // With fewer small images per part, filling and emptying the GPU's queues again would cost too
  // much.
  static constexpr std::size_t kMostLeast = 256;

  std::mutex mutex_;
  std::size_t count_;
  std::size_t workers_;
  std::size_t least_;
  std::size_t next_ = 0;
};

template <class Transform>
std::vector<std::shared_ptr<Transform>> make_on_each(
    const std::vector<GpuDevice>& gpus,
    const std::function<std::shared_ptr<Transform>(const GpuDevice&)>& make) {
  std::vector<std::shared_ptr<Transform>> made;
  made.reserve(gpus.size());
  for (const GpuDevice& gpu : gpus) made.push_back(make(gpu));
  return made;
}

template <class Transform>
std::string describe_all(const std::vector<GpuDevice>& gpus,
                         const std::vector<std::shared_ptr<Transform>>& transforms) {
  std::string text = transforms.front()->describe();
  for (std::size_t g = 1; g < gpus.size(); ++g) text += "; the same on " + gpu_text(gpus[g]);
  return text;
}

class SharedForward final : public ForwardTransform {
 public:
  SharedForward(const std::vector<GpuDevice>& gpus,
                std::vector<std::shared_ptr<ForwardTransform>> transforms, int loop_threads,
                double image_seconds)
      : gpus_(gpus),
        equally_fast_(std::ranges::all_of(
            gpus, [&](const GpuDevice& gpu) { return gpu.name == gpus.front().name; })),
        transforms_(std::move(transforms)),
        workers_(loop_threads) {
    if (share_pays(image_seconds, transforms_.size())) share_repetitions();
  }

  std::string describe() const override {
    return describe_all(gpus_, transforms_) +
           (cuts_.empty() ? "" : "; one image is shared by its repetitions");
  }

  void compute_moments(const ImageBatch& images, std::span<std::complex<double>> moments) override {
    const std::size_t count = moments.size() / images.count;
    if (shares_each(images)) {
      for (std::size_t b = 0; b < images.count; ++b) {
        compute_together(images.slice(b, 1), moments.subspan(b * count, count));
      }
      return;
    }
    share(images, [&](ForwardTransform& transform, const Parts::Part& part) {
      transform.compute_moments(images.slice(part.first, part.count),
                                moments.subspan(part.first * count, part.count * count));
    });
  }

  void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes) override {
    if (shares_each(images)) return ForwardTransform::compute_magnitudes(images, magnitudes);
    const std::size_t count = magnitudes.size() / images.count;
    share(images, [&](ForwardTransform& transform, const Parts::Part& part) {
      transform.compute_magnitudes(images.slice(part.first, part.count),
                                   magnitudes.subspan(part.first * count, part.count * count));
    });
  }

 private:
  // Cuts the repetitions into a share for each GPU, if the transforms can.
  void share_repetitions() {
    for (const auto& transform : transforms_) {
      auto* by_repetitions = dynamic_cast<RepetitionTransform*>(transform.get());
      if (by_repetitions != nullptr) by_repetitions_.push_back(by_repetitions);
    }
    if (by_repetitions_.size() != transforms_.size()) return;
    cuts_ = by_repetitions_.front()->cuts(transforms_.size());
  }

  // With as many images as GPUs, each GPU is better given its own.
  bool shares_each(const ImageBatch& images) const {
    return !cuts_.empty() && images.count < transforms_.size() &&
           images.memory == MemoryKind::kHost;
  }

  void compute_together(const ImageBatch& image, std::span<std::complex<double>> moments) {
    workers_.on_each(
        transforms_.size(),
        [&](std::size_t g) {
          by_repetitions_[g]->compute_repetitions(image, cuts_[g], cuts_[g + 1], moments);
        },
        [] {});
  }

  template <class Compute>
  void share(const ImageBatch& images, const Compute& compute) {
    if (images.memory == MemoryKind::kDevice) {
      return compute(of_memory(images), {0, images.count});
    }
    if (transforms_.size() == 1 || images.count == 1) {
      return compute(*transforms_.front(), {0, images.count});
    }
    Parts parts(images.count, transforms_.size(), equally_fast_);
    workers_.on_each(
        transforms_.size(),
        [&](std::size_t g) {
          for (auto part = parts.take(); part.count > 0; part = parts.take()) {
            compute(*transforms_[g], part);
          }
        },
        [&] { parts.stop(); });
  }

  ForwardTransform& of_memory(const ImageBatch& images) const {
    const int index = gpu_of_memory(images.pixels);
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      if (gpus_[g].index == index) return *transforms_[g];
    }
    throw UsageError("the batch is in GPU memory, but not in that of " + describe());
  }

  std::vector<GpuDevice> gpus_;
  bool equally_fast_;
  std::vector<std::shared_ptr<ForwardTransform>> transforms_;
  std::vector<RepetitionTransform*> by_repetitions_;  // those of transforms_ that are such
  std::vector<int> cuts_;                             // between the GPUs; empty: not shared
  GpuWorkers workers_;
};

class SharedBackward final : public BackwardTransform {
 public:
  SharedBackward(const std::vector<GpuDevice>& gpus,
                 std::vector<std::shared_ptr<BackwardTransform>> transforms, int loop_threads)
      : gpus_(gpus), transforms_(std::move(transforms)), workers_(loop_threads) {}

  std::string describe() const override { return describe_all(gpus_, transforms_); }

  void compute_image(std::span<const std::complex<double>> weighted, int last_order,
                     std::span<double> image) override {
    transforms_.front()->compute_image(weighted, last_order, image);
  }

  void compute_images(std::span<const std::complex<double>> weighted, std::size_t count,
                      int last_order, std::span<double> images) override {
    const std::size_t moments = weighted.size() / count;
    const std::size_t pixels = images.size() / count;
    const std::size_t workers = std::min(transforms_.size(), count);
    // Images are computed one at a time, so equal shares are as good as any others.
    workers_.on_each(
        workers,
        [&](std::size_t g) {
          const std::size_t first = count * g / workers;
          const std::size_t own = count * (g + 1) / workers - first;
          transforms_[g]->compute_images(weighted.subspan(first * moments, own * moments), own,
                                         last_order, images.subspan(first * pixels, own * pixels));
        },
        [] {});
  }

 private:
  std::vector<GpuDevice> gpus_;
  std::vector<std::shared_ptr<BackwardTransform>> transforms_;
  GpuWorkers workers_;
};

}  // namespace

bool share_pays(double image_seconds, std::size_t gpus) {
  constexpr double kLeastGain = 1.3;
  // Every GPU receives the whole image, and workers wake.
  constexpr double kSecondsOfSharing = 1e-3;
  return image_seconds >=
         kLeastGain * (image_seconds / static_cast<double>(gpus) + kSecondsOfSharing);
}

std::shared_ptr<ForwardTransform> share_forward(
    const std::vector<GpuDevice>& gpus, int threads, double image_seconds,
    const std::function<std::shared_ptr<ForwardTransform>(const GpuDevice&)>& make) {
  return std::make_shared<SharedForward>(gpus, make_on_each<ForwardTransform>(gpus, make),
                                         threads_of_worker(gpus.size(), threads), image_seconds);
}

std::shared_ptr<BackwardTransform> share_backward(
    const std::vector<GpuDevice>& gpus, int threads,
    const std::function<std::shared_ptr<BackwardTransform>(const GpuDevice&)>& make) {
  return std::make_shared<SharedBackward>(gpus, make_on_each<BackwardTransform>(gpus, make),
                                          threads_of_worker(gpus.size(), threads));
}

}  // namespace leafglyph::gpu
