// The table of moment families: one row each, with everything that the rest of the program needs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "features/base/names.h"

namespace leafglyph {

/// How the integral over a pixel is computed.
enum class Method {
  kSubregion,  ///< k x k sub-pixel centres (k = 1: the pixel centre)
  kExact,      ///< the exact integral, with the image constant in each pixel; the plain sum over
               ///< pixels for a family that is defined at these only
  kGauss,      ///< k x k Gauss-Legendre points
  kAdaptive,   ///< Gauss-Legendre points, as many as the kernel's oscillations need
};
template <>
inline constexpr Names<Method, 4> kNamesOf<Method> = {"method",
                                                      {{{Method::kSubregion, "sub-regions"},
                                                        {Method::kExact, "exact"},
                                                        {Method::kGauss, "gauss"},
                                                        {Method::kAdaptive, "adaptive"}}}};

/// Order n and repetition m >= 0 of a moment. f is real, so the moment (n, -m) is the conjugate; of
/// a family with a phase, (-n, -m). For families on the square: the degree in x and the degree in
/// y.
struct MomentIndex {
  int n = 0;
  int m = 0;
  friend bool operator==(const MomentIndex&, const MomentIndex&) = default;
};

/// The two parameters of a weighted family. Jacobi polynomials: the weight (1 - x)^alpha
/// (1 + x)^beta, alpha, beta > -1; Legendre is 0, 0; Gegenbauer with parameter g is g - 1/2, g -
/// 1/2. Jacobi-Fourier: p in alpha and q in beta (jacobi_fourier.h). Polar harmonic transforms: the
/// exponent s of rho^s in alpha. Krawtchouk: p of the columns in alpha, of the rows in beta.
struct JacobiWeight {
  double alpha = 0.0;
  double beta = 0.0;

  friend bool operator==(const JacobiWeight&, const JacobiWeight&) = default;
};

struct AxisTables;
struct MomentSpec;
enum class Axis;

/// Computes R_nm(rho) of all stored moments c of an order at once, into values[c].
using RadialFunctions = std::function<void(double rho, std::span<double> values)>;

/// Points this close to the centre of the disk are at it. Kernels without a limit there are 0.
inline constexpr double kCentreRadius = 1e-12;

/// A family on the unit disk has the kernels norm_n R_nm(rho) e^{-j m theta}; one with a phase,
/// those times e^{-j phase(weight, n, rho)}. A family on the square has real kernels in x and y,
/// the products of functions of each, and every pixel counts. A family on the unit ball has moments
/// of volumes alone, with three numbers n, l and m (ball_moments.h).
struct FamilyRow {
  std::string_view name;             ///< in commands, configurations and files
  std::string_view letter;           ///< of a moment: "Z" of Z_nm
  bool circular = false;             ///< lives on the disk
  bool spherical = false;            ///< lives on the ball
  bool weighted = false;             ///< its polynomials have a weight, which follows the name
  std::string_view parameters = {};  ///< of the weight, in help texts: "ALPHA:BETA", or one: "S"
  /// The weight of the name alone; nullopt if the parameters must follow.
  std::optional<JacobiWeight> usual_weight = std::nullopt;
  bool has_angular_order = false;  ///< the highest m may differ from the order
  bool has_own_circle = false;     ///< has moments on circles other than the inscribed one
  int lowest_order = 0;
  int highest_order = 0;
  bool has_exact = false;     ///< the integrals of its kernels over pixels are known
  bool has_adaptive = false;  ///< the number of points its kernels need in a pixel is known
  bool discrete = false;      ///< on the square: its kernels are defined at pixels only
  Method default_method = Method::kSubregion;

  // On the ball, all of these but `count` are null.

  /// Whether such a moment exists, of any order.
  bool (*has)(int n, int m) = nullptr;
  /// Number of stored moments of order <= order, for order >= 0.
  std::size_t (*count)(int order) = nullptr;
  /// Those moments, lower orders first.
  std::vector<MomentIndex> (*indices)(int order) = nullptr;
  /// The position of a moment among them.
  std::size_t (*position)(int n, int m) = nullptr;
  /// The smallest order whose moments include this one.
  int (*order_of)(const MomentIndex& index) = nullptr;

  // For families on the disk; null on the square.

  /// The factors in front of the integral: norm_n at [|n|], |n| = 0 ... order.
  std::vector<double> (*norms)(int order) = nullptr;
  /// R_nm(rho) as a function of rho; the weight is that of a weighted family.
  std::function<double(double rho)> (*radial)(const JacobiWeight& weight, int n, int m) = nullptr;
  RadialFunctions (*radials)(const JacobiWeight& weight, int order) = nullptr;
  /// Null if 0, as in most families.
  double (*phase)(const JacobiWeight& weight, int n, double rho) = nullptr;

  // For families on the square; null on the disk.

  /// The tables of an axis of so many elements, in the order of the array (axis_tables.h).
  AxisTables (*axis)(const MomentSpec& spec, int length, Axis axis) = nullptr;

  // For weighted families.

  /// Throws UsageError if there are no polynomials with that weight.
  void (*validate_weight)(const JacobiWeight& weight) = nullptr;
};

/// A row of the table. The families that the program knows by name are members. A row of your own
/// is also a family, for every algorithm that supports it.
class Family {
 public:
  static const Family kZernike;
  static const Family kPseudoZernike;
  static const Family kBesselFourier;
  static const Family kJacobiFourier;
  static const Family kExponentFourier;
  static const Family kPolarExponent;
  static const Family kPolarCosine;
  static const Family kPolarSine;
  static const Family kLegendre;
  static const Family kJacobi;
  static const Family kTchebichef;
  static const Family kKrawtchouk;
  static const Family kZernike3d;

  constexpr explicit Family(const FamilyRow* row) : row_(row) {}  ///< the row must outlive it
  constexpr const FamilyRow& row() const { return *row_; }
  friend constexpr bool operator==(Family, Family) = default;

 private:
  const FamilyRow* row_;
};

extern const FamilyRow kZernikeRow;
extern const FamilyRow kPseudoZernikeRow;
extern const FamilyRow kBesselFourierRow;
extern const FamilyRow kJacobiFourierRow;
extern const FamilyRow kExponentFourierRow;
extern const FamilyRow kPolarExponentRow;
extern const FamilyRow kPolarCosineRow;
extern const FamilyRow kPolarSineRow;
extern const FamilyRow kLegendreRow;
extern const FamilyRow kJacobiRow;
extern const FamilyRow kTchebichefRow;
extern const FamilyRow kKrawtchoukRow;
extern const FamilyRow kZernike3dRow;

inline constexpr Family Family::kZernike{&kZernikeRow};
inline constexpr Family Family::kPseudoZernike{&kPseudoZernikeRow};
inline constexpr Family Family::kBesselFourier{&kBesselFourierRow};
inline constexpr Family Family::kJacobiFourier{&kJacobiFourierRow};
inline constexpr Family Family::kExponentFourier{&kExponentFourierRow};
inline constexpr Family Family::kPolarExponent{&kPolarExponentRow};
inline constexpr Family Family::kPolarCosine{&kPolarCosineRow};
inline constexpr Family Family::kPolarSine{&kPolarSineRow};
inline constexpr Family Family::kLegendre{&kLegendreRow};
inline constexpr Family Family::kJacobi{&kJacobiRow};
inline constexpr Family Family::kTchebichef{&kTchebichefRow};
inline constexpr Family Family::kKrawtchouk{&kKrawtchoukRow};
inline constexpr Family Family::kZernike3d{&kZernike3dRow};

/// norm_n R_nm(rho): a moment is the integral of f times this times e^{-j m theta}. Throws
/// UsageError for a family on the square and for one with a phase.
RadialFunctions radial_basis(Family family, const JacobiWeight& weight, int order);

/// The families of images that commands and files know by name, in the order of messages. Those on
/// the square are of volumes, too.
std::span<const Family> families();
/// The families of volumes alone.
std::span<const Family> volume_families();

}  // namespace leafglyph
