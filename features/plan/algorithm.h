// THE table of algorithms: which one serves which spec, on every back end.
#pragma once

#include <string_view>

#include "features/image/image.h"
#include "features/moments/moment_spec.h"

namespace leafglyph {

enum class Backend { kCpu, kCuda };

/// Each has a folder under features/ and, where it has CUDA, under gpu/.
enum class Algorithm {
  kSeparable,  ///< separable/: Zernike by separation of variables, every order and rule
  kFolded,     ///< folded/: octant folding and products with a stored basis, low orders
  kPolar,      ///< zernike/: non-uniform transform in radius and angle, (pseudo-)Zernike
  kRings,      ///< bessel_fourier/: Chebyshev terms on rings
  kPixelSums,  ///< pixel_sums/: conventions on a circle of each image's own
  kAxes,       ///< jacobi/: one product an axis, the families on the square and in the cube
};
std::string_view algorithm_name(Algorithm algorithm);

/// From images to moments. A stored basis is used while it takes at most 512 MiB in double.
Algorithm forward_algorithm(const MomentSpec& spec, const ArraySize& size, Backend backend);
/// From moments to images. Throws UsageError for a spec that images do not come back from.
Algorithm backward_algorithm(const MomentSpec& spec);

}  // namespace leafglyph
