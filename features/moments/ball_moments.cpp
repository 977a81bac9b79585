#include "features/moments/ball_moments.h"

#include <cmath>
#include <string>

#include "features/base/errors.h"
#include "features/base/threads.h"

namespace leafglyph {
namespace {

// Moments of order n with a smaller l: 1 + 3 + ... for an even n, 2 + 4 + ... for an odd one.
std::size_t before(int n, int l) {
  const auto half = static_cast<std::size_t>(l / 2);
  return half * (half + static_cast<std::size_t>(n % 2));
}

// The norms of one volume.
void norms_of(int order, const std::complex<double>* moments, double* norms) {
  for (int n = 0; n <= order; ++n) {
    for (int l = n % 2; l <= n; l += 2) {
      double sum = std::norm(*moments++);
      for (int m = 1; m <= l; ++m) sum += 2.0 * std::norm(*moments++);
      *norms++ = std::sqrt(sum);
    }
  }
}

}  // namespace

std::size_t ball_moment_count(int order) {
  std::size_t count = 0;
  for (int n = 0; n <= order; ++n) count += before(n, n + 2);
  return count;
}

std::size_t ball_moment_position(int n, int l, int m) {
  return ball_moment_count(n - 1) + before(n, l) + static_cast<std::size_t>(m);
}

std::size_t ball_norm_count(int order) { return Family::kZernike.row().count(order); }

std::vector<MomentIndex> ball_norm_indices(int order) {
  return Family::kZernike.row().indices(order);
}

void ball_norms(int order, std::span<const std::complex<double>> moments, std::span<double> norms) {
  const std::size_t count = ball_moment_count(order);
  const std::size_t volumes = moments.size() / count;
  if (moments.size() != volumes * count || norms.size() != volumes * ball_norm_count(order)) {
    throw UsageError("room for " + std::to_string(norms.size()) + " norms, but " +
                     std::to_string(moments.size()) + " moments of order " + std::to_string(order) +
                     " have " + std::to_string(ball_norm_count(order)) + " for each " +
                     std::to_string(count));
  }
  parallel_for({.count = volumes, .nanoseconds = static_cast<double>(count)}, [&](std::size_t b) {
    norms_of(order, moments.data() + b * count, norms.data() + b * ball_norm_count(order));
  });
}

}  // namespace leafglyph
