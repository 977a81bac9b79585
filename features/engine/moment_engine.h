// THE interface of the moment engines: batches of images in, moments out, on CPU or GPU.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Arithmetic of an engine.
enum class Precision {
  kExact,  ///< double throughout
  kFast,   ///< float products; relative l2 error of a batch's moments at most 2e-6 (CPU)
};

/// Where an engine runs. `name` is auto, cpu, cuda, cuda:<index> or cuda:all.
struct DeviceChoice {
  enum class Kind { kAuto, kCpu, kCuda } kind = Kind::kAuto;
  int index = 0;  ///< GPU number for kCuda; -1 means every GPU of this host
};

/// Reads auto, cpu, cuda, cuda:i or cuda:all; throws UsageError on anything else.
DeviceChoice device_from_name(std::string_view name);

struct EngineOptions {
  DeviceChoice device;
  Precision precision = Precision::kExact;
  /// Receives one line that says which engine was chosen and why. May be empty.
  std::function<void(const std::string&)> log;
};

/// Moments of batches of N x N images of one spec. Built once (tables, basis), then used for any
/// number of batches. Use one engine from one thread at a time: engines use every thread that
/// set_thread_count allows themselves.
class MomentEngine {
 public:
  MomentEngine(const MomentSpec& spec, int image_size);
  virtual ~MomentEngine() = default;
  MomentEngine(const MomentEngine&) = delete;
  MomentEngine& operator=(const MomentEngine&) = delete;

  const MomentSpec& spec() const { return spec_; }
  int image_size() const { return image_size_; }
  /// The stored moments, in storage order; those of order <= T' < T are a prefix.
  std::span<const MomentIndex> indices() const { return indices_; }
  std::size_t moment_count() const { return indices_.size(); }

  /// Moment c of image b goes to moments[b * moment_count() + c].
  /// Throws UsageError when sizes do not fit, InputError when a pixel inside the disk is not
  /// finite (the image and the pixel are named).
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments);

  /// |moment c| of image b goes to magnitudes[b * moment_count() + c]. Errors as moments().
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes);

  /// One line: back end, method, arithmetic, instruction set or GPU.
  virtual std::string describe() const = 0;

 protected:
  virtual void compute_moments(const ImageBatch& images,
                               std::span<std::complex<double>> moments) = 0;
  /// Image by image through compute_moments; engines that need no complex moments do better.
  virtual void compute_magnitudes(const ImageBatch& images, std::span<float> magnitudes);

 private:
  void check_batch(const ImageBatch& images, std::size_t outputs) const;
  [[noreturn]] void report_non_finite(const ImageBatch& images, std::size_t image) const;

  MomentSpec spec_;
  int image_size_;
  std::vector<MomentIndex> indices_;
};

/// The one place that chooses an engine. kAuto takes a usable GPU when CUDA was built in and
/// otherwise the CPU, saying why through options.log; kCuda without a usable GPU throws Error.
std::unique_ptr<MomentEngine> make_moment_engine(const MomentSpec& spec, int image_size,
                                                 const EngineOptions& options = {});

}  // namespace leafglyph
