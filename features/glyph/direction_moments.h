// The features of a character: Zernike moments of its edges, by direction and scale.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "features/base/names.h"
#include "features/glyph/direction_channels.h"
#include "features/glyph/normalise.h"
#include "features/image/image.h"
#include "features/moments/moment_spec.h"
#include "features/plan/moment_plan.h"

namespace leafglyph {

class Keys;

/// Edges of one coarseness, and the moments that describe them.
struct DirectionScale {
  double blur = 1.5;  ///< standard deviation of the Gaussian, in pixels of the frame
  int order = 10;     ///< of the moments
  friend bool operator==(const DirectionScale&, const DirectionScale&) = default;
};

struct CharacterFeatures {
  CharacterFrame frame;
  double bend = 0.12;   ///< of further views (views_of); 0: a picture is seen in `frame` alone
  int directions = 8;   ///< of the full circle; 0: moments of the frame itself
  double power = 0.35;  ///< of the gradient's size; below 1 thin and faint strokes count more
  Family family = Family::kZernike;  ///< or pseudo-Zernike: of the moments
  std::vector<DirectionScale> scales = {{1.5, 10}, {3, 6}};
  friend bool operator==(const CharacterFeatures&, const CharacterFeatures&) = default;
};

/// The families that describe characters.
inline constexpr Names<Family, 2> kCharacterFamilies = {
    "family", {{{Family::kZernike, "zernike"}, {Family::kPseudoZernike, "pseudo-zernike"}}}};

/// The keys of the mapping `features` of characters; `blurs` and `orders` are lists of one length.
void declare(Keys& keys, CharacterFeatures& features);
/// Throws UsageError if a value is out of range.
void validate(const CharacterFeatures& features);

/// Numbers per character: 752 by default.
std::size_t columns(const CharacterFeatures& features);

/// The moments of a scale, at pixel centres, on the circle inscribed in the frame.
MomentSpec moment_spec(const DirectionScale& scale, Family family);

/// Makes a plan for `spec` and square images of `size` pixels, as make_moment_plan (gpu/plans.h)
/// does; in float, for many images.
using MomentPlanMaker =
    std::function<std::unique_ptr<MomentPlan>(const MomentSpec& spec, int size)>;

/// Rows of characters. Use one per thread: it computes on the calling thread alone.
class DirectionMoments {
 public:
  /// Throws as validate and as `make_plan` do.
  DirectionMoments(const CharacterFeatures& features, const MomentPlanMaker& make_plan);

  std::size_t columns() const { return columns_; }

  /// Row i of frames.size() rows is written to rows[i * columns() ...]. One scale follows another;
  /// in each there are the channels of DirectionChannels in turn, and for each channel f the stored
  /// moments (moment_indices), of each the real part of
  ///     sqrt((n + 1) / pi) (sqrt 2 if m > 0) * integral of f R_nm(rho) e^{-j m theta} dx dy
  /// and then, for m > 0, the imaginary part: inner products of f with functions on the unit disk
  /// that are orthonormal. Rotation is kept. The row of a frame is the same to the last bit
  /// whichever others come with it. Throws UsageError if a frame or `rows` has the wrong size.
  void rows(std::span<const Image<float>> frames, std::span<float> rows);

 private:
  struct Scale {
    double blur = 0;
    std::unique_ptr<MomentPlan> plan;
    std::vector<double> factors;  // of the moments, to orthonormal ones
    std::size_t columns = 0;      // of all channels
  };
  void add_scale(const DirectionScale& scale, const MomentPlanMaker& make_plan);
  void add_columns(Scale& scale, std::span<const Image<float>> frames, std::span<float> rows,
                   std::size_t start);

  int size_;
  Family family_;
  DirectionChannels channels_;
  std::size_t columns_;
  std::vector<Scale> scales_;
  std::vector<float> images_;
  std::vector<std::complex<double>> moments_;
};

}  // namespace leafglyph
