#include <cstdio>
#include <string>

#include "features/base/statistics.h"
#include "tools/literature/bench/published_timing.h"

namespace leafglyph {
namespace {

using namespace gpu::published;

// The kernels that make the tables of pixels and samples, at order 700.
void bench_deng_steps(PublishedFigures& figures) {
  for (const int size : {128, 256, 512}) {
    const auto image = noise(size);
    figures.add({"thesis-5.3", std::to_string(size) + ":Origin", "GPU",
                 median_of_three([&] { return origin_tables(size); }).seconds});
    const Result result = median_of_three(
        [&] { return deng_moments(Family::kZernike, Precision::kFloat, 700, 1, image, size, 0); });
    for (const Step& step : result.steps) {
      if (step.name == "Rho" || step.name == "Exp") {
        figures.add({"thesis-5.3", std::to_string(size) + ":" + step.name, "GPU", step.seconds});
      }
    }
  }
}

void bench_deng(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  std::printf("Deng's recursion, %d x %d\n", size, size);
  std::printf("  all of it: %zu bytes per sample\n",
              deng_sample_bytes(Family::kZernike, Precision::kFloat, 500));
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
      for (const int order : {100, 200, 300, 400, 500, 700}) {
        const MomentSpec spec{family, order};
        Moments reference;
        const double own =
            time_ours(spec, size, Precision::kDouble, ImageBatch(image, 1, size), reference);
        const Result result = median_of_three(
            [&] { return deng_moments(family, precision, order, 1, image, size, 0); });
        std::printf(
            "  %s, %s, order %d: %.4g s, ours %.4g s (double, with transfers), error %.1e\n",
            std::string(family_name(family)).c_str(), precision_name(precision).c_str(), order,
            result.seconds, own, relative_l2(result.moments, reference));
        print_steps(result.steps, result.seconds);
        if (precision == Precision::kFloat && order <= 500) {
          const char* place = family == Family::kZernike ? "thesis-5.2" : "thesis-5.8";
          figures.add({place, "GPU", std::to_string(order), result.seconds});
        }
      }
    }
  }
}

}  // namespace

void bench_published_deng(PublishedFigures& figures) {
  bench_deng_steps(figures);
  bench_deng(figures);
}

}  // namespace leafglyph
