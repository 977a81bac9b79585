#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "features/base/statistics.h"
#include "gpu/cuda/gpu_device.h"
#include "tools/literature/bench/published_timing.h"

namespace leafglyph {
namespace {

using namespace gpu::published;

constexpr int kSizes[] = {64, 128, 256, 512, 1024};

// The times of single moments, or of all moments of an order, with their place in the tables.
class FactorialTimes {
 public:
  FactorialTimes(int size, PublishedFigures& figures)
      : size_(size), column_(std::to_string(size)), image_(noise(size)), figures_(figures) {}

  Result timed(FactorialMethod method, int n, int first, int last) const {
    return median_of_three(
        [&] { return factorial_moments(method, n, first, last, image_, size_); });
  }

  void relayouts() {
    for (const auto& [row, method] :
         {std::pair{"direct", FactorialMethod::kDirect}, {"lookup", FactorialMethod::kLookup}}) {
      figures_.add({"xuan-5", row, column_, 1e6 * timed(method, 0, 0, 0).steps.front().seconds});
    }
  }

  void single(int n, int m) {
    const std::string row = "Z" + std::to_string(n) + "." + std::to_string(m);
    const double baseline = timed(FactorialMethod::kBaseline, n, m, m).seconds;
    const double proposed = timed(FactorialMethod::kLookup, n, m, m).seconds;
    figures_.add({"xuan-9", row, "base" + column_, 1e6 * baseline});
    figures_.add({"xuan-9", row, column_, 1e6 * proposed});
    if (n == 0) {
      add_both("xuan-6", column_, baseline, proposed);
      const double symmetric = timed(FactorialMethod::kSymmetric, n, m, m).seconds;
      const double relayout = timed(FactorialMethod::kRelayout, n, m, m).seconds;
      figures_.add({"xuan-6", column_, "symmetric", 1e3 * symmetric});
      figures_.add({"xuan-6", column_, "A", 1e3 * relayout});
    }
    if (size_ == 256) add_both("xuan-7", row, baseline, proposed);
  }

  void all_of_order(int n) {
    const std::string row = "Z" + std::to_string(n);
    const double baseline = timed(FactorialMethod::kBaseline, n, n % 2, n).seconds;
    const double proposed = timed(FactorialMethod::kLookup, n, n % 2, n).seconds;
    figures_.add({"xuan-10", row, "base" + column_, 1e3 * baseline});
    figures_.add({"xuan-10", row, column_, 1e3 * proposed});
    if (size_ != 1024 || n > 32) return;
    add_both("xuan-8", row, baseline, proposed);
    if (gpus_.size() < 2) return;
    const Result two = median_of_three([&] {
      return factorial_moments_on(std::span(gpus_).first(2), n, n % 2, n, image_, size_);
    });
    figures_.add({"xuan-8", row, "two", 1e3 * two.seconds});
  }

  void launch() {
    const Launch launch = factorial_launch(size_);
    figures_.add({"xuan-11", "blocks", column_, static_cast<double>(launch.blocks)});
    figures_.add({"xuan-11", "occupancy", column_, 100.0 * launch.occupancy});
  }

  // All moments up to an order, by every method.
  void sum_over_orders(int top) {
    for (const auto& [row, method] : {std::pair{"baseline", FactorialMethod::kBaseline},
                                      {"proposed", FactorialMethod::kLookup}}) {
      double seconds = 0.0;
      for (int n = 0; n <= top; ++n) {
        seconds += factorial_moments(method, n, n % 2, n, image_, size_).seconds;
      }
      figures_.add({"xuan-f13", row, column_, 1e3 * seconds});
    }
    Moments reference;
    const double ours = time_ours({Family::kZernike, top}, size_, Precision::kDouble,
                                  ImageBatch(image_, 1, size_), reference);
    const Result kintner = median_of_three(
        [&] { return kintner_moments(KintnerStrategy::kStoreAndReduce, top, 1, image_, size_); });
    const Result recursive =
        median_of_three([&] { return q_recursive_moments(top, image_, size_); });
    const Result combined = median_of_three([&] { return combined_moments(top, image_, size_); });
    std::printf("   errors: Kintner %.1e, q-recursive %.1e, combined %.1e\n",
                relative_l2(kintner.moments, reference), relative_l2(recursive.moments, reference),
                relative_l2(combined.moments, reference));
    figures_.add({"xuan-f13", "Kintner", column_, 1e3 * kintner.seconds});
    figures_.add({"xuan-f13", "q-recursive", column_, 1e3 * recursive.seconds});
    figures_.add({"xuan-f13", "combined", column_, 1e3 * combined.seconds});
    figures_.add({"xuan-f13", "ours", column_, 1e3 * ours});
  }

 private:
  // The milliseconds of the baseline and of the proposed program.
  void add_both(const std::string& place, const std::string& row, double baseline,
                double proposed) {
    figures_.add({place, row, "baseline", 1e3 * baseline});
    figures_.add({place, row, "proposed", 1e3 * proposed});
  }

  int size_;
  std::string column_;
  std::vector<double> image_;
  PublishedFigures& figures_;
  std::vector<gpu::GpuDevice> gpus_ = gpu::find_gpus().devices;
};

}  // namespace

void bench_published_factorial(PublishedFigures& figures) {
  std::printf("factorial sums\n");
  for (const int size : kSizes) {
    FactorialTimes times(size, figures);
    times.relayouts();
    for (const auto& [n, m] : {std::pair{0, 0}, {6, 2}, {12, 0}, {25, 13}}) times.single(n, m);
    for (const int n : {4, 8, 12, 16, 20, 24, 28, 32, 34}) times.all_of_order(n);
    times.launch();
    times.sum_over_orders(34);
  }
}

}  // namespace leafglyph
