// Photographs perturbed in stated ways, to measure robustness together with the pictures of
// example_photographs.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "features/image/image.h"
#include "features/leaf/photograph.h"

namespace leafglyph {

/// A row of the table: the name of a perturbation and its description.
struct Perturbation {
  std::string_view name;
  std::string_view description;
  bool of_colours = false;  ///< leaves photographs without colours as they are
};

/// All perturbations, beginning with "none".
std::span<const Perturbation> perturbations();

/// The photograph after perturbations()[which]. `leaf` is 1 on the leaf's pixels of the photograph
/// and defines where the tip, the bite and the shadow are. The same seed gives the same picture.
/// Throws UsageError when `which` is out of range or the sizes differ.
Photograph perturbed(const Photograph& photograph, const Image<std::uint8_t>& leaf,
                     std::size_t which, std::uint64_t seed);

}  // namespace leafglyph
