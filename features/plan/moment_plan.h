// THE interface to moments: a plan for a spec and a size, from images to moments and back.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/moments/moment_spec.h"
#include "features/plan/transform.h"

namespace leafglyph {

/// Which repetitions take part. Those of one sign alone give the real part of their sums, which is
/// the same for both signs: kZero, kPositive and kNegative add up to kAll, kNonNegative (m >= 0)
/// and kNegative do, and kNonPositive (m <= 0) and kPositive.
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

/// Makes the transforms of a plan when they are first needed: tables for moments and tables for
/// images are different ones, and most callers go one way.
struct TransformMakers {
  std::function<std::shared_ptr<ForwardTransform>()> forward;
  std::function<std::shared_ptr<BackwardTransform>()> backward;
};

/// Moments of batches of images or volumes of one size, and images from moments, for every family
/// and device. Made once (gpu/plans.h), then used for any number of batches; the tables of each
/// direction are made when it is first used, or by prepare(). Use one plan from one thread at a
/// time: it uses every thread that set_thread_count allows itself.
class MomentPlan {
 public:
  /// Throws UsageError as validate(spec, size).
  MomentPlan(const MomentSpec& spec, const ArraySize& size, TransformMakers makers);

  const MomentSpec& spec() const { return spec_; }
  const ArraySize& size() const { return size_; }
  /// The stored moments of an image, in storage order; those of order <= T' < T are a prefix. Empty
  /// for volumes, whose moments are numbered by volume_moment_position.
  std::span<const MomentIndex> indices() const { return indices_; }
  std::size_t moment_count() const { return moment_count_; }
  /// The pixels that count, 1, and those that do not, 0; all 1 where each image has a circle of its
  /// own. Volumes have none that do not, and no mask: an empty image.
  const Image<unsigned char>& mask();

  enum class Direction { kMoments, kImages };
  /// Makes the tables of a direction, where they are not there yet. Throws InputError when the
  /// memory does not suffice, naming what is wanted and what there is.
  void prepare(Direction direction);

  /// Moment c of image b goes to moments[b * moment_count() + c]; of families on the square the
  /// imaginary parts are 0. Throws UsageError when sizes do not fit, InputError when a value that
  /// counts is not finite (the image and the pixel are named).
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments);

  /// |moment c| of image b goes to magnitudes[b * moment_count() + c]. Errors as moments().
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes);

  /// Images from moments, any number of them: at every pixel centre of the mask
  ///     f^ = sum over n, m of Z_nm R_nm(rho) e^{j m theta}
  /// over the selected n and m (negative m through Z_{n,-m} = conj Z_nm), R_nm = J_1(lambda_n rho)
  /// for Bessel-Fourier moments; of families on the square, at every centre, the sum of
  /// J_nm p_n(x) p_m(y) (of volumes: times p_o(z)), which knows no repetitions. The pixels that do
  /// not count are 0. Image b has all its stored moments at moments[b * moment_count()]; pixel
  /// (j, i) goes to images[b * size().elements() + j * width + i], not clipped.
  /// Throws UsageError when sizes do not fit, orders lie outside 0 <= first <= last <=
  /// top_order(spec()), repetitions other than kAll are asked of a family on the square, or each
  /// image has a circle of its own, and InputError when a selected moment is not finite.
  void reconstruct(std::span<const std::complex<double>> moments, const MomentSelection& selection,
                   std::span<double> images);

  /// One line on what computes moments (images): back end, method, arithmetic, instruction set or
  /// GPU. Makes the tables of that direction.
  std::string describe(Direction direction = Direction::kMoments);

 private:
  void check_batch(const ImageBatch& images, std::size_t outputs) const;
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
  std::optional<Image<unsigned char>> mask_;
  std::vector<std::complex<double>> weighted_;  // of the last reconstruction
  std::shared_ptr<ForwardTransform> forward_;
  std::shared_ptr<BackwardTransform> backward_;
};

}  // namespace leafglyph
