// Moments of any convention, on any circle of an image: the sum over its pixels.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "features/image/image.h"
#include "features/moments/convention.h"
#include "features/moments/moment_spec.h"
#include "features/moments/radial.h"

namespace leafglyph {

/// Zernike and pseudo-Zernike moments of batches of images of one size, which need not be square,
/// as convention.h defines them, on the CPU in double. Each image has a circle of its own, so that
/// no tables can be shared: an image takes (points) (moments) multiply-adds, by the recurrence of
/// radial.h at every point. Results depend neither on the other images nor on the number of
/// threads. A MomentPlan is faster where is_inscribed_textbook(). Immutable.
class ConventionMoments {
 public:
  /// Throws UsageError as validate(convention, spec), and for volumes and sizes of less than 1 or
  /// more than kMaxImageSize pixels a side.
  ConventionMoments(const ConventionSpec& convention, const MomentSpec& spec,
                    const ArraySize& size);

  const ConventionSpec& convention() const { return convention_; }
  const MomentSpec& spec() const { return spec_; }
  const ArraySize& size() const { return size_; }
  std::size_t moment_count() const { return moment_count_; }

  /// Moment c of image b goes to moments[b * moment_count() + c]. Throws UsageError when sizes do
  /// not fit or the batch lies in the memory of a GPU, InputError for a value that is not finite,
  /// where an image has no circle (unit_circle.h), and where S is not above 0; the image is named.
  void moments(const ImageBatch& images, std::span<std::complex<double>> moments) const;
  /// The same for |moment|.
  void magnitudes(const ImageBatch& images, std::span<float> magnitudes) const;

  std::string describe() const;  ///< "sums over pixels, mahotas, centre centroid, radius 20"

 private:
  struct Sums;
  struct Points;

  void image_moments(std::span<const double> image, std::span<std::complex<double>> moments) const;
  void add_rows(std::span<const double> image, const UnitCircle& circle, int first, int last,
                Sums& sums) const;
  void add_subpoints(int row, int column, double value, const UnitCircle& circle, Points& points,
                     Sums& sums) const;
  void add_points(Points& points, Sums& sums) const;
  void normalise(const Sums& sums, double whole_sum, const UnitCircle& circle,
                 std::span<std::complex<double>> moments) const;

  ConventionSpec convention_;
  MomentSpec spec_;
  ArraySize size_;
  std::size_t moment_count_;
  std::vector<RadialRecurrence> recurrences_;        // one for each m
  std::vector<std::vector<std::size_t>> positions_;  // of the moments of its n
};

}  // namespace leafglyph
