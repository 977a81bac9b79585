// Families of moments side by side at equal numbers of moments.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "classify/glyph_images.h"
#include "classify/leaf_task.h"
#include "classify/lookalike_report.h"
#include "features/moment_engine.h"

namespace leafglyph {

/// Moments of order <= `order` with both signs of m counted (a moment with m > 0 is two real
/// numbers), so that Zernike and Legendre moments of one order are equally many.
std::size_t independent_count(Family family, int order);
/// The highest order with at most `count` of them; the family's lowest when even that has more.
int order_for_count(Family family, std::size_t count);

/// One family at one number of moments.
struct FamilyPoint {
  Family family = Family::kZernike;
  int order = 0;
  std::size_t moments = 0;       ///< independent_count
  double psnr = 0.0;             ///< of the image's reconstruction, over the pixels in the disk
  double compute_seconds = 0.0;  ///< moments of the image, tables made before
  double image_seconds = 0.0;    ///< the image from its moments
  std::optional<double> leaf_accuracy;
  std::optional<double> recall;  ///< share of look-alikes among the ten nearest
};

/// The method without quadrature error, or nearly so, that the comparison uses for a family.
MomentSpec comparison_spec(Family family, int order);

/// PSNR and times of one image (size x size, 0 to 255) for every number of moments; the fields of
/// leaves and characters stay empty. The same pixels count for every family: those whose four
/// corners lie in the unit disk. Throws UsageError when `counts` is empty or sizes do not fit.
std::vector<FamilyPoint> compare_reconstructions(std::span<const double> image, int size,
                                                 std::span<const Family> families,
                                                 std::span<const std::size_t> counts,
                                                 const EngineOptions& options);

/// Fills leaf_accuracy of the points: the configuration with its family and order replaced, every
/// order on the same splits, moments sampled at pixel centres.
void add_leaf_accuracy(const LeafConfig& config, const LeafRun& run, std::span<FamilyPoint> points);

/// Fills recall of the points: the characters as they are drawn, moments with the weights that make
/// the kernels orthonormal, plain Euclidean distance; the share of the pairs' two directions with
/// the partner among the ten nearest. Circular families see the glyph inside the unit circle.
void add_lookalike_recall(const GlyphSelection& selection, std::span<const ListedPair> pairs,
                          const EngineOptions& options, std::span<FamilyPoint> points);

std::string comparison_text(std::span<const FamilyPoint> points);
std::string comparison_csv(std::span<const FamilyPoint> points);
/// PSNR, and where they were measured leaf accuracy and recall, against the number of moments: one
/// SVG, a panel each.
std::string comparison_svg(std::span<const FamilyPoint> points, const std::string& image_name);

}  // namespace leafglyph
