// Comparison of moment families at equal numbers of moments or at equal orders.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/glyph/glyph_images.h"
#include "classify/glyph/lookalike_pairs.h"
#include "classify/leaf/leaf_evaluation.h"
#include "features/base/table.h"
#include "features/image/sample_range.h"
#include "features/moments/moment_spec.h"
#include "gpu/plans.h"

namespace leafglyph {

/// A family of moments in a comparison.
struct ComparedFamily {
  std::string name;  ///< as the user wrote it
  WeightedFamily kind;

  Family family() const { return kind.family; }
  friend bool operator==(const ComparedFamily&, const ComparedFamily&) = default;
};

/// Parses a name as weighted_family_from_text does, and throws what it throws.
ComparedFamily compared_family_from_name(std::string_view name);

/// Number of moments of order <= `order`, where both signs of m count (a moment with m > 0 is two
/// real numbers). Zernike and Legendre moments of one order are then equally many.
std::size_t independent_count(Family family, int order);
/// The highest order with at most `count` of these; the family's lowest order if even that has
/// more.
int order_for_count(Family family, std::size_t count);

/// A specification of the family with no or almost no quadrature error.
MomentSpec comparison_spec(const WeightedFamily& family, int order);

/// Measurements of one family up to one order.
struct FamilyPoint {
  ComparedFamily family;
  int order = 0;
  std::size_t moments = 0;       ///< independent_count
  double psnr = 0.0;             ///< of the reconstructed image, over the pixels in the disk
  double compute_seconds = 0.0;  ///< moments of the image; tables are made before
  double image_seconds = 0.0;    ///< reconstruction of the image from its moments
  std::optional<double> leaf_accuracy;
  std::optional<double> recall;  ///< share of look-alikes among the ten nearest
};

/// Points of every family at every number of moments (the highest order with at most that many), or
/// at every order. Nothing is measured yet. Throws UsageError when there are no numbers or orders,
/// or a family does not have an order.
std::vector<FamilyPoint> points_by_count(std::span<const ComparedFamily> families,
                                         std::span<const std::size_t> counts);
std::vector<FamilyPoint> points_by_order(std::span<const ComparedFamily> families,
                                         std::span<const int> orders);

/// Measures PSNR and times for one image (size x size, samples of `range`). The same pixels count
/// for every family: those with all four corners in the unit disk. Throws UsageError when sizes do
/// not match.
void add_reconstructions(std::span<const double> image, int size, const SampleRange& range,
                         const PlanOptions& options, std::span<FamilyPoint> points);

/// Measures leaf_accuracy of the points: the configuration with its family and order replaced,
/// every order on the same splits, moments sampled at pixel centres.
void add_leaf_accuracy(const LeafConfig& config, const LeafRun& run, std::span<FamilyPoint> points);

/// Measures recall of the points: how often a look-alike is among the ten nearest, over both
/// directions of all pairs. Characters are compared as drawn, by the plain Euclidean distance of
/// moments weighted so that the kernels are orthonormal (with a Jacobi weight, the distance of the
/// projections of the weighted images). Families on the disk see the glyph inside the unit circle.
void add_lookalike_recall(const GlyphSelection& selection, std::span<const ListedPair> pairs,
                          const PlanOptions& options, std::span<FamilyPoint> points);

std::string comparison_text(std::span<const FamilyPoint> points);
Table comparison_table(std::span<const FamilyPoint> points);
/// PSNR and, if measured, leaf accuracy and recall, against the number of moments or the order: one
/// SVG with a panel for each.
enum class PlotAgainst { kMoments, kOrder };
std::string comparison_svg(std::span<const FamilyPoint> points, PlotAgainst against,
                           const std::string& image_name);

}  // namespace leafglyph
