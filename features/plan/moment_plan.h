// THE interface to moments: a plan for a spec and a size, from images to moments and back.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/moments/moment_spec.h"
#include "features/plan/cost.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Which repetitions are used. With those of one sign only, the result is the real part of their
/// sum, which is the same for both signs. So kZero, kPositive and kNegative add up to kAll, as do
/// kNonNegative (m >= 0) and kNegative, and kNonPositive (m <= 0) and kPositive.
enum class Repetitions { kAll, kZero, kPositive, kNegative, kNonNegative, kNonPositive };
template <>
inline constexpr Names<Repetitions, 6> kNamesOf<Repetitions> = {
    "choice of repetitions",
    {{{Repetitions::kAll, "all"},
      {Repetitions::kZero, "zero"},
      {Repetitions::kPositive, "positive"},
      {Repetitions::kNegative, "negative"},
      {Repetitions::kNonNegative, "nonnegative"},
      {Repetitions::kNonPositive, "nonpositive"}}}};

/// The moments that a reconstruction uses: first_order <= order_of(moment) <= last_order.
struct MomentSelection {
  int first_order = 0;
  int last_order = 0;
  Repetitions repetitions = Repetitions::kAll;
};

/// Make the transforms of a plan when they are first needed. Moments and images need different
/// tables, and most callers use only one direction.
struct TransformMakers {
  std::function<std::shared_ptr<ForwardTransform>()> forward;
  std::function<std::shared_ptr<BackwardTransform>()> backward;
  /// Which algorithm a direction takes, and why, for describe(). May be empty.
  std::function<std::string(Way)> choice = {};
  /// Of the host's loops (SmallTeams), for transforms on GPUs.
  int most_threads = std::numeric_limits<int>::max();
};

/// Moments of batches of images or volumes of one size, and images from moments, for every family
/// and device. Made once (gpu/plans.h), then used for any number of batches. The tables of each
/// direction are built on first use, or by prepare(). Use a plan from one thread at a time: it uses
/// every thread that set_thread_count allows.
class MomentPlan {
 public:
  /// Throws UsageError as validate(spec, size).
  MomentPlan(const MomentSpec& spec, const ArraySize& size, TransformMakers makers);

  const MomentSpec& spec() const { return spec_; }
  const ArraySize& size() const { return size_; }
  /// The stored moments of an image, in storage order; those of order <= T' < T are a prefix. Empty
  /// for volumes, whose moments are ordered as volume_moment_indices.
  std::span<const MomentIndex> indices() const { return indices_; }
  std::size_t moment_count() const { return moment_count_; }
  /// 1 for the pixels that count and 0 for the others; all 1 if each image has its own circle. In a
  /// volume every voxel counts, on the ball those whose centres lie in it, and the mask is an empty
  /// image.
  const Image<unsigned char>& mask();

  using Direction = Way;
  /// Builds the tables of a direction unless they already exist. Throws InputError when there is
  /// not enough memory; the message states how much is needed and how much there is.
  void prepare(Direction direction);

  /// Whether moments() and magnitudes() read a batch whose rows or images are apart. Adjacent ones
  /// are always read; others are read where copying them would take longer than the moments do.
  /// Builds the tables.
  bool reads(const ImageBatch& images);

  /// Moment c of image b goes to moments[b * moment_count() + c]. For families on the square the
  /// imaginary parts are 0. Throws UsageError when sizes do not match or the plan does not read the
  /// batch (reads()), InputError when a value that counts is not finite (the message names the
  /// image and the pixel).
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments);

  /// moment c| of image b goes to magnitudes[b * moment_count() + c]. Throws the same as moments().
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes);

  /// Images from the moments of any number of images. At every pixel centre of the mask
  ///     f^ = sum over n, m of Z_nm R_nm(rho) e^{j m theta}
  /// over the selected n and m (negative m through Z_{n,-m} = conj Z_nm), with
  /// R_nm = J_1(lambda_n rho) for Bessel-Fourier moments, and times e^{j phase} for a family with a
  /// phase (FamilyRow), whose Z_{-n,-m} = conj Z_nm. For families on the square it is the sum
  /// of J_nm p_n(x) p_m(y) at every centre (for volumes: times p_o(z)), which has no repetitions;
  /// on the ball, the sum of Omega_nl^m Z_nl^m at the centres of voxels.
  /// Pixels that do not count are 0. The stored moments of image b start at moments[b *
  /// moment_count()]; pixel (j, i) goes to images[b * size().elements() + j * width + i], not
  /// clipped. Throws UsageError when sizes do not match, when orders are outside 0 <= first <= last
  /// <= top_order(spec()), when repetitions other than kAll are requested for a family on the
  /// square, or when each image has its own circle; InputError when a selected moment is not
  /// finite.
  void reconstruct(std::span<const std::complex<double>> moments, const MomentSelection& selection,
                   std::span<double> images);

  /// One line on what computes the moments (or images): back end, method, arithmetic, instruction
  /// set or GPU, and why this algorithm. Builds the tables of that direction.
  std::string describe(Direction direction = Direction::kMoments);

 private:
  void check_batch(const ImageBatch& images, std::size_t outputs);
  [[noreturn]] void report_non_finite(const ImageBatch& images, std::size_t image);
  [[noreturn]] void report_non_finite_moment(std::span<const std::complex<double>> of_image,
                                             std::size_t first) const;
  std::span<const std::complex<double>> weighted(std::span<const std::complex<double>> moments,
                                                 const MomentSelection& selection);
  ForwardTransform& forward();
  BackwardTransform& backward();

  MomentSpec spec_;
  ArraySize size_;
  TransformMakers makers_;
  std::size_t moment_count_;
  std::vector<MomentIndex> indices_;
  std::vector<int> repetitions_;  // m of each moment, where those of -m are conjugates
  std::optional<Image<unsigned char>> mask_;
  std::vector<std::complex<double>> weighted_;  // of the last reconstruction
  std::shared_ptr<ForwardTransform> forward_;
  std::shared_ptr<BackwardTransform> backward_;
};

}  // namespace leafglyph
