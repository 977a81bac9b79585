#include <algorithm>
#include <numbers>

#include "features/base/errors.h"
#include "tools/literature/cuda/octant_layout.h"
#include "tools/literature/cuda/published.h"
#include "tools/literature/cuda/samples.h"

namespace leafglyph::gpu::published {
namespace {

constexpr int kThreads = 128;
constexpr int kMostBlocks = 64;  // parts of the octant

// One moment: R_nm(rho) = rho^m times a polynomial of rho^2 of degree (n - m) / 2, whose
// coefficients, highest power first, begin at `first`, times (n + 1) / pi and a pixel's area.
struct MomentTerm {
  int m;
  int degree;
  int first;
};

struct Sum {
  double re;
  double im;
};

// The sum over all threads of the block, in thread 0.
__device__ Sum block_sum(Sum own) {
  __shared__ Sum parts[kThreads];
  parts[threadIdx.x] = own;
  __syncthreads();
  for (unsigned step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) {
      parts[threadIdx.x].re += parts[threadIdx.x + step].re;
      parts[threadIdx.x].im += parts[threadIdx.x + step].im;
    }
    __syncthreads();
  }
  return parts[0];
}

// Block (b, i) adds up the terms of moment i over the places b * kThreads + t, (b + blocks) *
// kThreads + t, ... of the octant: octant images, radial polynomial and sum in one.
__global__ void combined(const double* h, const double* rho, const double* theta, int count,
                         const MomentTerm* terms, const double* coefficients, Sum* parts) {
  const MomentTerm term = terms[blockIdx.y];
  const double* factors = coefficients + term.first;
  Sum own{0.0, 0.0};
  for (int p = static_cast<int>(blockIdx.x * kThreads + threadIdx.x); p < count;
       p += static_cast<int>(gridDim.x) * kThreads) {
    double f[8];
    for (int q = 0; q < 8; ++q) f[q] = h[q * count + p];
    double sine = 0.0;
    double cosine = 0.0;
    sincos(term.m * theta[p], &sine, &cosine);
    const double square = rho[p] * rho[p];
    double radial = factors[0];
    for (int s = 1; s <= term.degree; ++s) radial = radial * square + factors[s];
    radial *= pow(rho[p], term.m);
    own.re += radial * real_part(f, term.m % 4, cosine, sine);
    own.im -= radial * imaginary_part(f, term.m % 4, cosine, sine);
  }
  const Sum sum = block_sum(own);
  if (threadIdx.x == 0) parts[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

// The sum of the parts of moment blockIdx.x; one thread per part.
__global__ void add_parts(const Sum* parts, int blocks, Sum* moments) {
  const auto b = static_cast<int>(threadIdx.x);
  const Sum sum = block_sum(b < blocks ? parts[blockIdx.x * blocks + b] : Sum{0.0, 0.0});
  if (b == 0) moments[blockIdx.x] = sum;
}

struct Polynomials {
  std::vector<MomentTerm> terms;  // in storage order
  std::vector<double> coefficients;
};

// The coefficients (-1)^s (n-s)! / (s! ((n+m)/2-s)! ((n-m)/2-s)!), each from the one before it.
Polynomials polynomials(int order, int size) {
  Polynomials made;
  for (const auto& [n, m] : moment_indices(Family::kZernike, order)) {
    made.terms.push_back({m, (n - m) / 2, static_cast<int>(made.coefficients.size())});
    double coefficient = (n + 1) / std::numbers::pi * 4.0 / (static_cast<double>(size) * size);
    for (int i = 1; i <= (n - m) / 2; ++i) coefficient *= ((n + m) / 2.0 + i) / i;
    for (int s = 0; s <= (n - m) / 2; ++s) {
      made.coefficients.push_back(coefficient);
      coefficient *= -((n + m) / 2.0 - s) * ((n - m) / 2.0 - s) / ((s + 1.0) * (n - s));
    }
  }
  return made;
}

}  // namespace

Result combined_moments(int order, std::span<const double> image, int size) {
  if (order < 0 || order > kLargestFactorialOrder) {
    throw UsageError("order " + std::to_string(order) + "; the combined kernel supports orders 0 " +
                     "to " + std::to_string(kLargestFactorialOrder));
  }
  if (size < 2 || size % 2 != 0) {
    throw UsageError("size " + std::to_string(size) + " is odd; the re-layout supports even sizes");
  }
  const OctantLayout layout = octant_layout(size);
  const int count = static_cast<int>(layout.rho.size());
  const Polynomials host = polynomials(order, size);
  const auto moments = static_cast<unsigned>(host.terms.size());
  const auto pixels = copy_to_device(image);
  const auto addresses = to_device(layout.addresses);
  const auto rho = to_device(layout.rho);
  const auto theta = to_device(layout.theta);
  const auto terms = to_device(host.terms);
  const auto coefficients = to_device(host.coefficients);
  const auto blocks =
      static_cast<unsigned>(std::clamp((count + kThreads - 1) / kThreads, 1, kMostBlocks));
  DeviceBuffer<double> h(8 * layout.rho.size());
  DeviceBuffer<Sum> parts(static_cast<std::size_t>(moments) * blocks);
  DeviceBuffer<Sum> sums(moments);
  const Stream stream;
  Result result;
  add_step(result.steps, "re-layout", stream,
           [&] { relayout(pixels.data(), addresses.data(), count, h.data(), stream); });
  add_step(result.steps, "moments", stream, [&] {
    combined<<<dim3(blocks, moments), kThreads, 0, stream.get()>>>(
        h.data(), rho.data(), theta.data(), count, terms.data(), coefficients.data(), parts.data());
    CUDA_CHECK_LAUNCH("combined");
    add_parts<<<moments, kThreads, 0, stream.get()>>>(parts.data(), static_cast<int>(blocks),
                                                      sums.data());
    CUDA_CHECK_LAUNCH("add_parts");
  });
  result.seconds = total_of(result.steps);
  result.bytes = pixels.bytes() + addresses.bytes() + h.bytes() + parts.bytes();
  std::vector<Sum> back(sums.size());
  CUDA_CHECK(cudaMemcpy(back.data(), sums.data(), sums.bytes(), cudaMemcpyDeviceToHost));
  for (const Sum& sum : back) result.moments.emplace_back(sum.re, sum.im);
  return result;
}

KernelUse combined_kernel() { return use_of("combined", combined, kThreads); }

}  // namespace leafglyph::gpu::published
