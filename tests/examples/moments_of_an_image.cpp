// Zernike moments of a grey image, and the image reconstructed from its moments:
//   moments_of_an_image IMAGE.npy ORDER
// prints n, m and Z_nm of each moment, and the root-mean-square error of the reconstruction.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "leafglyph/features/base/errors.h"
#include "leafglyph/features/base/npy.h"
#include "leafglyph/gpu/plans.h"

namespace lg = leafglyph;

int main(int argc, char** argv) try {
  if (argc != 3) throw lg::UsageError("usage: moments_of_an_image IMAGE.npy ORDER");
  const lg::NpyArray<double> image = lg::read_npy<double>(argv[1]);
  if (image.shape.size() != 2) throw lg::InputError("the array has no rows and columns");
  const lg::ArraySize size(static_cast<int>(image.shape[1]), static_cast<int>(image.shape[0]));

  // A plan is made once for a family, an order and a size, and can be used for any number of
  // images.
  const lg::MomentSpec spec{lg::Family::kZernike, std::atoi(argv[2]), lg::Method::kExact};
  const std::unique_ptr<lg::MomentPlan> plan = lg::make_moment_plan(spec, size);
  std::vector<std::complex<double>> moments(plan->moment_count());
  plan->moments(lg::ImageBatch(image.values, 1, size), moments);
  for (std::size_t c = 0; c < moments.size(); ++c) {
    const lg::MomentIndex& index = plan->indices()[c];
    std::printf("%d %d %.9f %.9f\n", index.n, index.m, moments[c].real(), moments[c].imag());
  }

  std::vector<double> again(size.elements());
  plan->reconstruct(moments, {.last_order = spec.order}, again);
  double squares = 0;
  std::size_t pixels = 0;
  for (std::size_t i = 0; i < again.size(); ++i) {
    if (plan->mask().pixels()[i] == 0) continue;  // outside the disk
    squares += std::pow(again[i] - image.values[i], 2);
    ++pixels;
  }
  std::printf("error %.9f\n", std::sqrt(squares / static_cast<double>(pixels)));
} catch (const lg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(error.code());
}
