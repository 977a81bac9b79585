// Whose moments, LeafGlyph's own or those of another program, and which circle of an image is the
// unit circle. THE table of conventions.
#pragma once

#include <string>
#include <string_view>

#include "features/base/names.h"

namespace leafglyph {

/// Sums over the pixels that count, in column i and row j. With the unit circle's centre (cx, cy)
/// and radius R in pixels,
///     u = (i - cx) / R,  v = (j - cy) / R (down),  rho = hypot(u, v),  theta = atan2(-v, u).
/// kTextbook   Z_nm = (n+1)/(pi R^2) * sum of f R_nm(rho) e^{-j m theta}, the integral of
///             moment_spec.h at pixel centres; k x k sub-pixel centres and masks as there
/// kMahotas    Z_nm = (n+1)/(pi S) * sum of f R_nm(rho) e^{j m theta}, S the sum of f, both over
///             the pixels with f > 0 and rho <= 1; about the centroid, with a given radius
/// kCentrosome Z_nm = 1/(pi R^2) * sum of R_nm(rho) j^m e^{j m theta} over the pixels that are
///             not 0 and have rho^2 <= 1, so only the shape matters; on the smallest circle around
///             the centres of these pixels. CellProfiler's AreaShape_Zernike_n_m are its
///             magnitudes
/// kNyxus      Z_nm = (n+1)/(pi S) * sum of f R_nm(rho) e^{j (m+1) theta} over the pixels with
///             rho <= 1 except one at the centre itself, S the sum of f over the whole image; about
///             the centroid, with the shorter side of the image as the radius. The angle has the
///             factor m + 1 instead of m, so these are not Zernike moments
/// The other programs print only magnitudes.
enum class Convention { kTextbook, kMahotas, kCentrosome, kNyxus };
template <>
inline constexpr Names<Convention, 4> kNamesOf<Convention> = {
    "convention",
    {{{Convention::kTextbook, "textbook"},
      {Convention::kMahotas, "mahotas"},
      {Convention::kCentrosome, "centrosome"},
      {Convention::kNyxus, "nyxus"}}}};

enum class CentreRule {
  kImage,      ///< the middle of the image
  kCentroid,   ///< sum of f (i, j) / sum of f, over the whole image
  kEnclosing,  ///< centre of the smallest circle around the centres of all pixels that are not 0
  kGiven,
};
enum class RadiusRule {
  kInscribed,  ///< half of the longer side: the circle inscribed in the image padded to a square
  kShorter,    ///< the shorter side
  kEnclosing,  ///< radius of the smallest circle around the centres of all pixels that are not 0
  kGiven,
};

/// The unit circle of an image, in pixels; the centre of pixel (row j, column i) is x = i, y = j.
struct UnitCircle {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;

  friend bool operator==(const UnitCircle&, const UnitCircle&) = default;
};

/// A convention with its circle.
struct ConventionSpec {
  Convention convention = Convention::kTextbook;
  CentreRule centre = CentreRule::kImage;
  RadiusRule radius = RadiusRule::kInscribed;
  UnitCircle given = {};  ///< the values for kGiven rules; the rest is 0

  friend bool operator==(const ConventionSpec&, const ConventionSpec&) = default;
};

/// A convention with the circle given by the texts, or its default circle where they are empty.
/// `centre` is image, centroid, enclosing or X,Y (column, row); `radius` is inscribed, shorter,
/// enclosing or a number of pixels. Throws UsageError for other texts, for a centre that is not
/// finite, for a radius that is not a finite number above 0, and for mahotas without a radius.
ConventionSpec convention_from_text(std::string_view convention, std::string_view centre,
                                    std::string_view radius);
std::string centre_text(const ConventionSpec& spec);  ///< as convention_from_text reads it
std::string radius_text(const ConventionSpec& spec);

/// Whether this is LeafGlyph's own convention on the circle inscribed in the image padded to a
/// square. That circle is the same for all images of a size.
bool is_inscribed_textbook(const ConventionSpec& spec);

std::string describe(const ConventionSpec& spec);  ///< "mahotas, centre centroid, radius 20"

}  // namespace leafglyph
