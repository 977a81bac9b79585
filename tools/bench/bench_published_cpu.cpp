#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "features/base/relative_error.h"
#include "features/base/threads.h"
#include "features/published/geometric_moments.h"
#include "features/published/zernike_methods.h"
#include "gpu/plans.h"
#include "tools/bench/bench_published.h"
#include "tools/bench/timing.h"

namespace leafglyph {
namespace {

using published::RadialMethod;
using published::Symmetry;
using Moments = std::vector<std::complex<double>>;

constexpr unsigned kSeed = 512;
constexpr RadialMethod kMethods[] = {RadialMethod::kDirect,     RadialMethod::kKintner,
                                     RadialMethod::kQRecursive, RadialMethod::kPrata,
                                     RadialMethod::kSinghPrata, RadialMethod::kDeng};

std::vector<double> noise(int size) {
  std::mt19937 generator(kSeed);
  std::uniform_int_distribution<int> grey(0, 255);
  std::vector<double> image(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (double& pixel : image) pixel = grey(generator);
  return image;
}

// Seconds and moments of our own plan.
struct Ours {
  double seconds = 0.0;
  Moments moments;
};

Ours run_ours(const MomentSpec& spec, int size, const std::vector<double>& image) {
  PlanOptions options;
  options.device.kind = DeviceChoice::Kind::kCpu;
  const auto plan = make_moment_plan(spec, size, options);
  Ours ours;
  ours.moments.resize(plan->moment_count());
  const ImageBatch batch(image, 1, size);
  ours.seconds = median_seconds(5, [&] { plan->moments(batch, ours.moments); });
  return ours;
}

Ours ours(int order, int k, int size, const std::vector<double>& image) {
  return run_ours({Family::kZernike, order, Method::kSubregion, k}, size, image);
}

std::string number(double value) {
  char text[16];
  std::snprintf(text, sizeof text, "%.1e", value);
  return text;
}

void print_errors(Precision precision, int size, const std::vector<double>& image) {
  std::printf("  in %s\n  order", precision_name(precision).c_str());
  for (const RadialMethod method : kMethods) {
    std::printf("%15s", std::string(published::radial_method_name(method)).c_str());
  }
  std::printf("%15s\n", "geometric");
  for (const int order : {10, 20, 23, 30, 34, 35, 40, 45, 50, 60, 80, 100}) {
    const Moments reference = ours(order, 1, size, image).moments;
    std::printf("  %5d", order);
    for (const RadialMethod method : kMethods) {
      const auto got = published::zernike_moments(method, Symmetry::kEightfold, precision, order, 1,
                                                  image, size);
      std::printf("%15s", number(relative_l2(got, reference)).c_str());
    }
    const auto geometric =
        published::moments_from_geometric(Family::kZernike, precision, order, 1, image, size);
    std::printf("%15s\n", number(relative_l2(geometric, reference)).c_str());
    std::fflush(stdout);
  }
}

// One way of the literature, timed once: these take seconds.
struct Peer {
  RadialMethod method;
  Symmetry symmetry;
};

std::string peer_name(const Peer& peer) {
  return std::string(published::radial_method_name(peer.method)) +
         (peer.symmetry == Symmetry::kEightfold ? ", eight-fold" : ", whole disk");
}

double time_peer(const Peer& peer, int order, int k, int size, const std::vector<double>& image,
                 const Moments& reference) {
  Moments moments;
  const double seconds = seconds_of([&] {
    moments = published::zernike_moments(peer.method, peer.symmetry, Precision::kDouble, order, k,
                                         image, size);
  });
  std::printf("  %-28s order %3d, k = %d: %9.3f s, error %s\n", peer_name(peer).c_str(), order, k,
              seconds, number(relative_l2(moments, reference)).c_str());
  std::fflush(stdout);
  return seconds;
}

}  // namespace

void bench_published_errors(PublishedFigures&) {
  const int size = 64;
  const auto image = noise(size);
  std::printf("relative l2 error of Zernike moments against ours, %d x %d, noise, k = 1\n", size,
              size);
  print_errors(Precision::kDouble, size, image);
  print_errors(Precision::kFloat, size, image);
}

void bench_published_cpu(PublishedFigures& figures) {
  const int size = 512;
  const auto image = noise(size);
  const int threads = thread_count();
  set_thread_count(1);
  std::printf("Zernike, %d x %d, one CPU thread, tables of ours built before\n", size, size);
  std::printf(" every method, order 40, k = 1\n");
  const Ours low = ours(40, 1, size, image);
  for (const RadialMethod method : kMethods) {
    for (const Symmetry symmetry : {Symmetry::kNone, Symmetry::kEightfold}) {
      time_peer({method, symmetry}, 40, 1, size, image, low.moments);
    }
  }
  std::printf("  %-28s order  40, k = 1: %9.6f s\n", "ours", low.seconds);
  std::printf(" stable ones to order 500\n");
  const Peer kintner{RadialMethod::kKintner, Symmetry::kEightfold};
  const Peer deng{RadialMethod::kDeng, Symmetry::kEightfold};
  for (const int order : {100, 200, 300, 400, 500}) {
    const std::string column = std::to_string(order);
    const Ours own = ours(order, 1, size, image);
    const double seconds = time_peer(deng, order, 1, size, image, own.moments);
    figures.add({"thesis-5.2", "CPU", column, seconds});
    figures.add({"thesis-5.2", "ours", column, own.seconds});
    if (order % 200 != 100) continue;
    const double baseline = time_peer(kintner, order, 1, size, image, own.moments);
    figures.add({"jia-10", "1", "CPU" + column, baseline});
    figures.add({"jia-10", "1:ours", "CPU" + column, own.seconds});
    for (const int k : {5, 9}) {
      const bool measured = order == 100 && k == 5;
      const double with_points =
          measured ? time_peer(kintner, order, k, size, image, ours(order, k, size, image).moments)
                   : baseline * k * k;
      figures.add({"jia-10", std::to_string(k), "CPU" + column, with_points, !measured});
      figures.add({"jia-10", std::to_string(k) + ":ours", "CPU" + column,
                   ours(order, k, size, image).seconds});
    }
  }
  set_thread_count(threads);
}

}  // namespace leafglyph
