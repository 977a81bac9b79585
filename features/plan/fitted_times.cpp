// Printed by tools/bench/bench_algorithms --fit; nothing here is written by hand.
#include "features/plan/cost.h"

namespace leafglyph {

std::span<const WorkTimes> fitted_times() {
  static constexpr WorkTimes kTimes[] = {
      // median and largest misfit: plan 1.19, 2.74, image 1.65, 2.83
      {"cpu",
       "axes",
       Way::kMoments,
       Precision::kDouble,
       {2.55e+04, 34.6, 0, 0, 0, 0, 0},
       {41.1, 1.17, 0.0589, 0.273, 0, 0, 0}},
      // median and largest misfit: plan 1.20, 4.20, image 1.64, 2.96
      {"cpu",
       "axes",
       Way::kMoments,
       Precision::kFloat,
       {2.68e+04, 34.3, 0, 0, 0, 0, 0},
       {288, 0.695, 0.0251, 0.168, 0, 0, 0}},
      // median and largest misfit: plan 1.22, 2.64, image 1.80, 3.27
      {"cpu",
       "axes",
       Way::kImages,
       Precision::kDouble,
       {2.72e+04, 34, 0, 0, 0, 0, 0},
       {631, 0.979, 0.0505, 0.273, 0, 0, 0}},
      // median and largest misfit: plan 1.19, 4.31, image 1.86, 7.10
      {"cpu",
       "axes",
       Way::kImages,
       Precision::kFloat,
       {2.37e+04, 34.7, 0, 0, 0, 0, 0},
       {634, 0.87, 0.0238, 0.16, 0, 0, 0}},
      // median and largest misfit: plan 1.31, 6.08, image 1.88, 4.27
      {"cpu",
       "folded",
       Way::kMoments,
       Precision::kDouble,
       {818, 184, 4.32, 2.98, 5.07, 550, 0},
       {0, 17.3, 0.0826, 0.395, 0, 0, 0}},
      // median and largest misfit: plan 1.30, 5.89, image 1.70, 14.92
      {"cpu",
       "folded",
       Way::kMoments,
       Precision::kFloat,
       {2.22e+03, 173, 4.48, 2.3, 3.75, 533, 0},
       {340, 12.7, 0.0272, 0.33, 1.49, 0, 0}},
      // median and largest misfit: plan 1.18, 1.90, image 1.36, 3.45
      {"cpu",
       "polar",
       Way::kMoments,
       Precision::kDouble,
       {9.76e+05, 290, 19.3, 12.3, 0, 0, 0},
       {1.4e+04, 46.7, 0.0892, 0.805, 0.127, 0, 0}},
      // median and largest misfit: plan 1.20, 2.05, image 1.38, 3.53
      {"cpu",
       "polar",
       Way::kMoments,
       Precision::kFloat,
       {1.07e+06, 293, 15.2, 14.9, 0, 0, 0},
       {1.46e+04, 41.3, 0.0888, 0.764, 0.18, 0, 0}},
      // median and largest misfit: plan 1.24, 2.25, image 1.41, 3.28
      {"cpu",
       "polar",
       Way::kImages,
       Precision::kDouble,
       {8.68e+05, 279, 33.3, 5.02, 0, 0, 0},
       {1.02e+04, 106, 0.166, 0.718, 0.139, 0, 0}},
      // median and largest misfit: plan 1.20, 1.79, image 1.42, 2.59
      {"cpu",
       "polar",
       Way::kImages,
       Precision::kFloat,
       {8.62e+05, 285, 37.8, 0, 0, 0, 0},
       {1.13e+04, 107, 0.188, 0.841, 0, 0, 0}},
      // median and largest misfit: plan 1.31, 2.66, image 1.68, 3.38
      {"cpu",
       "rings",
       Way::kMoments,
       Precision::kDouble,
       {2.19e+05, 142, 0, 1.07, 0, 0, 0},
       {1.45e+03, 114, 0, 0.105, 0.0984, 0, 0}},
      // median and largest misfit: plan 1.31, 2.57, image 1.61, 3.32
      {"cpu",
       "rings",
       Way::kMoments,
       Precision::kFloat,
       {2.16e+05, 141, 0, 1.06, 0, 0, 0},
       {4.5e+03, 105, 0, 0.064, 0.075, 0, 0}},
      // median and largest misfit: plan 1.35, 2.66, image 1.69, 2.95
      {"cpu",
       "rings",
       Way::kImages,
       Precision::kDouble,
       {2e+05, 146, 0, 1.01, 0, 0, 0},
       {2.08e+03, 114, 0, 0.0969, 0.117, 0, 0}},
      // median and largest misfit: plan 1.33, 2.67, image 1.73, 4.08
      {"cpu",
       "rings",
       Way::kImages,
       Precision::kFloat,
       {2.08e+05, 146, 0, 1, 0, 0, 0},
       {1.31e+03, 117, 0, 0.0583, 0.0622, 0, 0}},
      // median and largest misfit: plan 1.31, 2.83, image 1.26, 2.54
      {"cpu",
       "separable",
       Way::kMoments,
       Precision::kDouble,
       {8.33e+03, 0, 0, 35.3, 36.8, 527, 0},
       {5.34e+03, 0.952, 3.39, 0.0796, 0.112, 3.15, 0.0215}},
      // median and largest misfit: plan 1.30, 2.65, image 1.27, 2.35
      {"cpu",
       "separable",
       Way::kMoments,
       Precision::kFloat,
       {1.08e+04, 0, 0, 33.1, 38.4, 513, 0},
       {5.62e+03, 0.585, 3.39, 0.0797, 0.135, 5.62, 0.0277}},
      // median and largest misfit: plan 1.29, 1.76, image 1.29, 2.43
      {"cpu",
       "separable",
       Way::kImages,
       Precision::kDouble,
       {1.28e+04, 3.28, 0, 26.4, 38, 307, 0},
       {3.06e+03, 1.23, 0, 0.0996, 0.0891, 3.88, 0.0288}},
      // median and largest misfit: plan 1.39, 4.70, image 1.37, 6.56
      {"cpu",
       "separable-tables",
       Way::kMoments,
       Precision::kDouble,
       {1.85e+04, 6.49, 12.2, 1.15, 0, 0, 0},
       {183, 0.393, 0.074, 0.0213, 2.14, 0, 0}},
      // median and largest misfit: plan 1.34, 2.26, image 1.43, 6.39
      {"cpu",
       "separable-tables",
       Way::kMoments,
       Precision::kFloat,
       {1.36e+04, 6.6, 11, 0.975, 0, 0, 0},
       {304, 0.168, 0.037, 0.0221, 0.0203, 0, 0}},
  };
  return kTimes;
}

}  // namespace leafglyph
