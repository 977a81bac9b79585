#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "features/base/statistics.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"
#include "tools/literature/bench/bench_published.h"
#include "tools/literature/cuda/published.h"

namespace leafglyph {
namespace {

using namespace gpu::published;
using Moments = std::vector<std::complex<double>>;

constexpr int kRepeats = 3;

// The result with the median time of three after a warm-up; the first one if it takes over 1 s.
template <class Call>
Result median_of_three(const Call& call) {
  std::vector<Result> results;
  results.push_back(call());
  if (results.front().seconds > 1.0) return results.front();
  for (int i = 0; i < kRepeats; ++i) results.push_back(call());
  results.erase(results.begin());  // the warm-up
  std::sort(results.begin(), results.end(),
            [](const Result& a, const Result& b) { return a.seconds < b.seconds; });
  return results[kRepeats / 2];
}

// Seconds of LeafGlyph's own plan on the GPU, transfers included. Writes its moments to `moments`.
double time_ours(const MomentSpec& spec, const ArraySize& size, Precision precision,
                 const ImageBatch& batch, Moments& moments) {
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCuda;
  options.precision = precision;
  const auto plan = make_moment_plan(spec, size, options);
  moments.resize(plan->moment_count());
  return median_seconds(5, [&] { plan->moments(batch, moments); });
}

void print_kernels() {
  std::printf("what kernels take of a multiprocessor\n  %-30s %8s %10s %10s %10s\n", "kernel",
              "threads", "registers", "shared, B", "occupancy");
  for (const auto& list : {kintner_kernels(), factorial_kernels(), deng_kernels(),
                           bessel_fourier_kernels(), jacobi_kernels()}) {
    for (const KernelUse& use : list) {
      std::printf("  %-30s %8d %10d %10zu %9.1f%%\n", use.name.c_str(), use.threads, use.registers,
                  use.shared_bytes, 100.0 * use.occupancy);
    }
  }
}

void print_steps(const std::vector<Step>& steps, double seconds) {
  std::printf("   ");
  for (const Step& step : steps) {
    std::printf(" %s %.4g s (%.1f%%)", step.name.c_str(), step.seconds,
                100.0 * step.seconds / seconds);
  }
  std::printf("\n");
}

// The measured seconds by strategy, k and order; 0 if not measured.
class StrategyTimes {
 public:
  double& at(KintnerStrategy strategy, int k, int order) { return seconds_[{strategy, k, order}]; }
  // Scales the time at k = 1 by the growth with k at order 100. Uses the growth of S4 if the
  // strategy was not measured there, since both grow with the number of samples.
  double extrapolated(KintnerStrategy strategy, int k, int order) {
    const double known = at(strategy, k, 100);
    const KintnerStrategy like = known > 0.0 ? strategy : KintnerStrategy::kFourfold;
    return at(strategy, 1, order) * at(like, k, 100) / at(like, 1, 100);
  }

 private:
  std::map<std::tuple<KintnerStrategy, int, int>, double> seconds_;
};

struct TimedTable {
  const char* place;
  int k;
  std::vector<KintnerStrategy> strategies;
  int measured_to;  // the highest order that is measured
};

void bench_kintner(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  using enum KintnerStrategy;
  std::printf("Kintner's recurrence, %d x %d, double\n", size, size);
  StrategyTimes times;
  for (const auto& [place, k, strategies, measured_to] :
       {TimedTable{"jia-6", 1, {kStoreAndReduce, kAtomic, kAtomicConstant}, 500},
        TimedTable{"jia-7", 1, {kFourfold, kEightfold, kAtomicConstant}, 500},
        TimedTable{"jia-8", 5, {kFourfold, kEightfold, kAtomicConstant}, 100},
        TimedTable{"jia-9", 9, {kFourfold, kEightfold, kAtomicConstant}, 100}}) {
    for (const int order : {100, 200, 300, 400, 500}) {
      const MomentSpec spec{Family::kZernike, order, Method::kSubregion, k};
      Moments reference;
      const double own =
          time_ours(spec, size, Precision::kDouble, ImageBatch(image, 1, size), reference);
      figures.add({place, "ours", std::to_string(order), own});
      for (const KintnerStrategy strategy : strategies) {
        double& known = times.at(strategy, k, order);
        const bool too_long = k == 9 && strategy == kAtomicConstant;
        const bool measured = order <= measured_to && !too_long;
        if (measured && known == 0.0) {
          const Result result = median_of_three(
              [&, k = k] { return kintner_moments(strategy, order, k, image, size); });
          known = result.seconds;
          std::printf(
              "   %s: error %.1e, %.3g MB\n", std::string(kintner_strategy_name(strategy)).c_str(),
              relative_l2(result.moments, reference), 1e-6 * static_cast<double>(result.bytes));
        }
        figures.add({place, std::string(kintner_strategy_name(strategy)), std::to_string(order),
                     measured ? known : times.extrapolated(strategy, k, order), !measured});
      }
    }
  }
}

// The steps that make the samples' tables of powers and exponentials, at order 700.
void bench_deng_steps(PublishedFigures& figures) {
  for (const int size : {128, 256, 512}) {
    const auto image = noise(size);
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
  const std::size_t rows = 501;
  figures.add({"thesis-4.1", "exponentials", "T500", static_cast<double>(8 * rows)});
  figures.add({"thesis-4.1", "powers", "T500", static_cast<double>(4 * rows)});
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    figures.add({"thesis-4.1", std::string(family_name(family)), "T500",
                 static_cast<double>(8 * moment_count(family, 500))});
  }
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

// Adds the milliseconds of the baseline and of the proposed program.
void add_both(const std::string& place, const std::string& row, double baseline, double proposed,
              PublishedFigures& figures) {
  figures.add({place, row, "baseline", 1e3 * baseline});
  figures.add({place, row, "proposed", 1e3 * proposed});
}

void bench_factorial(PublishedFigures& figures) {
  std::printf("factorial sums\n");
  for (const int size : {64, 128, 256, 512, 1024}) {
    const auto image = noise(size);
    const std::string column = std::to_string(size);
    const auto timed = [&](FactorialMethod method, int n, int first, int last) {
      return median_of_three(
          [&] { return factorial_moments(method, n, first, last, image, size); });
    };
    for (const auto& [row, method] :
         {std::pair{"direct", FactorialMethod::kDirect}, {"lookup", FactorialMethod::kLookup}}) {
      figures.add({"xuan-5", row, column, 1e6 * timed(method, 0, 0, 0).steps.front().seconds});
    }
    for (const auto& [n, m] : {std::pair{0, 0}, {6, 2}, {12, 0}, {25, 13}}) {
      const std::string row = "Z" + std::to_string(n) + "." + std::to_string(m);
      const double baseline = timed(FactorialMethod::kBaseline, n, m, m).seconds;
      const double proposed = timed(FactorialMethod::kLookup, n, m, m).seconds;
      figures.add({"xuan-9", row, "base" + column, 1e6 * baseline});
      figures.add({"xuan-9", row, column, 1e6 * proposed});
      if (n == 0) add_both("xuan-6", column, baseline, proposed, figures);
      if (size == 256) add_both("xuan-7", row, baseline, proposed, figures);
    }
    for (const int n : {4, 8, 12, 16, 20, 24, 28, 32, 34}) {
      const std::string row = "Z" + std::to_string(n);
      const double baseline = timed(FactorialMethod::kBaseline, n, n % 2, n).seconds;
      const double proposed = timed(FactorialMethod::kLookup, n, n % 2, n).seconds;
      figures.add({"xuan-10", row, "base" + column, 1e3 * baseline});
      figures.add({"xuan-10", row, column, 1e3 * proposed});
      if (size == 1024 && n <= 32) add_both("xuan-8", row, baseline, proposed, figures);
    }
    const Launch launch = factorial_launch(size);
    figures.add({"xuan-11", "blocks", column, static_cast<double>(launch.blocks)});
    figures.add({"xuan-11", "occupancy", column, 100.0 * launch.occupancy});
  }
}

void bench_bessel_fourier(PublishedFigures& figures) {
  const int size = 1024;
  const int order = 1000;
  const auto image = noise(size);
  std::printf("Bessel-Fourier, %d x %d, order %d, k = 1, moments and image\n", size, size, order);
  Moments reference;
  const double own = time_ours({Family::kBesselFourier, order}, size, Precision::kDouble,
                               ImageBatch(image, 1, size), reference);
  std::printf("  ours: moments %.4g s (double, with transfers)\n", own);
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    std::vector<double> back(image.size());
    bessel_fourier_moments(precision, 64, 1, image, size, back);  // the warm-up
    const Result result = bessel_fourier_moments(precision, order, 1, image, size, back);
    std::printf("  %s: %.4g s, error %.1e\n", precision_name(precision).c_str(), result.seconds,
                relative_l2(result.moments, reference));
    print_steps(result.steps, result.seconds);
    const double points = 15.0 * 15.0;
    for (const Step& step : result.steps) {
      if (step.name == "RADIUS" || step.name == "ARCTAN") continue;
      const bool image_step = step.name == "RECONSTRUCTION";
      figures.add({"xia-5.4", step.name, precision_name(precision),
                   step.seconds * (image_step ? 1.0 : points), !image_step});
    }
  }
}

}  // namespace

void bench_published_jacobi(PublishedFigures& figures) {
  const int size = 512;
  std::mt19937 generator(kNoiseSeed);
  std::vector<float> volume(static_cast<std::size_t>(size) * size * size);
  for (float& value : volume) value = static_cast<float>(generator() & 255U);
  for (const auto& [place, weight] :
       {std::pair{"wang-3", JacobiWeight{0.3, 0.3}}, {"wang-5", JacobiWeight{0.3, 0.7}}}) {
    std::printf("Jacobi %g, %g, %d^3, float, moments and volume, milliseconds\n", weight.alpha,
                weight.beta, size);
    for (const int k : {1, 23}) {
      for (const int order : {100, 200, 300, 400, 500}) {
        jacobi_moments(weight, order, k, volume, size, size);  // the warm-up
        const JacobiResult result = jacobi_moments(weight, order, k, volume, size, size);
        figures.add({place, std::to_string(k), std::to_string(order), 1e3 * result.seconds});
        print_steps(result.steps, result.seconds);
      }
    }
  }
  const MomentSpec spec{Family::kJacobi, 500, Method::kExact, 1, {0.3, 0.3}};
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCuda;
  options.precision = Precision::kFloat;
  const ArraySize cube{size, size, size};
  const auto plan = make_moment_plan(spec, cube, options);
  Moments moments(plan->moment_count());
  const ImageBatch batch(std::span<const float>(volume), 1, cube);
  const double seconds = median_seconds(3, [&] { plan->moments(batch, moments); });
  std::printf("  ours, order 500, moments alone, with transfers: %.4g ms\n", 1e3 * seconds);
}

void bench_published_deng(PublishedFigures& figures) {
  bench_deng_steps(figures);
  bench_deng(figures);
}

void bench_published_gpu(PublishedFigures& figures) {
  print_kernels();
  bench_factorial(figures);
  bench_published_deng(figures);
  bench_published_jacobi(figures);
  bench_bessel_fourier(figures);
  bench_kintner(figures);
}

}  // namespace leafglyph
