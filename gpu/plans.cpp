#include "gpu/plans.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "features/ball/ball_transform.h"
#include "features/base/errors.h"
#include "features/base/memory.h"
#include "features/base/threads.h"
#include "features/bessel_fourier/ring_transform.h"
#include "features/folded/folded_forward.h"
#include "features/jacobi/axis_transform.h"
#include "features/moments/disk_grid.h"
#include "features/pixel_sums/pixel_sums.h"
#include "features/separable/separable_transform.h"
#include "features/zernike/polar_transform.h"
#include "gpu/cuda_algorithms.h"
#include "gpu/gpu_workers.h"
#include "gpu/local/local_moments.h"
#include "gpu/shared_transform.h"

namespace leafglyph {
namespace {

constexpr std::array<const CpuAlgorithm*, 8> kCpuAlgorithms = {
    &kPixelSums, &kAxes, &kBall, &kSeparableTables, &kSeparable, &kFolded, &kRings, &kPolar};

using gpu::CudaAlgorithm;

// The seconds by which a GPU is later, because CUDA has to start: 0.35 to 0.4 on a host of an H100.
// Only device_for depends on it.
constexpr double kCudaStartSeconds = 0.4;

bool has_cuda(const MomentSpec& spec) { return is_inscribed_textbook(spec.convention); }

std::string no_cuda_reason(const MomentSpec& spec) {
  return "there is no CUDA for convention " + describe(spec.convention);
}

void check_has_images(const MomentSpec& spec) {
  if (is_inscribed_textbook(spec.convention)) return;
  throw UsageError(
      "moments of convention " + describe(spec.convention) +
      " cannot be reconstructed; those of the textbook convention on the inscribed circle can");
}

// The stored moments of one image or volume, and their indices.
double moment_bytes(const PlanRequest& request) {
  return static_cast<double>(moment_count(request.spec, request.size)) *
         (sizeof(std::complex<double>) + (request.size.is_volume() ? 0 : sizeof(MomentIndex)));
}

// Advice on memory: the largest array of the same shape whose `bytes` fit.
template <class Bytes>
std::string advice(const ArraySize& size, const Bytes& bytes) {
  if (!size.is_volume() && size.width == size.height) return "use a lower order or a smaller image";
  const auto available = static_cast<double>(available_memory_bytes());
  for (double factor = 0.95; factor > 1e-6; factor *= 0.95) {
    const auto shrink = [factor](int length) {
      return std::max(1, static_cast<int>(length * factor));
    };
    const ArraySize smaller{shrink(size.width), shrink(size.height),
                            size.is_volume() ? shrink(size.depth) : 0};
    if (bytes(smaller) <= available) return describe(smaller) + " would fit";
  }
  return "only a lower order would fit";
}

std::string milliseconds(double nanoseconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ms", 1e-6 * nanoseconds);
  return text.data();
}

// The rows of one back end: the caller's, and ours.
template <class... Device>
class Registry {
 public:
  using Row = Algorithm<Device...>;

  Registry(std::span<const Row* const> own, std::span<const Row* const> rows)
      : own_(own.begin(), own.end()), rows_(rows.begin(), rows.end()) {}

  // Throws UsageError if no row supports the request.
  template <class Member>
  const Row& row(Member Row::*way, const PlanRequest& request) const {
    const Row* row = first_that_supports<Row>(own_, way, request);
    if (row == nullptr) row = cheapest<Row>(rows_, way, request);
    if (row == nullptr) {
      throw UsageError("no algorithm supports " + describe(request.spec) + ", of " +
                       describe(request.size) + " values");
    }
    return *row;
  }

  // What was chosen, and what else could have been.
  template <class Member>
  std::string choice(const Row& chosen, Member Row::*way, const PlanRequest& request) const {
    const auto cost = [&](const Row& of) {
      return milliseconds(leafglyph::cost_of(of, way, request).of(request.images));
    };
    std::string others;
    for (const Row* other : rows_) {
      const auto& direction = other->*way;
      if (other == &chosen || direction.supports == nullptr || !direction.supports(request)) {
        continue;
      }
      others += (others.empty() ? "" : ", ") + std::string(other->name) + " " + cost(*other);
    }
    std::string text = "algorithm " + std::string(chosen.name);
    if ((chosen.*way).work == nullptr || others.empty()) return text;
    constexpr bool kOnCpu = sizeof...(Device) == 0;
    return text + ", about " + cost(chosen) + (kOnCpu ? " of a thread" : "") +
           " for the tables and " + std::to_string(request.images) +
           (request.images == 1 ? " image (" : " images (") + others + ")";
  }

  // Includes one image and its moments. Reconstruction holds the moments twice, unweighted and
  // weighted.
  template <class Member>
  double bytes(const Row& row, Member Row::*way, const PlanRequest& request) const {
    constexpr bool kIsBackward = std::is_same_v<Member, Direction<BackwardTransform, Device...>>;
    return (kIsBackward ? 2 : 1) * moment_bytes(request) +
           static_cast<double>(request.size.elements()) * sizeof(double) +
           (row.*way).bytes(request);
  }

  // Throws InputError, naming family, order and size and what would fit, if that exceeds the free
  // memory.
  template <class Member>
  void check_memory_for(const Row& chosen, Member Row::*way, const PlanRequest& request,
                        const std::string& what) const {
    const auto bytes_of = [&](const ArraySize& size) {
      const PlanRequest smaller{request.spec, size, request.precision, request.images};
      return bytes(row(way, smaller), way, smaller);
    };
    check_memory(bytes(chosen, way, request),
                 what + describe(request.spec) + ", of " + describe(request.size) + " values",
                 advice(request.size, bytes_of));
  }

 private:
  std::vector<const Row*> own_;
  std::vector<const Row*> rows_;
};

Registry<> cpu_registry(const PlanOptions& options) {
  return Registry<>(options.algorithms, kCpuAlgorithms);
}

Registry<gpu::GpuDevice> cuda_registry() {
  return Registry<gpu::GpuDevice>({}, gpu::cuda_algorithms());
}

PlanRequest request_of(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options) {
  return {spec, size, options.precision, options.images};
}

// The device of a plan: the CPU for an algorithm of the caller, otherwise that of plan_device. Sets
// `reason` if that differs from the request.
DeviceChoice device_of(const PlanRequest& request, const PlanOptions& options,
                       std::string& reason) {
  const auto supports = [&](auto way) {
    return first_that_supports(options.algorithms, way, request) != nullptr;
  };
  const bool is_own = supports(&CpuAlgorithm::moments) || supports(&CpuAlgorithm::images);
  if (!is_own && has_cuda(request.spec)) return options.device;
  const std::string why =
      is_own ? "your own algorithms have no CUDA version" : no_cuda_reason(request.spec);
  const DeviceChoice device = cpu_only(options.device, why);
  if (device.kind != options.device.kind) reason = why;
  return device;
}

// Makes the transforms of one plan. A two-way transform is made once.
class TransformFactory {
 public:
  TransformFactory(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options)
      : request_(request_of(spec, size, options)), log_(options.log), cpu_(cpu_registry(options)) {
    const DeviceChoice device = device_of(request_, options, reason_);
    std::string no_gpu;
    gpus_ = select_gpus(device, no_gpu);
    if (reason_.empty()) reason_ = no_gpu;
  }

  std::shared_ptr<ForwardTransform> forward() {
    const auto share = [this](const CudaAlgorithm& row, const auto& make) {
      // Counting the work may take milliseconds.
      const double nanoseconds =
          gpus_.size() == 1 ? 0.0 : cost_of(row, &CudaAlgorithm::moments, request_).image;
      return gpu::share_forward(gpus_, threads_, 1e-9 * nanoseconds, make);
    };
    return transform(&CpuAlgorithm::moments, &CudaAlgorithm::moments, share, "moments", "");
  }

  std::shared_ptr<BackwardTransform> backward() {
    check_has_images(request_.spec);
    const auto share = [this](const CudaAlgorithm&, const auto& make) {
      return gpu::share_backward(gpus_, threads_, make);
    };
    return transform(&CpuAlgorithm::images, &CudaAlgorithm::images, share, "images from moments",
                     "reconstruction from ");
  }

  int most_threads() const {
    return gpus_.empty() ? std::numeric_limits<int>::max() : gpu::kMostBesideGpus;
  }

  std::string choice(Way way) const {
    const auto of = [&](const auto& registry, auto moments, auto images) {
      return way == Way::kMoments
                 ? registry.choice(registry.row(moments, request_), moments, request_)
                 : registry.choice(registry.row(images, request_), images, request_);
    };
    return gpus_.empty() ? of(cpu_, &CpuAlgorithm::moments, &CpuAlgorithm::images)
                         : of(cuda_, &CudaAlgorithm::moments, &CudaAlgorithm::images);
  }

 private:
  template <class Transform, class Share>
  std::shared_ptr<Transform> transform(Direction<Transform> CpuAlgorithm::*on_cpu,
                                       Direction<Transform, gpu::GpuDevice> CudaAlgorithm::*on_gpu,
                                       const Share& share, const std::string& what,
                                       const std::string& of_what) {
    if (gpus_.empty()) {
      const CpuAlgorithm& row = cpu_.row(on_cpu, request_);
      cpu_.check_memory_for(row, on_cpu, request_, of_what);
      std::shared_ptr<Transform> made = make(row, on_cpu, kCpu);
      log(what, [&] { return made->describe() + "; " + cpu_.choice(row, on_cpu, request_); });
      return made;
    }
    const CudaAlgorithm& row = cuda_.row(on_gpu, request_);
    cuda_.check_memory_for(row, on_gpu, request_, of_what);
    std::shared_ptr<Transform> made =
        share(row, [&](const gpu::GpuDevice& gpu) { return make(row, on_gpu, gpu.index, gpu); });
    log(what, [&] { return made->describe() + "; " + cuda_.choice(row, on_gpu, request_); });
    return made;
  }

  template <class Transform, class... Device>
  std::shared_ptr<Transform> make(const Algorithm<Device...>& row,
                                  Direction<Transform, Device...> Algorithm<Device...>::*way,
                                  int index, const Device&... device) {
    if ((row.*way).make != nullptr) return (row.*way).make(request_, device...);
    auto& both_ways = both_ways_[index];
    if (!both_ways) both_ways = row.make_both(request_, device...);
    return both_ways;
  }

  // `made` says what was made and why, which takes as long as the choice.
  template <class Made>
  void log(const std::string& what, const Made& made) const {
    if (!log_) return;
    std::string line = what + ": " + made();
    if (!reason_.empty()) line += "; not on a GPU: " + reason_;
    if (gpus_.size() > 1) line += "; batches are shared among the GPUs";
    log_(line);
  }

  static constexpr int kCpu = -1;

  PlanRequest request_;
  std::function<void(const std::string&)> log_;
  std::string reason_;
  std::vector<gpu::GpuDevice> gpus_;
  int threads_ = thread_count();
  Registry<> cpu_;
  Registry<gpu::GpuDevice> cuda_ = cuda_registry();
  std::map<int, std::shared_ptr<TwoWayTransform>> both_ways_;  // by GPU index, or kCpu
};

}  // namespace

DeviceChoice plan_device(const MomentSpec& spec, const DeviceChoice& requested) {
  return has_cuda(spec) ? requested : cpu_only(requested, no_cuda_reason(spec));
}

std::span<const CpuAlgorithm* const> cpu_algorithms() { return kCpuAlgorithms; }

Cost cpu_cost(const MomentSpec& spec, const ArraySize& size, const PlanOptions& options) {
  validate(spec, size);
  const PlanRequest request = request_of(spec, size, options);
  return cost_of(cpu_registry(options).row(&CpuAlgorithm::moments, request), &CpuAlgorithm::moments,
                 request);
}

double estimated_seconds(const MomentSpec& spec, const ArraySize& size,
                         const PlanOptions& options) {
  return 1e-9 * cpu_cost(spec, size, options).image / thread_count();
}

DeviceChoice device_for(const MomentSpec& spec, const ArraySize& size, std::size_t images,
                        const PlanOptions& options, std::string& reason) {
  if (options.device.kind != DeviceChoice::Kind::kAuto || !has_cuda(spec)) return options.device;
  PlanOptions asked = options;
  asked.images = images;
  const double seconds = static_cast<double>(images) * estimated_seconds(spec, size, asked);
  if (seconds > kCudaStartSeconds) return options.device;
  reason = "the cores are likely to be done before CUDA has started";
  return {DeviceChoice::Kind::kCpu, 0};
}

std::unique_ptr<MomentPlan> make_moment_plan(const MomentSpec& spec, const ArraySize& size,
                                             const PlanOptions& options) {
  validate(spec, size);
  const auto factory = std::make_shared<TransformFactory>(spec, size, options);
  const SmallTeams teams(factory->most_threads());
  return std::make_unique<MomentPlan>(
      spec, size,
      TransformMakers{
          [factory] { return factory->forward(); }, [factory] { return factory->backward(); },
          [factory](Way way) { return factory->choice(way); }, factory->most_threads()});
}

std::unique_ptr<LocalMoments> make_local_moments(const LocalSpec& spec, int width, int height,
                                                 const DeviceChoice& device) {
  validate(spec);
  std::string reason;
  if (device.kind != DeviceChoice::Kind::kCuda) {
    return std::make_unique<LocalMoments>(spec, width, height);
  }
  return gpu::make_local_moments(spec, width, height, select_gpus(device, reason).front());
}

double plan_bytes(const MomentSpec& spec, const ArraySize& size, MomentPlan::Direction direction,
                  const PlanOptions& options) {
  const PlanRequest request = request_of(spec, size, options);
  const auto of = [&](const auto& registry, auto moments, auto images) {
    return direction == MomentPlan::Direction::kMoments
               ? registry.bytes(registry.row(moments, request), moments, request)
               : registry.bytes(registry.row(images, request), images, request);
  };
  std::string reason;
  if (select_gpus(device_of(request, options, reason), reason).empty()) {
    return of(cpu_registry(options), &CpuAlgorithm::moments, &CpuAlgorithm::images);
  }
  return of(cuda_registry(), &CudaAlgorithm::moments, &CudaAlgorithm::images);
}

}  // namespace leafglyph
