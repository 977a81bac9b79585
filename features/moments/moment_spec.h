// Which moments: family, order and method, and the single order in which they are stored.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/base/names.h"
#include "features/image/image.h"
#include "features/moments/convention.h"
#include "features/moments/family.h"

namespace leafglyph {

class Keys;

/// Throws UsageError unless alpha and beta of Jacobi polynomials are above -1 and at most
/// kMaxJacobiExponent.
void validate(const JacobiWeight& weight);

/// The weight of Gegenbauer polynomials C_n^(parameter). Throws UsageError unless parameter > -1/2
/// and validate() accepts the weight.
JacobiWeight gegenbauer_weight(double parameter);

/// Which pixels of a family on the disk count. Points outside the unit disk never do.
enum class Mask {
  kCentre,  ///< kSubregion: every one of the k x k sub-pixel centres lies inside or on the unit
            ///< circle; other methods: the pixel's centre does, and of a pixel that the circle cuts
            ///< the points inside count
  kWhole,   ///< the pixel's four corners lie inside or on the unit circle
};
template <>
inline constexpr Names<Mask, 2> kNamesOf<Mask> = {
    "mask", {{{Mask::kCentre, "centre"}, {Mask::kWhole, "whole"}}}};

/// What is computed. The families on the disk follow LeafGlyph's own `textbook` convention on the
/// circle inscribed in a square image, unless `convention` says otherwise (convention.h):
///   Z_nm = (n+1)/pi * integral over the unit disk of f(x, y) R_nm(rho) e^{-j m theta} dx dy
/// with the coordinates of image.h, and for Bessel-Fourier
///   B_nm = 1/(2 pi a_n) * integral over the disk of f(x, y) J_1(lambda_n rho) e^{-j m theta} dx dy
/// with lambda_n the n-th positive zero of J_1 and a_n = J_2(lambda_n)^2 / 2. Its order T stands
/// for 1 <= n <= T and 0 <= m <= T; n = 0 is left out, since J_1(0) = 0. Jacobi-Fourier moments are
///   1/(2 pi) * integral over the disk of f(x, y) J_n(p, q, rho) e^{-j m theta} dx dy,  0 <= n, m
///   <= T,
/// with J_n of jacobi_fourier.h, and exponent-Fourier moments
///   1/(2 pi) * integral of f rho^{-1/2} e^{-2 pi j n rho} e^{-j m theta} dx dy,  -T <= n <= T,
/// 0 <= m <= T. Kernels of these two have no limit at the centre; a point there counts as 0.
///
/// Legendre and Jacobi moments are real and live on the square [-1, 1]^2 or the cube [-1, 1]^3.
/// Every pixel or voxel counts, and the axes may differ in length. Coordinates are those of image.h
/// for each slice, and z = (2 k + 1 - depth) / depth for slice k. With p_n the orthonormal Jacobi
/// polynomials (Legendre: p_n = sqrt(n + 1/2) P_n) and w the weight,
///   J_nm  = integral of f w(x) w(y) p_n(x) p_m(y) dx dy,             n + m <= T,
///   J_nmo = integral of f w(x) w(y) w(z) p_n p_m p_o dx dy dz,       n + m + o <= T,
/// so the sum of J p p is the least-squares approximation of f under the weight. (In the literature
/// the coefficients of P_n P_m are J_nm / sqrt(rho_n rho_m).) Their convention is `orthonormal`.
///
/// Tchebichef and Krawtchouk moments (discrete_polynomials.h) are sums over pixels or voxels,
///   T_nm = sum of f t_n(i) t_m(j), n + m <= T, of the column i and the row j from the top,
/// so the sum of T t t over all n < width, m < height is f. Krawtchouk: p of the columns in
/// weight.alpha, of the rows in weight.beta.
///
/// Zernike moments of volumes (ball_moments.h) live on the unit ball: the ball inscribed in the
/// cube whose side is the volume's longest axis and whose centre is the volume's. With N voxels on
/// that axis, x = (2 i + 1 - width) / N, y = (height - 1 - 2 j) / N, z = (2 k + 1 - depth) / N.
/// They are sums over the voxels whose centre is in the ball or on it, times (2 / N)^3.
struct MomentSpec {
  Family family = Family::kZernike;
  int order = 30;  ///< T: every moment of order n <= T
  Method method = Method::kSubregion;
  int points = 1;            ///< k of the k x k points in a pixel; ignored by kExact and kAdaptive
  JacobiWeight weight = {};  ///< of a weighted family; 0, 0 for all others
  std::optional<Mask> mask = {};  ///< none: default_mask(method)
  /// Bessel-Fourier: the highest m, if it is not T; none for every other family.
  std::optional<int> angular_order = {};
  /// Another program's convention, for Zernike moments at pixel centres under its own mask; or the
  /// textbook's on another circle, for Zernike and pseudo-Zernike moments with sub-regions.
  ConventionSpec convention = {};

  friend bool operator==(const MomentSpec&, const MomentSpec&) = default;
};

/// kCentre for kSubregion, kWhole for the methods that integrate over the pixel.
Mask default_mask(Method method);
/// The spec's mask, or the default of its method.
Mask mask_of(const MomentSpec& spec);
/// The method to use if none is given: the family's default, or pixel centres for every convention
/// but the textbook's on the inscribed circle.
Method default_method(Family family, const ConventionSpec& convention = {});

/// Whether mask_of(spec) determines which pixels count. It does not for the families on the square,
/// where every pixel counts, nor for another program's convention, which has its own mask.
bool has_mask(const MomentSpec& spec);

/// "textbook", "orthonormal" on the square, or "novotni-klein" on the ball.
std::string_view convention_name(Family family);

/// Throws UsageError when the order is outside the family's range, when k is not in 1 to
/// kMaxPointsASide, or when the method, the mask, the weight or the convention does not support the
/// family.
void validate(const MomentSpec& spec);
/// The same, and throws UsageError when arrays of this size have no such moments. Families on the
/// disk need square images of 2 x 2 to kMaxImageSize x kMaxImageSize pixels; with a circle other
/// than the inscribed one, images of 1 to kMaxImageSize pixels per side, a pixel of which lies in
/// the circle. The other families need axes of 1 to kMaxAxisLength elements; that on the ball, a
/// volume with axes of at most kMaxVolumeSide.
void validate(const MomentSpec& spec, const ArraySize& size);

/// Throws UsageError when images of size x size pixels have no moments (below 2 x 2) or more pixels
/// than can be numbered.
void validate_image_size(int size);
/// Throws UsageError when a pixel cannot have k x k points.
void validate_points_a_side(int k);

/// Whether the family lives on the unit disk: a radial factor times e^{-j m theta}.
bool is_circular(Family family);
/// Whether the family lives on the unit ball.
bool is_spherical(Family family);
/// Whether moments have imaginary parts: on the disk and the ball.
bool has_complex_moments(Family family);

/// Number of stored moments of order <= `order` of an image: the sum of floor(n/2)+1 for Zernike,
/// (T+1)(T+2)/2 for pseudo-Zernike and those on the square, T(T+1) for Bessel-Fourier, (T+1)^2 for
/// Jacobi-Fourier, (2T+1)(T+1) for exponent-Fourier; 0 for a negative order.
std::size_t moment_count(Family family, int order);
/// The same for a spec with its angular_order, and for the arrays that it is used for: a volume has
/// (T+1)(T+2)(T+3)/6 on the cube, ball_moment_count(T) on the ball.
std::size_t moment_count(const MomentSpec& spec, const ArraySize& size);
/// How many of these have order <= `order`; they come first. `order` may exceed the highest.
std::size_t moment_count_to(const MomentSpec& spec, const ArraySize& size, int order);
/// The highest order_of a stored moment: the order, or the angular order where that is higher.
int top_order(const MomentSpec& spec);

/// The stored moments, sorted by n, then by m; Bessel-Fourier, Jacobi-Fourier and exponent-Fourier
/// by max(|n|, m), then by n, then by m; those on the square by n + m, then by m. Those of order <=
/// T are a prefix of those of a higher order.
std::vector<MomentIndex> moment_indices(Family family, int order);
/// The same for a spec with its angular_order. Empty on the ball.
std::vector<MomentIndex> moment_indices(const MomentSpec& spec);

/// What numbers a moment of a volume: the degrees n, m, o in x, y and z. On the ball: n, l, m.
using VolumeMomentIndex = std::array<int, 3>;
/// Their names, for columns of files.
std::array<std::string_view, 3> volume_index_names(Family family);
/// The stored moments of a volume, in their order: volume_moment_position, ball_moment_position.
std::vector<VolumeMomentIndex> volume_moment_indices(const MomentSpec& spec);

/// The smallest order whose moments include this one: n; max(|n|, m) for Bessel-Fourier,
/// Jacobi-Fourier and exponent-Fourier, n + m on the square.
int order_of(Family family, const MomentIndex& index);

/// Position of (n, m) in moment_indices; n, m must be a stored moment of the family.
std::size_t moment_position(Family family, int n, int m);
std::size_t moment_position(const MomentSpec& spec, int n, int m);
/// Position of J_nmo among the moments of a volume: by n + m + o, then by o, then by m.
std::size_t volume_moment_position(int n, int m, int o);

std::string_view family_name(Family family);
/// The family of a name that includes no weight. Throws UsageError for any other name.
Family family_from_name(std::string_view name);

/// A family with the weight of its polynomials.
struct WeightedFamily {
  Family family = Family::kZernike;
  JacobiWeight weight = {};  ///< of a weighted family; 0, 0 for all others
  friend bool operator==(const WeightedFamily&, const WeightedFamily&) = default;
};
/// Reads the name of a family of images, gegenbauer:PARAMETER, jacobi:ALPHA:BETA or
/// jacobi-fourier:P:Q; and fourier-mellin for jacobi-fourier:2:2, chebyshev-fourier for
/// jacobi-fourier:2:1.5. Throws UsageError for any other text and for a weight out of range.
WeightedFamily weighted_family_from_text(std::string_view text);
/// The same, and the families of volumes.
WeightedFamily volume_family_from_text(std::string_view text);
/// "zernike, ..., gegenbauer:PARAMETER or jacobi:ALPHA:BETA", for help texts.
std::string family_choices();
/// The text that volume_family_from_text reads back: "zernike", "jacobi:0.3:0.7".
std::string family_text(const WeightedFamily& family);
/// The key `family`, which weighted_family_from_text reads, or volume_family_from_text.
void declare_family(Keys& keys, Family& family, JacobiWeight& weight, bool volumes = false);

/// "zernike, order 30, k = 1", with the mask and the convention if they are not the usual ones:
/// "zernike, order 30, k = 1, mask whole", "zernike, order 8, k = 1, mahotas, centre centroid,
/// radius 20".
std::string describe(const MomentSpec& spec);

}  // namespace leafglyph
