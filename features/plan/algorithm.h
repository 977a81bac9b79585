// THE table of algorithms: which one serves which spec, on every back end.
#pragma once

#include <string_view>

#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

/// Each has a folder of its name (kPolar and kRidge: zernike/) under features/ and under gpu/.
enum class Algorithm {
  kFolded,  ///< octant folding and products with a stored basis: batches of low orders
  kPolar,   ///< non-uniform transform in radius and angle: (pseudo-)Zernike, any order and points
  kRidge,   ///< ridge polynomials: exact Zernike
  kRings,   ///< Chebyshev terms on rings: Bessel-Fourier of high orders, and images from them
  kSeparable,  ///< one product an axis: the families on the square and in the cube
};
std::string_view algorithm_name(Algorithm algorithm);

/// From images to moments. A stored basis is used while it takes at most 512 MiB in double.
Algorithm forward_algorithm(const MomentSpec& spec, const ArraySize& size);
/// From moments to images.
Algorithm backward_algorithm(Family family);

}  // namespace leafglyph
