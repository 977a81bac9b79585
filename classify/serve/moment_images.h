// Images, their moments, and reconstructions from the moments up to an order.
#pragma once

#include <complex>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/image_quality.h"
#include "gpu/plans.h"

namespace leafglyph {

/// A grey image, centred in a square and padded with 0, as in the moments commands.
struct MomentImage {
  int width = 0;  ///< before padding
  int height = 0;
  int size = 0;
  std::vector<double> pixels;  ///< size x size
};

/// The image in a file's bytes, its longer side reduced to at most kMomentImageSide. Throws
/// InputError, with `name`, when the bytes are not a readable image.
MomentImage moment_image(std::string_view bytes, const std::string& name);
inline constexpr int kMomentImageSide = 256;

/// How well the moments of order 0..order represent the image.
struct Reconstruction {
  std::size_t moments = 0;  ///< number of moments used
  ImageError error;
  std::vector<double> pixels;  ///< size x size, not clipped
};

/// Keeps plans and moments of the latest requests, so that another order of the same image takes
/// only a reconstruction. Safe for many threads.
class MomentImages {
 public:
  explicit MomentImages(PlanOptions options) : options_(std::move(options)) {}

  /// Throws UsageError for an order below the family's lowest or above kMaxServedOrder.
  Reconstruction reconstruct(const MomentImage& image, const WeightedFamily& family, int order);

 private:
  struct SharedPlan {
    WeightedFamily family;
    int size = 0;
    std::unique_ptr<MomentPlan> plan;
    std::mutex mutex;  // a plan may be used by one thread at a time
  };
  struct Measured {
    std::shared_ptr<SharedPlan> plan;
    std::vector<double> pixels;
    std::vector<std::complex<double>> moments;
  };
  std::shared_ptr<SharedPlan> plan_for(const WeightedFamily& family, int size);
  std::shared_ptr<const Measured> measured(const MomentImage& image,
                                           const std::shared_ptr<SharedPlan>& plan);

  PlanOptions options_;
  std::mutex mutex_;
  std::list<std::shared_ptr<SharedPlan>> plans_;         // most recently used first
  std::list<std::shared_ptr<const Measured>> measured_;  // most recently used first
};

}  // namespace leafglyph
