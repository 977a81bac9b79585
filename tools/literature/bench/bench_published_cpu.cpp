#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "features/base/statistics.h"
#include "features/base/threads.h"
#include "gpu/plans.h"
#include "tools/bench/timing.h"
#include "tools/literature/bench/bench_published.h"
#include "tools/literature/cpu/disk_samples.h"
#include "tools/literature/cpu/sample_tables.h"
#include "tools/literature/cpu/zernike_methods.h"

namespace leafglyph {
namespace {

using published::RadialMethod;
using published::Symmetry;
using Moments = std::vector<std::complex<double>>;

constexpr RadialMethod kMethods[] = {RadialMethod::kDirect,     RadialMethod::kKintner,
                                     RadialMethod::kQRecursive, RadialMethod::kPrata,
                                     RadialMethod::kSinghPrata, RadialMethod::kDeng};

// Seconds and moments of LeafGlyph's own plan.
struct Ours {
  double seconds = 0.0;
  Moments moments;
};

Ours run_ours(const MomentSpec& spec, int size, const std::vector<double>& image) {
  PlanOptions options = for_many_images();
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto plan = make_moment_plan(spec, size, options);
  Ours ours;
  ours.moments.resize(plan->moment_count());
  const ImageBatch batch(image, 1, size);
  ours.seconds = median_seconds(5, [&] { plan->moments(batch, ours.moments); });
  return ours;
}

Ours ours(Family family, int order, int k, int size, const std::vector<double>& image) {
  return run_ours({family, order, Method::kSubregion, k}, size, image);
}

std::string number(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

void print_errors(Family family, Precision precision, int size, const std::vector<double>& image) {
  const bool pseudo = family == Family::kPseudoZernike;
  std::printf("  %s in %s\n  order", std::string(family_name(family)).c_str(),
              precision_name(precision).c_str());
  for (const RadialMethod method : kMethods) {
    if (!published::supports(method, family)) continue;
    std::printf("%15s", std::string(published::radial_method_name(method)).c_str());
  }
  std::printf("%15s\n", "geometric");
  // Pseudo-Zernike from geometric moments needs (2n + 1)!, which double holds up to n = 84.
  const std::vector<int> orders =
      pseudo ? std::vector<int>{10, 15, 20, 25, 30, 40, 60, 80}
             : std::vector<int>{10, 20, 23, 30, 34, 35, 40, 45, 50, 60, 80, 100};
  for (const int order : orders) {
    const Moments reference = ours(family, order, 1, size, image).moments;
    std::printf("  %5d", order);
    for (const RadialMethod method : kMethods) {
      if (!published::supports(method, family)) continue;
      const auto got = published::zernike_moments(family, method, Symmetry::kEightfold, precision,
                                                  order, 1, image, size);
      std::printf("%15s", number(relative_l2(got, reference)).c_str());
    }
    const auto geometric =
        published::moments_from_geometric(family, precision, order, 1, image, size);
    std::printf("%15s\n", number(relative_l2(geometric, reference)).c_str());
    std::fflush(stdout);
  }
}

// A method of the literature. It is timed only once, since it takes seconds.
struct Peer {
  RadialMethod method;
  Symmetry symmetry;
};

std::string peer_name(const Peer& peer) {
  return std::string(published::radial_method_name(peer.method)) +
         (peer.symmetry == Symmetry::kEightfold ? ", eight-fold" : ", whole disk");
}

double time_peer(Family family, const Peer& peer, int order, int k, int size,
                 const std::vector<double>& image, const Moments& reference) {
  Moments moments;
  const double seconds = seconds_of([&] {
    moments = published::zernike_moments(family, peer.method, peer.symmetry, Precision::kDouble,
                                         order, k, image, size);
  });
  std::printf("  %-28s order %3d, k = %d: %9.3f s, error %s\n", peer_name(peer).c_str(), order, k,
              seconds, number(relative_l2(moments, reference)).c_str());
  std::fflush(stdout);
  return seconds;
}

constexpr Peer kKintner{RadialMethod::kKintner, Symmetry::kEightfold};
constexpr Peer kDeng{RadialMethod::kDeng, Symmetry::kEightfold};

void time_every_method(Family family, int order, int size, const std::vector<double>& image) {
  std::printf(" every method, %s, order %d, k = 1\n", std::string(family_name(family)).c_str(),
              order);
  const Ours own = ours(family, order, 1, size, image);
  for (const RadialMethod method : kMethods) {
    if (!published::supports(method, family)) continue;
    for (const Symmetry symmetry : {Symmetry::kNone, Symmetry::kEightfold}) {
      time_peer(family, {method, symmetry}, order, 1, size, image, own.moments);
    }
  }
  std::printf("  %-28s order %3d, k = 1: %9.6f s\n", "ours", order, own.seconds);
}

void time_deng(Family family, const char* place, int size, const std::vector<double>& image,
               PublishedFigures& figures) {
  for (const int order : {100, 200, 300, 400, 500}) {
    const std::string column = std::to_string(order);
    const Ours own = ours(family, order, 1, size, image);
    figures.add(
        {place, "CPU", column, time_peer(family, kDeng, order, 1, size, image, own.moments)});
    figures.add({place, "ours", column, own.seconds});
  }
}

// One thread, until the end of the scope.
class OneThread {
 public:
  OneThread() : before_(thread_count()) { set_thread_count(1); }
  ~OneThread() { set_thread_count(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

void bench_published_errors(PublishedFigures&) {
  const int size = 64;
  const auto image = noise(size);
  std::printf("relative l2 error of moments against ours, %d x %d, noise, k = 1\n", size, size);
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    print_errors(family, Precision::kDouble, size, image);
    print_errors(family, Precision::kFloat, size, image);
  }
}

void bench_published_cpu_tables(PublishedFigures& figures) {
  constexpr int kOrder = 700;
  constexpr RunLimits kRuns = {1.0, 9};
  const OneThread one_thread;
  for (const int size : {128, 256, 512}) {
    std::vector<float> rho;
    std::vector<float> theta;
    for (const published::DiskSample& sample : published::octant_samples(size, 1).samples) {
      rho.push_back(static_cast<float>(std::hypot(sample.x, sample.y)));
      theta.push_back(static_cast<float>(std::atan2(sample.y, sample.x)));
    }
    const auto add = [&](const std::string& kernel, double seconds) {
      figures.add({"thesis-5.3", std::to_string(size) + ":" + kernel, "CPU", seconds});
    };
    add("Origin", median_seconds(kRuns, [&] { published::polar_tables(size); }));
    add("Rho", median_seconds(kRuns, [&] { published::power_table(rho, kOrder); }));
    add("Exp", median_seconds(kRuns, [&] { published::exponential_table(theta, kOrder); }));
  }
}

void bench_published_cpu_jacobi(PublishedFigures& figures) {
  const int size = 1024;
  const MomentSpec spec{Family::kJacobi, 1000, Method::kSubregion, 23, {0.3, 0.3}};
  const auto image = noise(size);
  const OneThread one_thread;
  PlanOptions options = for_many_images();
  options.device.kind = DeviceChoice::Kind::kCpu;
  std::unique_ptr<MomentPlan> plan;
  const double tables = seconds_of([&] {
    plan = make_moment_plan(spec, size, options);
    plan->prepare(MomentPlan::Direction::kMoments);
  });
  Moments moments(plan->moment_count());
  std::vector<double> back(image.size());
  const double both = median_seconds(3, [&] {
    plan->moments(ImageBatch(image, 1, size), moments);
    plan->reconstruct(moments, {0, spec.order}, back);
  });
  figures.add({"wang-2", "CPU", "1000", 1e3 * both});
  figures.add({"wang-2", "CPU+tables", "1000", 1e3 * (tables + both)});
}

void bench_published_cpu_kintner(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  const OneThread one_thread;
  for (const int k : {1, 5, 9}) {
    const std::string row = std::to_string(k);
    for (const int order : {100, 300, 500}) {
      const std::string column = "CPU" + std::to_string(order);
      if (figures.find("jia-10", row, column)) continue;
      const Ours own = ours(Family::kZernike, order, k, size, image);
      figures.add({"jia-10", row + ":ours", column, own.seconds});
      figures.add({"jia-10", row, column,
                   time_peer(Family::kZernike, kKintner, order, k, size, image, own.moments)});
    }
  }
}

void bench_published_sizes(PublishedFigures& figures) {
  const std::size_t rows = 501;
  figures.add({"thesis-4.1", "exponentials", "T500", static_cast<double>(8 * rows)});
  figures.add({"thesis-4.1", "powers", "T500", static_cast<double>(4 * rows)});
  for (const Family family : {Family::kZernike, Family::kPseudoZernike}) {
    figures.add({"thesis-4.1", std::string(family_name(family)), "T500",
                 static_cast<double>(8 * moment_count(family, 500))});
  }
}

void bench_published_cpu(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  const OneThread one_thread;
  std::printf("%d x %d, one CPU thread, tables of ours built before\n", size, size);
  time_every_method(Family::kZernike, 40, size, image);
  time_every_method(Family::kPseudoZernike, 20, size, image);
  std::printf(" stable ones to order 500\n");
  time_deng(Family::kZernike, "thesis-5.2", size, image, figures);
  time_deng(Family::kPseudoZernike, "thesis-5.8", size, image, figures);
  bench_published_cpu_kintner(figures);
  bench_published_cpu_tables(figures);
  bench_published_cpu_jacobi(figures);
}

}  // namespace leafglyph
