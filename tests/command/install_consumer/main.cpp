// A program of somebody else's that uses the installed library: prints the moment Z_00 of a white
// 8 x 8 image, which is the share of the disk's area that the mask covers.
#include <complex>
#include <cstdio>
#include <vector>

#include "gpu/plans.h"

int main() {
  const auto engine = leafglyph::make_moment_plan({leafglyph::Family::kZernike, 0}, 8);
  const std::vector<double> white(64, 1.0);
  std::vector<std::complex<double>> moments(1);
  engine->moments(leafglyph::ImageBatch(white, 1, 8), moments);
  std::printf("%.12f\n", moments[0].real());
}
