// Moment statistics of a character set: variances, chosen moments, all pairwise distances.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classify/glyph/glyph_images.h"
#include "features/base/names.h"
#include "features/distance/pairwise.h"
#include "gpu/plans.h"

namespace leafglyph {

/// Which part of a moment A_nm is compared.
enum class MomentPart { kComplex, kReal, kMagnitude };
template <>
inline constexpr Names<MomentPart, 3> kNamesOf<MomentPart> = {
    "part",
    {{{MomentPart::kComplex, "complex"},
      {MomentPart::kReal, "real"},
      {MomentPart::kMagnitude, "magnitude"}}}};
inline constexpr std::array kMomentParts = {MomentPart::kComplex, MomentPart::kReal,
                                            MomentPart::kMagnitude};

/// "A40" if n and m are below 10, otherwise "A12,4". The inverse throws UsageError for anything
/// else.
std::string moment_name(const MomentIndex& index);
MomentIndex moment_from_name(std::string_view name);

/// The families that the thesis compares.
inline constexpr std::array kGlyphFamilies = {Family::kPseudoZernike, Family::kZernike};

struct GlyphStatisticsOptions {
  std::vector<Family> families{kGlyphFamilies.begin(), kGlyphFamilies.end()};
  int order = 5;           ///< T: all moments of order <= T
  int subregions = 1;      ///< k
  std::size_t chosen = 4;  ///< number of moments of largest variance that are compared
  /// Moments to compare instead, by part; chosen automatically if a part is missing.
  std::map<MomentPart, std::vector<MomentIndex>> named;
  PairwiseOptions pairwise;
  std::vector<std::pair<char32_t, char32_t>> pairs;  ///< pairs whose distance is reported
  bool rotations = true;                             ///< check rotation by 90, 180 and 270 degrees

  friend bool operator==(const GlyphStatisticsOptions&, const GlyphStatisticsOptions&) = default;
};

/// The statistics of one part.
struct PartStatistics {
  MomentPart part = MomentPart::kComplex;
  /// Variance of every stored moment over the characters, averaged over the fonts: mean |A - mean
  /// A|^2, where A is the moment, its real part or its magnitude.
  std::vector<double> variances;
  /// Positions of the compared moments, in storage order.
  std::vector<std::size_t> chosen;
  PairwiseStatistics distances;
  std::vector<double> pair_distances;  ///< in the order of GlyphStatisticsOptions::pairs
};

/// The effect of rotating every bitmap.
struct RotationCheck {
  int degrees = 0;
  double largest_magnitude_change = 0.0;  ///< over all moments of all characters
  /// Bound on the change of any magnitude distance: twice the largest Euclidean change of a
  /// character's vector of compared magnitudes.
  double largest_distance_change = 0.0;
  double largest_phase_error = 0.0;  ///< largest |A' - A e^{-j m angle}|
};

struct FamilyStatistics {
  Family family = Family::kPseudoZernike;
  std::vector<MomentIndex> indices;  ///< of the stored moments
  std::array<PartStatistics, 3> parts;
  std::vector<RotationCheck> rotations;
  std::string engine;  ///< what computed the moments
};

struct GlyphStatistics {
  std::u32string characters;         ///< those that were compared
  std::vector<std::string> missing;  ///< see SelectedCharacters
  std::vector<FamilyStatistics> families;
};

/// The vectors of one part in the first family of the options, which the statistics compare.
struct GlyphVectors {
  SelectedCharacters selected;
  std::vector<double> values;  ///< one row per character
  std::size_t dimension = 0;
  std::size_t fonts = 1;  ///< equal groups of components

  FeatureRows rows() const { return {values, dimension, fonts}; }
};

/// Throws what glyph_statistics throws.
GlyphVectors glyph_vectors(const GlyphSelection& selection, const GlyphStatisticsOptions& options,
                           MomentPart part, const PlanOptions& engine);

/// Draws the characters and computes all statistics. Distances are averaged over the fonts. f is 1
/// on the background and 0 on strokes. Throws what GlyphSource, the engines and pairwise_statistics
/// throw, and UsageError for listed pairs or named moments that do not exist.
GlyphStatistics glyph_statistics(const GlyphSelection& selection,
                                 const GlyphStatisticsOptions& options, const PlanOptions& engine);

}  // namespace leafglyph
